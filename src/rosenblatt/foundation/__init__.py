"""What everything else stands on: errors, labels, matrices, threads, memory, files. Imports only the core."""

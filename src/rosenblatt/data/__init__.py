"""From files to what the engine takes: sources read tables, columns turn them into numbers and classes."""

"""Files, folders, pipes and tables in memory to batches of rows."""

"""Encoded tables on the disk, for tables larger than memory."""

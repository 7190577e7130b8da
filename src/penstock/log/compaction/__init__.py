"""Compaction by key: which part of a log is dirty, what of it is kept, and the cleaner that does it."""

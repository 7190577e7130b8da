"""Moves records from a home to other partitions, each exactly once."""

"""One segment of a log: its files, its indexes, and how its batches are found and checked."""

"""What a partition knows of its producers: sequences, open transactions, and the snapshots that keep them."""

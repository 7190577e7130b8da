"""One data folder: whose it is, the logs in it, its checkpoints, and what is set aside in it."""

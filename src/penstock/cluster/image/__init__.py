"""The cluster as one broker knows it: the metadata store's contents, as watched."""

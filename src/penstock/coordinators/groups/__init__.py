"""Consumer groups and their committed offsets: a machine on the partitions of `__consumer_offsets`."""

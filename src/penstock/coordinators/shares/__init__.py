"""State of share groups: a machine on the partitions of `__share_group_state`, and those who ask it."""

"""Consumer groups and their committed offsets: a machine on the partitions of `__consumer_offsets`."""

from penstock.coordinators.groups.service import Groups

__all__ = ["Groups"]

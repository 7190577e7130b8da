"""How cost grows with what there is: partitions, connections, groups, segments, and the size of records and fetches."""

"""Filtered views: topics that show some of another topic's records (docs/adr/0077).

scanned_record   one record as it lies in its batch, opened no further than a filter asks
filter           from the tree of a filter to a function, and to the bytes that every match must hold
batch_scan       which records of a batch match; the batch that holds only those
scan             a range of a log, batch by batch, within bounds
source           in front of a log: scans in threads, answers with bytes or a slice
view_partition   a partition of a view: its source's, read through a filter
views            which views there are, as the image says
"""

"""Dedup by id: a record whose id is in the partition's log already, and not too old, is left out (docs/adr/0085)."""

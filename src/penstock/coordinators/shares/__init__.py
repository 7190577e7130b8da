"""The state of share groups: which records of a partition are done (KIP-932)."""

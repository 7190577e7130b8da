"""Share groups (KIP-932): whose members read the same partitions side by side, record by record."""

"""What share groups give up goes to dead-letter topics, each record exactly once (KIP-1191)."""

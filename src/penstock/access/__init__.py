"""Who asks, and what they may do: principals and rights."""

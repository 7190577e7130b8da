"""What groups have in common whose members the broker assigns: consumer groups and share groups."""

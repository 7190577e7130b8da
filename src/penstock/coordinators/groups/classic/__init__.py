"""Groups of the classic protocol, whose members assign by themselves, and groups that only ever commit."""

"""State kept in internal topics: groups with their offsets, and transactions, as machines behind one runtime."""

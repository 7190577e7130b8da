"""How each message is read and written, by version: one generated module a message, imported at its first use."""

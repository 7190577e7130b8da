"""How each message is read and written, by version: one generated module a message, imported at its first use.

Straight-line functions for what is sent often, a table of the fields (penstock.wire.tables) for the rest.
"""

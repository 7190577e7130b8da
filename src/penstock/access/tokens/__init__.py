"""Delegation tokens: logins of a limited life that act for their owner. They are entries of the metadata store."""

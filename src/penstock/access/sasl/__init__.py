"""Logging in: what is said between a client and this broker until it is known who asks. Without I/O."""

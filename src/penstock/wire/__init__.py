"""Kafka bytes to values and back. Pure: no sockets, no files, no clock."""

"""Kafka bytes to values and back. Pure: no sockets, no files, no clock."""

from penstock.wire.malformed import Malformed, Unencodable

__all__ = ["Malformed", "Unencodable"]

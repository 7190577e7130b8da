"""Commands are run in this process here."""

from tests.support.process_logs import logging_as_before

__all__ = ["logging_as_before"]

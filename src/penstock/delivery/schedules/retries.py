"""How often a record is tried again by a group, when, and what becomes of it then. Pure.

A consumer produces what it failed on to a retry topic of its group, with the headers that it has. The broker counts
in `penstock-attempt`, which retry it is: nothing else of a former journey has a say.
"""

from typing import Final

import msgspec

from penstock.delivery.relay.batches import moved
from penstock.wire.records import Header, Record

ATTEMPT: Final = "penstock-attempt"
ATTEMPTS_MAX: Final = 1_000_000
DLQ: Final = "__dlq.errors."
_SPREAD: Final = 2_654_435_761
"""Of neighbouring offsets it makes fractions that are far apart."""


class RetryRules(msgspec.Struct, frozen=True):
    """A group's."""

    group: str
    attempts_max: int = 5
    backoff_ms: int = 1_000
    multiplier: float = 2.0
    backoff_max_ms: int = 300_000
    jitter: float = 0.2

    def attempt(self, record: Record) -> int:
        """Which retry this will be, from 1 on. ValueError for a count that is none."""
        found = [value for name, value in record.headers if name == ATTEMPT]
        if not found:
            return 1
        text = (found[-1] or b"").decode(errors="replace")
        if not text.isascii() or not text.isdigit() or len(text) > 7 or int(text) > ATTEMPTS_MAX:
            raise ValueError(f"{ATTEMPT} is how often the record was tried again, not {text[:100]!r}")
        return int(text) + 1

    def is_given_up(self, record: Record) -> bool:
        return self.attempt(record) > self.attempts_max

    def delay_ms(self, record: Record) -> int:
        """The same whenever it is asked, as what waits is a function of the log."""
        attempt = self.attempt(record)
        if attempt > self.attempts_max:
            return 0
        # More doublings than that are beyond every longest wait.
        wait_ms = min(self.backoff_ms * self.multiplier ** min(attempt - 1, 64), self.backoff_max_ms)
        part = (record.offset * _SPREAD & 0xFFFFFFFF) / 0xFFFFFFFF
        return min(int(wait_ms * (1 + self.jitter * (2 * part - 1))), self.backoff_max_ms)


def retried(record: Record, headers: list[Header], rules: RetryRules) -> Record:
    """`headers`: all but the count."""
    return moved(record, [*headers, (ATTEMPT, b"%d" % rules.attempt(record))])


def dead_letter(record: Record, headers: list[Header], rules: RetryRules, *, topic: str, partition: int) -> Record:
    """With the six headers of KIP-1191. The place that they name is the retry topic: who sends the record there again
    has it tried by this group again, and by no other.
    """
    attempts = rules.attempt(record) - 1
    said = {
        "topic": topic,
        "partition": str(partition),
        "offset": str(record.offset),
        "group": rules.group,
        "message": f"Tried again {attempts} times.",
        "delivery.count": str(attempts + 1),
    }
    return moved(record, [*headers, *((DLQ + name, value.encode()) for name, value in said.items())])

"""Regular expressions that clients send: topics to subscribe to (KIP-848), transactional ids to list (KIP-1152).

They are in RE2's syntax, which has nothing that needs going back over a text, and are matched by RE2 itself. A pattern
matches a name as a whole, as in Apache Kafka.

Three bounds keep the work small whatever a client sends: the text is short (looked at before anything else), its
expanded size is small (`pattern_size`), and RE2 has a budget of memory. With these, the worst pattern that a search for
it found took 4 ms to compile and 5 ms to match one topic name. RE2 holds Python's lock while it compiles and lets go of
it while it matches, so compiling may happen on the loop, and many names are matched in a thread.
"""

from functools import cache, lru_cache
from typing import Any

from penstock.coordinators.pattern_size import expanded_size
from penstock.errors import InvalidRegularExpression

LENGTH_MAX = 4_096
"""In characters. librdkafka joins all patterns of a subscription into one, so this is room for a hundred or so."""
EXPANDED_SIZE_MAX = 5_000
MEMORY_MAX_BYTES = 512 * 1024
"""For one pattern, the states it remembers included; without memory to spare, RE2 matches more slowly."""
KEPT_MAX = 128
"""Compiled patterns that are kept at hand, as many as the re2 package keeps for its part."""


class TopicPattern:
    def __init__(self, text: str) -> None:
        """Prefer `compile_pattern`, which keeps what it compiled. Raises InvalidRegularExpression."""
        self.text = text
        if len(text) > LENGTH_MAX:
            raise _refusal(f"{text[:40]}...", f"it has {len(text)} characters, of at most {LENGTH_MAX}")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise _refusal(ascii(text), "it is not Unicode text") from None
        if (size := expanded_size(text)) > EXPANDED_SIZE_MAX:
            raise _refusal(text, f"with its repetitions written out its size is {size}, of at most {EXPANDED_SIZE_MAX}")
        re2, options = _library()
        try:
            self._compiled = re2.compile(text, options)
        except re2.error as refused:
            raise _refusal(text, _reason(refused)) from None

    def matches(self, name: str) -> bool:
        """Whether the whole name fits. The work grows with the name's length: those of topics have 249 at most."""
        return self._compiled.fullmatch(name) is not None


@lru_cache(maxsize=KEPT_MAX)
def compile_pattern(text: str) -> TopicPattern:
    """Raises InvalidRegularExpression for what RE2 does not know and for what would be too much work."""
    return TopicPattern(text)


@cache
def _library() -> tuple[Any, Any]:
    """RE2, and the options for it: loaded with the first pattern, as most brokers see none and it takes 3 MB."""
    import re2  # noqa: PLC0415

    options = re2.Options()
    options.max_mem = MEMORY_MAX_BYTES
    options.never_capture = True
    options.log_errors = False
    return re2, options


def _reason(refused: Exception) -> str:
    [reason] = refused.args
    return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)


def _refusal(text: str, reason: str) -> InvalidRegularExpression:
    return InvalidRegularExpression(f"`{text}` is not a valid regular expression: {reason}.")

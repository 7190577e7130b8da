"""Says what was denied. A client that is denied asks again and again: the lines of a minute have an end, the count has
none.
"""

from collections.abc import Callable
from typing import Final

import structlog

from penstock.access.metrics import AuthorizerMetrics
from penstock.access.rights import Right
from penstock.access.subject import Subject
from penstock.model import Clock

LINES_A_MINUTE: Final = 60
NAME_SHOWN_MAX: Final = 256

_log = structlog.get_logger(__name__)


class Denials:
    def __init__(self, clock: Clock | None, metrics: AuthorizerMetrics) -> None:
        self._clock = clock
        self._metrics = metrics
        self._minute = -1
        self._lines = 0
        self._untold = 0
        self.observer: Callable[[Subject, Right, str], None] | None = None
        """Told of each that was not let through."""

    def tell(self, subject: Subject, right: Right, name: str, *, is_dry_run: bool) -> None:
        if is_dry_run:
            self._metrics.would_be_denied += 1
        else:
            self._metrics.denied += 1
            if self.observer is not None:
                self.observer(subject, right, name)
        if not self._has_a_line_left():
            self._untold += 1
            return
        untold, self._untold = self._untold, 0
        _log.warning(
            "access denied",
            let_through=is_dry_run,
            principal=str(subject.principal),
            host=subject.host,
            operation=right.operation.name,
            resource=right.on.name,
            name=name[:NAME_SHOWN_MAX],
            **({"untold_before": untold} if untold else {}),
        )

    def _has_a_line_left(self) -> bool:
        minute = 0 if self._clock is None else int(self._clock.monotonic() // 60)
        if minute != self._minute:
            self._minute, self._lines = minute, 0
        self._lines += 1
        return self._lines <= LINES_A_MINUTE

"""Says what was denied. A client that is denied asks again and again: the lines of a minute have an end, the count has
none.
"""

from collections.abc import Callable
from typing import Final

import structlog

from penstock.access.few_lines import FewLines
from penstock.access.metrics import AuthorizerMetrics
from penstock.access.rights import Right
from penstock.access.subject import Subject
from penstock.model import Clock

NAME_SHOWN_MAX: Final = 256

_log = structlog.get_logger(__name__)


class Denials:
    def __init__(self, clock: Clock | None, metrics: AuthorizerMetrics) -> None:
        self._lines = FewLines(clock)
        self._metrics = metrics
        self.observer: Callable[[Subject, Right, str], None] | None = None
        """Told of each that was not let through."""

    def tell(self, subject: Subject, right: Right, name: str, *, is_dry_run: bool) -> None:
        if is_dry_run:
            self._metrics.would_be_denied += 1
        else:
            self._metrics.denied += 1
            if self.observer is not None:
                self.observer(subject, right, name)
        besides = self._lines.next()
        if besides is None:
            return
        _log.warning(
            "access denied",
            let_through=is_dry_run,
            principal=str(subject.principal),
            host=subject.host,
            operation=right.operation.name,
            resource=right.on.name,
            name=name[:NAME_SHOWN_MAX],
            **besides,
        )

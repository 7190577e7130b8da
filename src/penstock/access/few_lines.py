"""Lines in the log that strangers cause, of which a minute has so many: a log that anybody can fill is no log."""

from typing import Final

from penstock.model import Clock

LINES_A_MINUTE: Final = 60


class FewLines:
    def __init__(self, clock: Clock | None = None) -> None:
        """Without a clock there is one minute."""
        self._clock = clock
        self._minute = -1
        self._told = 0
        self._untold = 0

    def next(self) -> dict[str, int] | None:
        """Whether this may be told, and what is told with it: how many before it were not."""
        minute = 0 if self._clock is None else int(self._clock.monotonic() // 60)
        if minute != self._minute:
            self._minute, self._told = minute, 0
        if self._told >= LINES_A_MINUTE:
            self._untold += 1
            return None
        self._told += 1
        untold, self._untold = self._untold, 0
        return {"untold_before": untold} if untold else {}

"""Looks at the records of a schedule topic before their append: whether each says a time that it may say."""

from collections.abc import Callable
from typing import Final

from penstock.delivery.schedules.plan import Delay, Plan, read
from penstock.errors import PolicyViolation
from penstock.model import Clock
from penstock.replication import RecordsRefused
from penstock.settings import TopicConfig
from penstock.settings import topic as settings
from penstock.wire.records import iterate

REASONS_MAX: Final = 1_000
"""Records of which an answer tells what is wrong."""


class Inspector:
    def __init__(
        self,
        config: TopicConfig,
        clock: Clock,
        *,
        delay_of: Callable[[TopicConfig], Delay],
        waiting: Callable[[], int],
        floor: Callable[[], int],
    ) -> None:
        self._delay_of = delay_of
        self._config = config
        self._clock = clock
        self._waiting = waiting
        self._floor = floor

    def inspect(self, view: memoryview, *, stamped_ms: int | None) -> None:
        config = self._config
        delay = self._delay_of(config)
        latest_ms = self._clock.now() + config[settings.PENSTOCK_SCHEDULE_MAX_MS]
        wrong: list[tuple[int, str]] = []
        planned = 0
        for index, record in enumerate(iterate(view)):
            try:
                plan = read(record, delay=delay, stamped_ms=stamped_ms)
            except ValueError as problem:
                wrong.append((index, str(problem)))
                continue
            if isinstance(plan, Plan):
                planned += 1
                if plan.due_ms > latest_ms:
                    raise PolicyViolation(
                        f"record {index} is due later than penstock.schedule.max.ms"
                        f" ({config[settings.PENSTOCK_SCHEDULE_MAX_MS]}) allows"
                    )
        if wrong:
            index, problem_text = wrong[0]
            raise RecordsRefused(f"record {index}: {problem_text}", wrong[:REASONS_MAX])
        waiting_max = config[settings.PENSTOCK_SCHEDULE_WAITING_MAX]
        if planned and self._waiting() + planned > waiting_max:
            raise PolicyViolation(f"penstock.schedule.waiting.max ({waiting_max}) records wait in the partition")

    def check_deletion(self, before: int) -> None:
        floor = self._floor()
        if before > floor:
            raise PolicyViolation(f"the record at offset {floor} waits for its time: cancel it first")

"""One phase of a run: warm both sides, load them in turns, collect every value."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks import processes
from benchmarks.brokers import Broker, Subject, pids
from benchmarks.figures import Better, Figure, Pick, agree
from benchmarks.loadgen import LoadDriver, LoadFailed
from benchmarks.plan import Phase, within
from benchmarks.workloads import OneRecordRequests, Side, Values

Say = Callable[[str], None]

START_FIGURES = [
    Figure("start.first_ack", "start to first acknowledged record", "s", Better.LOWER, bar=0.1, limit=0.4),
]
# Interrupts and the disk take a few percent on a quiet machine.
_OTHERS_SHARE_MAX = 0.10
_MEASURED_SHARE_MIN = 0.6
"""Of the time allowed: what warming up must leave for the rounds that count."""
_NOT_IN_A_HURRY = ("small", "lz4", "zstd", "brisk", "txns")
"""What a quick run does not warm up: mostly what other workloads warm as well."""
_QUICKLY = {"b:retry.backoff.ms": 10, "b:reconnect.backoff.ms": 10, "p:topic.metadata.refresh.fast.interval.ms": 10}


def memory_figures(phase: Phase) -> list[Figure]:
    def of(key: str, title: str, unit: str, bar: float | None = None) -> Figure:
        return Figure(f"{phase.prefix}{key}", title, unit, Better.LOWER, Pick.MEDIAN, bar)

    return [
        of("rest.rss", "memory at rest (RSS)", "MB", phase.rest_bar),
        of("rest.pss", "memory at rest (PSS)", "MB"),
        of("loaded.rss", "memory after load (RSS)", "MB", phase.loaded_bar),
        of("loaded.pss", "memory after load (PSS)", "MB"),
        of("rest.cpu", "CPU at rest", "ms/s"),
    ]


@dataclass(slots=True)
class Collected:
    """Every value of every round, by broker name and figure."""

    values: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warm_rounds: dict[str, int] = field(default_factory=dict)

    def add(self, broker: str, values: Values) -> None:
        mine = self.values.setdefault(broker, {})
        for key, value in values.items():
            mine.setdefault(key, []).append(value)


class Run:
    def __init__(
        self, phase: Phase, driver: LoadDriver, say: Say, *, touch_bytes: int = 0, collected: Collected | None = None
    ) -> None:
        self._phase = phase
        self._driver = driver
        self.say = say
        self._touch_bytes = touch_bytes
        self._began = time.monotonic()
        self._of = f"{phase.of}: " if phase.of else ""
        self.collected = collected or Collected()
        self._beside: Mapping[str, Sequence[str]] = {}

    def start(self, broker: Broker) -> None:
        """Start a broker, counting from before its process exists to its first acknowledged record."""
        broker.prepare()
        waiting = self._driver.start("first-ack", "-b", broker.bootstrap, settings=_QUICKLY, timeout_s=60)
        try:
            began_ns = time.monotonic_ns()
            broker.start()
            done = waiting.finish(90)
        except LoadFailed as failure:
            raise LoadFailed(f"{broker.name} did not start: {failure}\n{broker.last_words()}") from None
        finally:
            waiting.stop()
        first_ack_s = (done["acknowledged_ns"] - began_ns) / 1e9
        cpu_s = processes.running_seconds(broker.pid)
        self.collected.add(broker.name, {"start.first_ack": first_ack_s, "start.cpu_s": cpu_s})
        self.say(f"{broker.name}: first acknowledged record after {first_ack_s:.2f} s, {cpu_s:.2f} s of CPU")

    def whole(self, subjects: Sequence[Subject], beside: Mapping[str, Sequence[str]] | None = None) -> None:
        """All that is measured on brokers that are up; of those named in `beside` the workloads with these keys."""
        self._beside = beside or {}
        for subject in subjects:
            self._warm(subject, subjects)
        self._choose_rates([each for each in subjects if each.name not in self._beside], subjects)
        self._in_turns(subjects)
        self._note_others()
        for subject in subjects:
            self._note_memory(subject, "loaded")

    def rest(self, subject: Subject) -> None:
        """What a broker takes when nobody asks anything of it."""
        time.sleep(self._phase.rest_s)
        cpu = processes.running_seconds(*pids(subject))
        time.sleep(self._phase.rest_s)
        used = (processes.running_seconds(*pids(subject)) - cpu) / self._phase.rest_s * 1000
        self._note_memory(subject, "rest")
        self.collected.add(subject.name, {f"{self._phase.prefix}rest.cpu": used})

    def _warm(self, subject: Subject, everyone: Sequence[Subject]) -> None:
        """Whole rounds until two in a row cost the same: an unwarmed JVM costs two or three times as much."""
        if not subject.compiles_as_it_runs:
            if not self._phase.is_hurried:
                self._round(subject, everyone, "warm-up")
            return
        earlier: Values = {}
        for number in range(1, self._phase.warm_rounds_max + 1):
            costs = self._costs(self._round(subject, everyone, "warm-up"))
            self.collected.warm_rounds[f"{self._phase.prefix}{subject.name}"] = number
            if number > self._phase.warm_rounds_min and agree(earlier, costs, within=self._phase.warm_within):
                return
            earlier = costs
            if self._left_s() < self._phase.budget_s * _MEASURED_SHARE_MIN:
                break
        self.collected.notes.append(f"{self._of}{subject.name} was still changing after {number} warm-up rounds")

    def _choose_rates(self, compared: Sequence[Subject], everyone: Sequence[Subject]) -> None:
        """Latency is compared where both keep up: at half of what the slower one takes in requests of one record, as
        those of a fixed rate are. Beyond that a figure says how long a queue was, not how fast a broker is.
        """
        pilot = next((each for each in self._phase.workloads if isinstance(each, OneRecordRequests)), None)
        if pilot is None:
            return
        takes = {each.name: pilot.run(self._side(each, everyone))[f"{pilot.key}.requests_s"] for each in compared}
        slower = min(takes, key=lambda name: takes[name])
        chosen, notes = within(self._phase.workloads, takes[slower] / 2)
        self._phase.workloads[:] = chosen
        for note in notes:
            self.collected.notes.append(
                f"{self._of}{note}, half of what {slower} takes in requests of one record ({takes[slower]:,.0f}/s)"
            )

    def _in_turns(self, subjects: Sequence[Subject]) -> None:
        """The measured rounds: each workload on one side, then on the other, the order swapped every round."""
        longest_s = 0.0
        for number in range(self._phase.rounds):
            began = time.monotonic()
            if number and self._left_s() < longest_s * 1.1:
                fitted = f"only {number} of {self._phase.rounds} rounds fitted into the time allowed"
                self.collected.notes.append(f"{self._of}{fitted}")
                return
            order = list(subjects) if number % 2 == 0 else list(reversed(subjects))
            for workload in self._phase.workloads:
                for subject in order:
                    if workload.key not in self._beside.get(subject.name, (workload.key,)):
                        continue
                    values = workload.run(self._side(subject, subjects))
                    self.collected.add(subject.name, values)
                    self._tell(subject, f"round {number + 1}", values)
            longest_s = max(longest_s, time.monotonic() - began)

    def figures(self) -> list[Figure]:
        return [figure for w in self._phase.workloads for figure in w.figures()] + memory_figures(self._phase)

    def _round(self, subject: Subject, everyone: Sequence[Subject], what: str) -> Values:
        values: Values = {}
        for workload in self._phase.workloads:
            if self._phase.is_hurried and workload.key in _NOT_IN_A_HURRY:
                continue
            if workload.key not in self._beside.get(subject.name, (workload.key,)):
                continue
            measured = workload.run(self._side(subject, everyone))
            self._tell(subject, what, measured)
            values.update(measured)
        return values

    def _costs(self, values: Values) -> Values:
        return {key: value for key, value in values.items() if key.endswith("cpu")}

    def _side(self, subject: Subject, everyone: Sequence[Subject]) -> Side:
        return Side(subject, self._driver, self._touch_bytes, everyone)

    def _left_s(self) -> float:
        return self._phase.budget_s - (time.monotonic() - self._began)

    def _note_others(self) -> None:
        figures = [figure for mine in self.collected.values.values() for figure in mine.items()]
        shares = [
            share
            for key, values in figures
            if key.endswith("others") and key.startswith("three.") == bool(self._phase.prefix)
            for share in values
        ]
        if shares and median(shares) > _OTHERS_SHARE_MAX:
            self.collected.notes.append(
                f"{self._of}{median(shares):.0%} of the CPU time went to neither broker nor client"
            )

    def _note_memory(self, subject: Subject, when: str) -> None:
        key = f"{self._phase.prefix}{when}"
        used = processes.memory(*pids(subject))
        self.collected.add(subject.name, {f"{key}.rss": used.rss_mb, f"{key}.pss": used.pss_mb})
        for part, mine in subject.parts.items():
            if part != "brokers":
                used = processes.memory(*mine)
                self.collected.add(subject.name, {f"{key}.rss_{part}": used.rss_mb, f"{key}.pss_{part}": used.pss_mb})

    def _tell(self, subject: Subject, what: str, values: Values) -> None:
        shown = ", ".join(f"{key} {value:.4g}" for key, value in values.items() if "ack_" not in key)
        self.say(f"{subject.name} {what}: {shown}")

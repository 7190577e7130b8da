"""One run: start both brokers, warm them, load them in turns, collect every value."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks import processes
from benchmarks.brokers import Broker
from benchmarks.figures import Better, Figure, Pick, agree
from benchmarks.loadgen import LoadDriver, LoadFailed
from benchmarks.plan import Plan
from benchmarks.workloads import Side, Values

Say = Callable[[str], None]

START_FIGURES = [
    Figure("start.first_ack", "start to first acknowledged record", "s", Better.LOWER, bar=0.1),
]
MEMORY_FIGURES = [
    Figure("rest.rss", "memory at rest (RSS)", "MB", Better.LOWER, Pick.MEDIAN, bar=0.12),
    Figure("rest.pss", "memory at rest (PSS)", "MB", Better.LOWER, Pick.MEDIAN),
    Figure("loaded.rss", "memory after load (RSS)", "MB", Better.LOWER, Pick.MEDIAN, bar=0.10),
    Figure("loaded.pss", "memory after load (PSS)", "MB", Better.LOWER, Pick.MEDIAN),
    Figure("rest.cpu", "CPU at rest", "ms/s", Better.LOWER, Pick.MEDIAN),
]
# Interrupts and the disk take a few percent on a quiet machine.
_OTHERS_SHARE_MAX = 0.10
_QUICKLY = {"b:retry.backoff.ms": 10, "b:reconnect.backoff.ms": 10, "p:topic.metadata.refresh.fast.interval.ms": 10}


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
    def __init__(self, plan: Plan, driver: LoadDriver, say: Say) -> None:
        self._plan = plan
        self._driver = driver
        self.say = say
        self._began = time.monotonic()
        self.collected = Collected()

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
        self.collected.add(broker.name, {"start.first_ack": first_ack_s})
        self.say(f"{broker.name}: first acknowledged record after {first_ack_s:.2f} s")

    def whole(self, brokers: Sequence[Broker]) -> None:
        """All that is measured on brokers that are up."""
        for broker in brokers:
            self.warm(broker)
        self.in_turns(brokers)
        self._note_others()
        for broker in brokers:
            self._note_memory(broker, "loaded")

    def rest(self, broker: Broker) -> None:
        """What a broker takes when nobody asks anything of it."""
        time.sleep(self._plan.rest_s)
        cpu = processes.cpu_seconds(broker.pid)
        time.sleep(self._plan.rest_s)
        used = (processes.cpu_seconds(broker.pid) - cpu) / self._plan.rest_s * 1000
        self._note_memory(broker, "rest")
        self.collected.add(broker.name, {"rest.cpu": used})

    def warm(self, broker: Broker) -> None:
        """Whole rounds until two in a row cost the same: an unwarmed JVM costs two or three times as much."""
        if not broker.compiles_as_it_runs:
            self._round(broker, "warm-up")
            return
        earlier: Values = {}
        for number in range(1, self._plan.warm_rounds_max + 1):
            costs = self._costs(self._round(broker, "warm-up"))
            self.collected.warm_rounds[broker.name] = number
            if number > self._plan.warm_rounds_min and agree(earlier, costs, within=self._plan.warm_within):
                return
            earlier = costs
        self.collected.notes.append(
            f"{broker.name} was still changing after {self._plan.warm_rounds_max} warm-up rounds"
        )

    def in_turns(self, brokers: Sequence[Broker]) -> None:
        """The measured rounds: each workload on one broker, then on the other, the order swapped every round."""
        longest_s = 0.0
        for number in range(self._plan.rounds):
            began = time.monotonic()
            if number and self._left_s() < longest_s * 1.1:
                self.collected.notes.append(f"only {number} of {self._plan.rounds} rounds fitted into the time allowed")
                return
            order = list(brokers) if number % 2 == 0 else list(reversed(brokers))
            for workload in self._plan.workloads:
                for broker in order:
                    values = workload.run(self._side(broker))
                    self.collected.add(broker.name, values)
                    self._tell(broker, f"round {number + 1}", values)
            longest_s = max(longest_s, time.monotonic() - began)

    def figures(self) -> list[Figure]:
        return [figure for w in self._plan.workloads for figure in w.figures()] + START_FIGURES + MEMORY_FIGURES

    def _round(self, broker: Broker, what: str) -> Values:
        values: Values = {}
        for workload in self._plan.workloads:
            measured = workload.run(self._side(broker))
            self._tell(broker, what, measured)
            values.update(measured)
        return values

    def _costs(self, values: Values) -> Values:
        return {key: value for key, value in values.items() if key.endswith("cpu")}

    def _side(self, broker: Broker) -> Side:
        return Side(broker, self._driver, self._plan.touch_bytes)

    def _left_s(self) -> float:
        return self._plan.budget_s - (time.monotonic() - self._began)

    def _note_others(self) -> None:
        figures = [figure for mine in self.collected.values.values() for figure in mine.items()]
        shares = [share for key, values in figures if key.endswith("others") for share in values]
        if shares and median(shares) > _OTHERS_SHARE_MAX:
            self.collected.notes.append(f"{median(shares):.0%} of the CPU time went to neither broker nor client")

    def _note_memory(self, broker: Broker, when: str) -> None:
        used = processes.memory(broker.pid)
        self.collected.add(broker.name, {f"{when}.rss": used.rss_mb, f"{when}.pss": used.pss_mb})

    def _tell(self, broker: Broker, what: str, values: Values) -> None:
        shown = ", ".join(f"{key} {value:.4g}" for key, value in values.items() if "ack_" not in key)
        self.say(f"{broker.name} {what}: {shown}")

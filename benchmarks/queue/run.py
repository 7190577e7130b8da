"""One run: the queues that can be had are started, warmed and loaded in turns."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.brokers import ApacheKafka, Broker, Penstock
from benchmarks.loadgen import LoadDriver, LoadFailed
from benchmarks.queue.cases import Plan, Program
from benchmarks.queue.loads import Load, Side
from benchmarks.queue.peers import Nats, RabbitMq, not_to_be_had, versions, wait_until_ready
from benchmarks.queue.rows import KAFKA, NATS, PENSTOCK, RABBITMQ, SYNCED, Row
from benchmarks.rounds import Collected, Say

IN_MEMORY = "page cache"
SYNCS: Mapping[str, str] = {
    KAFKA: IN_MEMORY,
    PENSTOCK: IN_MEMORY,
    NATS: f"{IN_MEMORY} (sync_interval 2m)",
    RABBITMQ: "fdatasync of its WAL (quorum)",
    SYNCED: "fdatasync (penstock.flush.before.ack)",
}
# A lone Kafka cannot have the three replicas that it wants of its own topics.
_LONE_KAFKA: Mapping[str, str | int] = {
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.min.isr": 1,
}


_MEASURED_ONLY = ("views", "backoff")
"""Of Penstock alone, which needs no warming."""


@dataclass(frozen=True, slots=True)
class Places:
    folder: Path
    jars: Path
    servers: Path
    penstock: Path


class QueueBench:
    def __init__(self, plan: Plan, places: Places, driver: LoadDriver, plain: LoadDriver, say: Say) -> None:
        self.collected = Collected()
        self._plan = plan
        self._places = places
        self._driver = driver
        self._plain = plain
        self._say = say
        self._began = time.monotonic()

    def whole(self) -> list[Row]:
        with ExitStack() as stack:
            sides = [self._started(broker, stack) for broker in self._brokers()]
            longest_s = 0.0
            for number in range(self._plan.warm_rounds):
                warmed = [side for side in sides if side.broker.compiles_as_it_runs] if number else sides
                longest_s = max(longest_s, self._round(warmed, f"warm-up {number + 1}", keeps=False))
            for number in range(self._plan.rounds):
                if number and self._left_s() < longest_s * 1.1:
                    self.note(f"only {number} of {self._plan.rounds} rounds fitted into the time allowed")
                    break
                order = sides if number % 2 == 0 else sides[::-1]
                longest_s = max(longest_s, self._round(order, f"round {number + 1}", keeps=True))
        self.note(f"load average {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores at the end")
        for program in self._plan.programs:
            self._program(program)
        for missing in self._plan.missing:
            self.note(f"nothing measures this yet: {missing.title}")
        return [row for load in self._plan.loads for row in load.rows()] + [
            row for program in self._plan.programs for row in program.rows
        ]

    def note(self, text: str) -> None:
        self.collected.notes.append(text)
        self._say(text)

    def titles(self) -> dict[str, str]:
        found = versions(self._places.servers)
        nats, rabbitmq = f"NATS {found.get('nats-server', '')}", f"RabbitMQ {found.get('rabbitmq-server', '')}"
        return {
            KAFKA: ApacheKafka.title,
            PENSTOCK: "Penstock",
            SYNCED: "Penstock, synced",
            NATS: nats,
            RABBITMQ: rabbitmq,
        }

    def _brokers(self) -> list[Broker]:
        places, root = self._places, self._places.folder

        def folder(name: str) -> Path:
            made = root / name.replace(", ", "-")
            made.mkdir()
            return made

        brokers: list[Broker] = [
            ApacheKafka(KAFKA, folder(KAFKA), places.jars, settings=_LONE_KAFKA),
            Penstock(PENSTOCK, folder(PENSTOCK), places.penstock),
            Penstock(SYNCED, folder(SYNCED), places.penstock, {"penstock.flush.before.ack": "true"}),
        ]
        missing = not_to_be_had(places.servers)
        for name, why in missing.items():
            self.note(f"without {name}: {why}")
        if "nats" not in missing:
            brokers.append(Nats(NATS, folder(NATS), places.servers))
        if "rabbitmq" not in missing:
            brokers.append(RabbitMq(RABBITMQ, folder(RABBITMQ), places.servers))
        wanted = {side for load in self._plan.loads for side in load.sides}
        return [broker for broker in brokers if broker.name in wanted]

    def _started(self, broker: Broker, stack: ExitStack) -> Side:
        broker.prepare()
        stack.callback(broker.kill)
        broker.start()
        wait_until_ready(broker)
        self._say(f"{broker.name}: up; kept when it answers: {SYNCS[broker.name]}")
        return Side(broker, self._driver, self._plain, self._places.jars, {})

    def _round(self, sides: Sequence[Side], what: str, *, keeps: bool) -> float:
        """How long it took."""
        began = time.monotonic()
        for load in self._plan.loads:
            for side in sides:
                if side.broker.name in load.sides and (keeps or load.key not in _MEASURED_ONLY):
                    self._one(load, side, what, keeps=keeps)
        return time.monotonic() - began

    def _one(self, load: Load, side: Side, what: str, *, keeps: bool) -> None:
        try:
            values = load.run(side)
        except (LoadFailed, RuntimeError, subprocess.SubprocessError) as failure:
            self.note(f"{what}: {side.broker.name} did not get through {load.key}: {str(failure)[-300:]}")
            return
        if keeps:
            self.collected.add(side.broker.name, values)
        self._say(f"{side.broker.name} {what}: " + ", ".join(f"{key} {value:.4g}" for key, value in values.items()))

    def _program(self, program: Program) -> None:
        done = subprocess.run(
            [sys.executable, *program.arguments], capture_output=True, text=True, timeout=program.timeout_s, check=False
        )
        if done.returncode:
            self.note(f"{program.key} gave no figures: {done.stderr.strip()[-300:]}")
            return
        values = program.values(json.loads(done.stdout.splitlines()[-1]))
        self.collected.add(PENSTOCK, values)
        self._say(f"{program.key}: " + ", ".join(f"{key} {value:.4g}" for key, value in values.items()))

    def _left_s(self) -> float:
        return self._plan.budget_s - (time.monotonic() - self._began)


def chosen(plan: Plan, only: Sequence[str]) -> Plan:
    """The plan with nothing but the loads and programs of these keys."""
    if not only:
        return plan
    loads = tuple(load for load in plan.loads if load.key in only)
    programs = tuple(program for program in plan.programs if program.key.partition(".")[0] in only)
    return replace(plan, loads=loads, programs=programs)

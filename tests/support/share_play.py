"""A share partition with back-off, a wide window and an order by key, played from a seed: its leaders, which move; what
they write, which may be refused, or done without an answer; members that fail, leave and let their time run out; clocks
that are set; a log that grows, and is cut at its beginning.

What is kept is kept by the real machine of the share coordinator. `Watch` knows what may happen and looks at it.
"""

import random
from typing import Any

from tests.support.share_machine import KEY, ShareWorld, initialize

from penstock.coordinators.shares import commands
from penstock.coordinators.shares.progress import Progress
from penstock.coordinators.shares.state import ShareLimits
from penstock.coordinators.shares.states import StateBatch
from penstock.delivery.shares.acquiring import BatchSpan, Wanted
from penstock.delivery.shares.archiving import archived, kept_batch, waiting
from penstock.delivery.shares.backoff import STEPS, Backoff
from penstock.delivery.shares.bugs import ALL_HELD_WELL, HoldingBugs
from penstock.delivery.shares.key_order import KeyedBatch
from penstock.delivery.shares.machine import SharePartitionMachine
from penstock.delivery.shares.ranges import ACQUIRED, BACKING_OFF, BLOCKED, DONE, Row, Step
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.settling import ACCEPT, REJECT, RELEASE, Said

MEMBERS = ("m1", "m2", "m3")
BATCH_MAX = 6
BACKOFF = Backoff(1_000, multiplier=2.0, max_ms=5_000, jitter=0.2)
WAIT_MIN_S = {count: min(0.8 * 2 ** (count - 1), 5.0) for count in range(1, 20)}
WAIT_MAX_S = 5.0 * (1 + 1 / STEPS)
CLOCK_STEPS_MS = (-3_600_000, -3_000, 3_000, 3_600_000)


class Log:
    def __init__(self) -> None:
        self.batches: list[BatchSpan] = []
        self.keys: dict[int, bytes | None] = {}
        self.start = self.end = 0

    def append(self, dice: random.Random) -> None:
        """Now and then with a gap, within the batch or before it, as compaction leaves them."""
        first = self.end + dice.choice((0, 0, 0, 0, 3))
        last = first + dice.randrange(BATCH_MAX)
        for offset in range(first, last + 1):
            if dice.random() > 0.1:
                self.keys[offset] = dice.choice((b"a", b"a", b"b", b"c", b"%d" % offset, None))
        self.batches.append(BatchSpan(first, last))
        self.end = last + 1

    def cut(self, offset: int) -> None:
        self.start = offset
        self.batches = [batch for batch in self.batches if batch.last >= offset]
        self.keys = {each: key for each, key in self.keys.items() if each >= offset}

    def read(self, offset: int, most: int) -> list[BatchSpan]:
        return [batch for batch in self.batches if batch.last >= offset][:most]

    def keyed(self, batch: BatchSpan) -> KeyedBatch:
        there = [(each, self.keys[each]) for each in range(batch.first, batch.last + 1) if each in self.keys]
        return KeyedBatch(batch.first, batch.last, there)


class Watch:
    """What was promised of each record, and whether it is kept."""

    def __init__(self, log: Log, world: ShareWorld) -> None:
        self._log = log
        self._world = world
        self.given: dict[int, tuple[int, str]] = {}
        """How often, and to whom last."""
        self.accepted: set[int] = set()
        self.waits: dict[int, tuple[int, float]] = {}
        """After which delivery a record waits, and until when at least; steady time of this leader."""
        self.wall_waits: dict[int, tuple[int, float]] = {}
        """The same in wall time, of what was told to be kept."""
        self.seen: set[str] = set()
        """What was dealt out: a play without it proves nothing."""

    def kept(self) -> tuple[int, dict[int, StateBatch]]:
        state = self._world.machine.states[KEY]
        rows = {n: row for row in state.ranges for n in range(row.first_offset, row.last_offset + 1)}
        return max(state.progress.start_offset, 0), rows

    def give(self, offset: int, count: int, member: str, now: float, *, by_key: bool) -> None:
        assert offset not in self.accepted, f"{offset} was accepted, and is given out again"
        if (waits := self.waits.pop(offset, None)) is not None and waits[0] == count - 1:
            assert now >= waits[1] - 0.002, f"{offset} waits until {waits[1]}, and is given out at {now}"
        if by_key:
            self._require_turn(offset)
        self.given[offset] = count, member

    def _require_turn(self, offset: int) -> None:
        """K1 and K2: all before it with its key are done, and that is kept."""
        assert offset in self._log.keys, f"{offset} is not there, and is given out"
        key = self._log.keys[offset]
        start, kept = self.kept()
        for former, its_key in self._log.keys.items():
            if key is not None and its_key == key and start <= former < offset:
                is_done = former in kept and kept[former].delivery_state in DONE
                assert is_done, f"{offset} is given out before {former} is done, which has its key"

    def lead(self, now: float, wall_ms: int) -> None:
        """Another leader: of waits it knows what was kept."""
        self.waits = {
            offset: (count, now + min((until_ms - wall_ms) / 1000, WAIT_MAX_S))
            for offset, (count, until_ms) in self.wall_waits.items()
            if until_ms > wall_ms
        }
        if self.waits:
            self.seen.add("waits of a former leader")

    def look(self, machine: SharePartitionMachine, rules: ShareRules, now: float, most_ranges: int) -> None:
        window = machine.window
        assert window.span <= max(rules.window_max, rules.locks_max) + BATCH_MAX + 3
        assert len(window.ranges) <= most_ranges + 2 * rules.locks_max
        assert len(self._world.machine.states[KEY].ranges) <= most_ranges + rules.locks_max
        self.seen |= {
            name
            for name, is_there in (
                ("blocked", window.blocked),
                ("waiting", window.backing_off),
                ("wide", window.span > rules.locks_max),
                ("many ranges", len(window.ranges) + window.acquired >= most_ranges),
                ("keys unknown", window.order is not None and window.order.known_to < window.end),
            )
            if is_there
        }
        for each in window.ranges:
            assert each.state != BACKING_OFF or each.step is not None or each.deadline <= now + WAIT_MAX_S + 0.1
            if each.state == BLOCKED and machine.window.order is not None:
                known = range(max(each.first, self._log.start), min(each.last + 1, machine.window.order.known_to))
                assert all(self._log.keys.get(offset) is not None for offset in known), "K3: no key, and blocked"


class Play:
    def __init__(self, seed: int, rules: ShareRules, most_ranges: int, bugs: HoldingBugs = ALL_HELD_WELL) -> None:
        self.dice = random.Random(seed)
        self.rules = rules
        self.bugs = bugs
        self.most_ranges = most_ranges
        self.world = ShareWorld(ShareLimits(updates_per_snapshot=3))
        self.world.do(initialize(start=0))
        self.log = Log()
        self.watch = Watch(self.log, self.world)
        self.now, self.wall_ms, self.epoch = 1_000.0, 1_700_000_000_000, 0
        self.queue: list[tuple[list[Row], Step | None, dict[int, int]]] = []
        """What is to be written; with it the records that are given back so that they wait, and their counts."""
        self.letters: set[Step] = set()
        """Of what is queued: says that dead letters are written. That is never undone, but written until it is kept."""
        self.machine = self.leader()

    def run(self, steps: int) -> None:
        todo = (self.append, self.acquire, self.acquire, self.acquire, self.say, self.say, self.say, self.write,
                self.write, self.write, self.pass_time, self.leave, self.lead, self.set_clock, self.cut,
                self.archive)  # fmt: skip
        weights = (3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 3, 1, 1, 1, 0.3, 2)
        for _ in range(steps):
            self.dice.choices(todo, weights)[0]()
            self.watch.look(self.machine, self.rules, self.now, self.most_ranges)
        self.end()

    # Leading ----------------------------------------------------------------------------------------------------

    def leader(self) -> SharePartitionMachine:
        self.epoch += 1
        state = self.world.ask(commands.Read(key=KEY, leader_epoch=self.epoch))
        return SharePartitionMachine(
            state, start_offset=0, rules=self.rules, now=self.now, wall_ms=self.wall_ms, bugs=self.bugs
        )

    def lead(self) -> None:
        """What was not written is lost, or was under way and is kept; the coordinator may have moved as well."""
        if self.queue and self.dice.random() < 0.5:
            self.store(self.queue.pop(0)[0])
        self.queue.clear()
        if self.dice.random() < 0.5:
            self.world.machine = self.world.replayed()
        self.now = self.dice.uniform(0, 5_000)  # its steady clock is its own
        self.machine = self.leader()
        self.watch.lead(self.now, self.wall_ms)
        waits = {offset for offset, (_, until) in self.watch.waits.items() if until > self.now}
        _, kept = self.watch.kept()
        for each in self.machine.window.ranges:
            for offset in range(each.first, each.last + 1):
                if each.state == BACKING_OFF and offset not in waits:
                    assert kept[offset].not_before_ms, f"{offset} waits, and nobody asked for that"

    def set_clock(self) -> None:
        self.wall_ms += self.dice.choice(CLOCK_STEPS_MS)

    def pass_time(self, seconds: float | None = None) -> None:
        passed = self.dice.choice((0.3, 1.0, 3.0, 11.0)) if seconds is None else seconds
        self.now += passed
        self.wall_ms += int(passed * 1000)
        late = {o: c for o, c, _, until in self.held() if until <= self.now}
        step, count = self.machine.expire(self.rules, self.now)
        assert count == len(late)
        self.machine.end_waits(self.now)
        self.come_back(late)
        if step.rows:
            self.queue.append((step.rows, step if step.ranges else None, late))

    def append(self) -> None:
        self.log.append(self.dice)

    def cut(self) -> None:
        """It is found out when somebody fetches next."""
        offset = min(self.machine.start_offset + self.dice.randrange(6), self.log.end)
        self.log.cut(max(offset, self.log.start))

    # Members ----------------------------------------------------------------------------------------------------

    def held(self, member: str | None = None) -> list[tuple[int, int, str, float]]:
        return [
            (offset, each.count, each.member, each.deadline)
            for each in self.machine.window.ranges
            if each.state == ACQUIRED and each.step is None and member in (None, each.member)
            for offset in range(each.first, each.last + 1)
        ]

    def acquire(self, most: int | None = None) -> list[tuple[int, int]]:
        machine, rules, dice = self.machine, self.rules, self.dice
        machine.log_starts_at(self.log.start)
        wanted = Wanted(dice.choice(MEMBERS), most or dice.randint(1, 8), dice.randint(1, 4), dice.random() < 0.3)
        while (asked := machine.keys_wanted(wanted, rules)) is not None and (read := self.log.read(asked, 2)):
            all(machine.take_in(self.log.keyed(batch), rules) for batch in read)
        offset = machine.read_from(rules)
        if offset is None or (rules.by_key and offset >= machine.window.end):
            return []
        until = machine.useful_until(offset, wanted, rules)
        read = self.log.read(offset, 100 if most else dice.randint(1, 5))
        read = [batch for batch in read if batch.first <= until] or read[:1]
        before = machine.window.acquired
        found = machine.acquire(wanted, rules, now=self.now, asked_from=offset, batches=read)
        assert found or not read or read[0].first > offset or offset == machine.window.end, (
            "there was something to give"
        )
        # What could not be written is a member's again, whoever was given records meanwhile.
        assert machine.window.acquired <= max(before, rules.locks_max), "members have more than the group may lock"
        given = [(offset, row.deliveries) for row in found for offset in range(row.first, row.last + 1)]
        for offset, count in given:
            self.watch.give(offset, count, wanted.member, self.now, by_key=rules.by_key)
        return given

    def say(self) -> None:
        member = self.dice.choice(MEMBERS)
        held = self.held(member)
        some = held[: self.dice.randint(1, 6)]
        leaves = self.dice.random() < 0.1
        kinds = {offset: self.dice.choice((ACCEPT, ACCEPT, RELEASE, REJECT)) for offset, *_ in some}
        self.settle(member, kinds, {offset: count for offset, count, *_ in some}, leaves=leaves)

    def settle(self, member: str, kinds: dict[int, int], counts: dict[int, int], *, leaves: bool = False) -> None:
        rules = self.rules.without_waits if leaves else self.rules
        said = [Said(offset, offset, [kind]) for offset, kind in kinds.items()]
        step = self.machine.acknowledge(member, said, rules, self.now)
        back = {} if leaves else {offset: counts[offset] for offset, kind in kinds.items() if kind == RELEASE}
        self.come_back(back)
        if step.rows:
            self.queue.append((step.rows, step, back))

    def come_back(self, back: dict[int, int]) -> None:
        for offset, count in back.items():
            if self.rules.backoff is not None:
                self.watch.waits[offset] = count, self.now + WAIT_MIN_S[count]

    def leave(self) -> None:
        member = self.dice.choice(MEMBERS)
        had = {offset for offset, *_ in self.held(member)}
        step = self.machine.release(member, self.rules, self.now)
        for each in self.machine.window.ranges:
            waits = each.state == BACKING_OFF and had & set(range(each.first, each.last + 1))
            assert not waits, "nobody may have seen it, and it waits"
        if step.rows:
            self.queue.append((step.rows, step, {}))

    def archive(self) -> None:
        """The letters of some records are written."""
        step = archived(self.machine.window, waiting(self.machine.window, self.dice.randint(1, 5)))
        if step.rows:
            self.letters.add(step)
            self.queue.append((step.rows, step, {}))

    # Writing ----------------------------------------------------------------------------------------------------

    def store(self, rows: list[Row]) -> None:
        batches = [kept_batch(row, self.in_wall_ms(row[4])) for row in rows]
        progress = Progress(self.machine.start_offset, self.machine.done)
        said: Any = commands.Write(key=KEY, state_epoch=1, leader_epoch=self.epoch, progress=progress, batches=batches)
        self.world.do(said)

    def in_wall_ms(self, until: float) -> int:
        return int(self.wall_ms + (until - self.now) * 1000) + 1 if until else 0

    def write(self, *, goes_well: bool = False) -> None:
        if not self.queue:
            return
        rows, step, back = self.queue.pop(0)
        fate = 1.0 if goes_well else self.dice.random()
        if fate > 0.08:
            self.store(rows)
        if fate > 0.15:
            accepted = [n for first, last, state, *_ in rows if state == 2 for n in range(first, last + 1)]
            self.watch.accepted.update(accepted)
            for offset, count in back.items():
                if offset in self.watch.waits and self.watch.waits[offset][0] == count:
                    until_ms = self.wall_ms + (self.watch.waits[offset][1] - self.now) * 1000
                    self.watch.wall_waits[offset] = count, until_ms
            if step is not None:
                self.machine.commit(step)
        elif step in self.letters:
            self.queue.insert(0, (rows, step, back))
        elif step is not None:
            for offset, count in back.items():  # as if it was not said
                if self.watch.waits.get(offset, (0, 0))[0] == count:
                    del self.watch.waits[offset]
            self.machine.undo(step, self.rules, self.now)

    # The end ----------------------------------------------------------------------------------------------------

    def end(self) -> None:
        """Nothing fails any more: whoever takes and accepts comes to the log's end."""
        for _ in range(400):
            for offset, _ in self.acquire(8):
                count, member = self.watch.given[offset]
                self.settle(member, {offset: ACCEPT}, {offset: count})
            self.archive()
            while self.queue:
                self.write(goes_well=True)
            if self.machine.start_offset >= self.log.end:
                return
            self.pass_time(3.0)
            self.watch.look(self.machine, self.rules, self.now, self.most_ranges)
        raise AssertionError(f"it never came to the end: {self.machine.window.ranges[:5]} of {self.log.end}")

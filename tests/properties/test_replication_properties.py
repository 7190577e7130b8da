"""Replicas on real logs through random histories: fetches in pieces, elections among the in-sync, restarts, lost ones.

Whatever happens, what was acknowledged with acks=all is in every later leader's log, replicas agree below the high
watermark, and what is known of producers is the same wherever the log is.
"""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.logs import headers_in
from tests.support.replicas import Replicas

from penstock.errors import NotEnoughReplicas
from penstock.replication import ALL, Promise
from penstock.replication.bugs import NO_BUGS, ReplicationBugs

BROKERS = (1, 2, 3)

STEPS = st.one_of(
    st.tuples(st.just("append"), st.integers(1, 3)),
    st.tuples(st.just("append"), st.integers(1, 3)),
    st.tuples(st.just("fetch"), st.sampled_from(BROKERS), st.sampled_from([1, 150, 1 << 20])),
    st.tuples(st.just("fetch"), st.sampled_from(BROKERS), st.sampled_from([1, 150, 1 << 20])),
    st.tuples(st.just("fetch"), st.sampled_from(BROKERS), st.sampled_from([1, 150, 1 << 20])),
    st.tuples(st.just("elect"), st.integers(0, 2)),
    st.tuples(st.just("restart"), st.sampled_from(BROKERS)),
    st.tuples(st.just("lose"), st.integers(0, 2)),
    st.tuples(st.just("hold"), st.booleans()),
)


class History:
    def __init__(self, folder: Path, planted: ReplicationBugs = NO_BUGS) -> None:
        settings = {"min.insync.replicas": "2", "segment.bytes": "1048576"}
        self.replicas = Replicas(folder, settings=settings, bugs=planted)
        self.sequence = 0
        self.waiting: list[tuple[int, bytes, Promise[None]]] = []
        self.acknowledged: dict[int, bytes] = {}
        self.marks: dict[tuple[int, int], int] = {}

    def append(self, count: int) -> None:
        """Values that nobody else has, so that a record can be told from another at its offset."""
        replicas = self.replicas
        values = [b"%d" % (self.sequence + i) for i in range(count)]
        try:
            appended = replicas.append(*values)
        except NotEnoughReplicas:
            return
        self.sequence += count
        pending = replicas.leader.acknowledged(appended, acks=ALL)
        if pending is not None:
            self.waiting.append((appended.base_offset, values[0], pending))

    def fetch(self, broker: int, bytes_max: int) -> None:
        if broker != self.replicas.state.leader:
            self.replicas.fetch(broker, bytes_max=bytes_max)

    def elect(self, place: int) -> None:
        in_sync = self.replicas.state.in_sync
        self.replicas.elect(in_sync[place % len(in_sync)])

    async def restart(self, broker: int) -> None:
        replicas = self.replicas
        await replicas.restart(broker)
        if replicas.state.leader == broker:  # a new incarnation never leads under an old epoch (RULES 2)
            replicas.elect(broker)

    def lose(self, place: int) -> None:
        """The controller takes one out of the in-sync set, never the last but one: nobody is eligible here."""
        in_sync = self.replicas.state.in_sync
        others = [broker for broker in in_sync if broker != self.replicas.state.leader]
        if len(in_sync) > 2:
            self.replicas.remove_from_in_sync(others[place % len(others)])

    def hold(self, holds: bool) -> None:
        """In-sync writes are under way for a while, then the store answers."""
        replicas = self.replicas
        replicas.holds_writes = holds
        held, replicas.held = replicas.held, []
        for write in held:
            replicas.write(*write)

    def check(self) -> None:
        replicas, state = self.replicas, self.replicas.state
        for offset, value, pending in self.waiting:
            if pending.done() and pending.exception() is None:
                self.acknowledged[offset] = value
        self.waiting = [entry for entry in self.waiting if not entry[2].done()]
        leader = replicas.leader
        for offset, value in self.acknowledged.items():
            assert leader.log.end_offset > offset, f"the record at {offset} was acknowledged and is gone"
            assert value in leader.log.read(offset, 1), f"another record is at {offset}"
        key = (state.leader, state.leader_epoch)
        assert leader.high_watermark >= self.marks.get(key, 0), "the high watermark fell within an epoch"
        self.marks[key] = leader.high_watermark
        lowest = min(replicas[broker].high_watermark for broker in BROKERS)
        below = [[h for h in headers_in(replicas.bytes_of(b)) if h.next_offset <= lowest] for b in BROKERS]
        assert below[0] == below[1] == below[2], f"replicas differ below {lowest}"

    def find_together(self) -> None:
        """Once nothing fails any more, all replicas have everything and are in sync."""
        self.hold(False)
        replicas = self.replicas
        for broker in replicas.followers:
            replicas.replicate(broker)
        replicas.replicate()
        assert set(replicas.state.in_sync) == set(BROKERS)
        assert replicas.bytes_of(1) == replicas.bytes_of(2) == replicas.bytes_of(3)
        assert [replicas[b].high_watermark for b in BROKERS] == [replicas.leader.log.end_offset] * 3
        assert len({str(replicas[b].log.epochs.snapshot()) for b in replicas.followers}) <= 1


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, max_size=40))
def test_what_was_acknowledged_survives_every_election_among_the_in_sync(steps: list[tuple[str, ...]]) -> None:
    asyncio.run(run(steps))


async def run(steps: list[tuple[str, ...]], planted: ReplicationBugs = NO_BUGS) -> None:
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder), planted)
        try:
            for name, *arguments in steps:
                outcome = getattr(history, name)(*arguments)
                if outcome is not None:
                    await outcome
                await asyncio.sleep(0)
                history.check()
            history.find_together()
        finally:
            await history.replicas.close()

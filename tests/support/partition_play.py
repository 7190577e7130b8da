"""One partition on a stage: brokers with logs, the store with its record, and the real machines that decide.

Real: `Leader`, `Follower`, `elections`, leader epochs. Played: what carries messages between them, at once and in the
order of the script, and the logs, as lists of the leader epochs that wrote each record.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

import msgspec
from tests.support.leaders import LAG_MS, a_state
from tests.support.scenarios import Play, act

from penstock.cluster.elections import ElectedFrom, ElectionResult, ElectionView, settle, step_down
from penstock.cluster.records import PartitionRecord
from penstock.errors import Refusal
from penstock.log.epochs import LeaderEpochs
from penstock.metastore import Revision
from penstock.model import BrokerId
from penstock.replication.following import Follower
from penstock.replication.machine import Leader, Proposal


class PlayedLog:
    """The leader epoch of each record, and how many of them a power cut would leave."""

    def __init__(self) -> None:
        self.records: list[int] = []
        self.flushed = 0

    @property
    def end_offset(self) -> int:
        return len(self.records)

    @property
    def epochs(self) -> LeaderEpochs:
        epochs = LeaderEpochs("", self)
        for offset, epoch in enumerate(self.records):
            epochs.assign(epoch, offset)
        return epochs

    def cut(self, end: int) -> None:
        del self.records[end:]
        self.flushed = min(self.flushed, end)


class PlayedBroker:
    def __init__(self) -> None:
        self.log = PlayedLog()
        self.leads: Leader | None = None
        self.high_watermark = 0
        """As far as a leader has told; its own is with what it leads."""
        self.runs = True
        self.hangs = False
        self.lost_page_cache = False

    @property
    def answers(self) -> bool:
        return self.runs and not self.hangs


class PartitionPlay(Play):
    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000_000
        self.revisions = count(101)
        self.registered: dict[BrokerId, int] = {}
        self.brokers: dict[BrokerId, PlayedBroker] = {}
        self.in_sync_min = 1
        self.record = a_state()

    def view(self) -> Mapping[str, str]:
        record = self.record
        seen = {
            "leader": f"{record.leader} in epoch {record.leader_epoch}" if record.leader >= 0 else "nobody",
            "in sync": _named(record.in_sync),
        }
        if record.eligible:
            seen["eligible"] = _named(record.eligible)
        for broker_id, broker in self.brokers.items():
            if broker.leads is not None:
                enough = "" if broker.leads.has_enough_in_sync else ", too few in sync for acks=all"
                seen[f"high watermark at {broker_id}"] = f"{broker.leads.high_watermark}{enough}"
        return seen

    # The script -------------------------------------------------------------------------------------------------

    @act(r"partition of ([\d, ]+), min\.insync\.replicas (\d)")
    def _begin(self, replicas: str, in_sync_min: str) -> None:
        ids = tuple(int(each) for each in replicas.split(","))
        self.in_sync_min = int(in_sync_min)
        self.record = a_state(leader=ids[0], epoch=0, replicas=ids, in_sync=ids)
        self.brokers = {broker: PlayedBroker() for broker in self.record.replicas}
        self.registered = {broker: 10 * broker for broker in self.record.replicas}
        self._hear_all()

    @act(r"(\d) appends (\d+) records?")
    def _append(self, broker_id: str, records: str) -> None:
        leader = self._broker(broker_id).leads
        if leader is None:
            self.tell("refused: NOT_LEADER_OR_FOLLOWER")
            return
        log = self._broker(broker_id).log
        log.records += [leader.image.leader_epoch] * int(records)
        leader.appended(log.end_offset)
        self.tell(f"{broker_id} has records up to {log.end_offset}")

    @act(r"(\d) fetches")
    def _fetch(self, broker_id: str) -> None:
        self._ask(broker_id, self.registered[BrokerId(int(broker_id))])

    @act(r"(\d) fetches as broker epoch (\d+)")
    def _fetch_as(self, broker_id: str, broker_epoch: str) -> None:
        self._ask(broker_id, int(broker_epoch))

    def _ask(self, broker_id: str, broker_epoch: int) -> None:
        """What a follower asks for says what it has; the answer brings the rest."""
        log = self._broker(broker_id).log
        leader_id = self.record.leader
        source = self.brokers.get(leader_id)
        if source is None or not source.answers or source.leads is None:
            self.tell("nobody answers")
            return
        leader, follower = source.leads, Follower(leader=leader_id, epoch=self.record.leader_epoch)
        while apart := leader.diverging(source.log.epochs, last_fetched_epoch=log.epochs.latest, offset=log.end_offset):
            cut = follower.cut_to(log, diverging_epoch=apart.epoch, end_offset=apart.end_offset)
            self.tell(f"parted: with the leader epoch {apart.epoch} ends at {apart.end_offset}")
            self.tell(f"{broker_id} cuts its log from {log.end_offset} to {cut}")
            log.cut(cut)
        asked, end = log.end_offset, source.log.end_offset
        try:
            wanted = leader.fetched(
                BrokerId(int(broker_id)),
                asked,
                broker_epoch=broker_epoch,
                log_start=0,
                leader_end=end,
                now=self.now,
            )
        except Refusal as refusal:
            self.tell(f"refused: {refusal.message}")
            return
        log.records += source.log.records[asked:]
        broker = self._broker(broker_id)
        broker.high_watermark = follower.high_watermark(
            own_end=log.end_offset, known=broker.high_watermark, leaders=leader.high_watermark
        )
        self.tell(f"{broker_id} has {asked}, and is sent {end - asked} more")
        self._propose(leader_id, wanted)

    @act(r"(\d+) seconds pass")
    def _pass_time(self, seconds: str) -> None:
        self.now += int(seconds) * 1_000
        for broker_id, broker in self.brokers.items():
            if broker.leads is not None and broker.answers:
                end = broker.log.end_offset
                self._propose(broker_id, broker.leads.tick(self.now, lag_ms_max=LAG_MS, log_end=end))

    @act(r"the store takes the write of (\d)")
    def _write(self, broker_id: str) -> None:
        leader, proposal = self._pending(broker_id)
        if self._store(proposal):
            self._propose(BrokerId(int(broker_id)), leader.written(proposal, self.record.revision, self.now))
            self._hear_all()
        else:
            leader.conflicted(proposal, self.now)

    @act(r"the store takes the write of (\d), and its answer and the news of it are late")
    def _write_in_silence(self, broker_id: str) -> None:
        leader, proposal = self._pending(broker_id)
        self._store(proposal)
        leader.timed_out(proposal, self.now)

    @act(r"(\d) hears what the store holds")
    def _news(self, broker_id: str) -> None:
        self._hear(BrokerId(int(broker_id)))

    @act(r"(\d) is killed")
    def _kill(self, broker_id: str) -> None:
        broker = self._broker(broker_id)
        if broker.leads is not None:
            broker.high_watermark = broker.leads.high_watermark
        broker.runs, broker.leads = False, None

    @act(r"the machine of (\d) loses power")
    def _lose_power(self, broker_id: str) -> None:
        broker = self._broker(broker_id)
        self.tell(f"of {broker.log.end_offset} records {broker.log.flushed} had been flushed")
        broker.log.cut(broker.log.flushed)
        broker.runs, broker.leads, broker.lost_page_cache = False, None, True

    @act(r"(\d) flushes")
    def _flush(self, broker_id: str) -> None:
        log = self._broker(broker_id).log
        log.flushed = log.end_offset

    @act(r"(\d) hangs")
    def _hang(self, broker_id: str) -> None:
        self._broker(broker_id).hangs = True

    @act(r"(\d) goes on, and has heard nothing")
    def _go_on(self, broker_id: str) -> None:
        self._broker(broker_id).hangs = False

    @act(r"the lease of (\d) runs out")
    def _expire(self, broker_id: str) -> None:
        del self.registered[BrokerId(int(broker_id))]
        self._settle()

    @act(r"(\d) starts")
    def _start(self, broker_id: str) -> None:
        number, broker = BrokerId(int(broker_id)), self._broker(broker_id)
        self.registered.pop(number, None)
        latest = broker.log.epochs.latest
        record = step_down(self.record, number, lost_page_cache=broker.lost_page_cache, latest_epoch=latest)
        if record is not None:
            self._put(record)
        broker.runs, broker.hangs, broker.lost_page_cache = True, False, False
        self._register(broker_id)

    @act(r"(\d) registers again")
    def _register(self, broker_id: str) -> None:
        number = BrokerId(int(broker_id))
        self.registered[number] = next(self.revisions)
        self.tell(f"{broker_id} registers with broker epoch {self.registered[number]}")
        for leader_id, other in self.brokers.items():
            if other.leads is not None and other.answers:
                self._propose(leader_id, other.leads.registered(number, self.registered[number], self.now))
        self._settle()

    # What happens behind it -------------------------------------------------------------------------------------

    def _broker(self, broker_id: str) -> PlayedBroker:
        return self.brokers[BrokerId(int(broker_id))]

    def _pending(self, broker_id: str) -> tuple[Leader, Proposal]:
        leader = self._broker(broker_id).leads
        assert leader is not None and leader.pending is not None, f"{broker_id} has asked for nothing"
        return leader, leader.pending

    def _propose(self, broker_id: BrokerId, proposal: Proposal | None) -> None:
        if proposal is not None:
            eligible = f", eligible {_named(proposal.eligible)}" if proposal.eligible else ""
            self.tell(f"{broker_id} asks the store to write: in sync {_named(proposal.in_sync)}{eligible}")

    def _store(self, proposal: Proposal) -> bool:
        """A compare-and-write: the record is as it was, and whoever joins is still registered as it was."""
        is_current = self.record.revision == proposal.expected_revision
        if not is_current or any(self.registered.get(each) != epoch for each, epoch in proposal.joining.items()):
            self.tell("the store refuses it: " + ("somebody came first" if not is_current else "who joins is gone"))
            return False
        self.record = msgspec.structs.replace(
            self.record,
            in_sync=proposal.in_sync,
            eligible=proposal.eligible,
            revision=Revision(next(self.revisions)),
        )
        return True

    def _settle(self) -> None:
        """The controller looks at the partition."""
        verdict: ElectionResult | None = settle(
            self.record, ElectionView(frozenset(self.registered)), in_sync_min=self.in_sync_min
        )
        if verdict is not None:
            if verdict.how not in (ElectedFrom.KEPT, ElectedFrom.NOBODY):
                self.tell(f"the controller elects {verdict.record.leader}: {verdict.how.value}")
            elif verdict.how is ElectedFrom.NOBODY:
                self.tell("the controller finds nobody who could lead")
            self._put(verdict.record)
        self._hear_all()

    def _put(self, record: PartitionRecord) -> None:
        self.record = msgspec.structs.replace(
            self.record,
            leader=record.leader,
            leader_epoch=record.leader_epoch,
            in_sync=record.in_sync,
            eligible=record.eligible,
            last_leader=record.last_leader,
            revision=Revision(next(self.revisions)),
        )

    def _hear_all(self) -> None:
        for broker_id, broker in self.brokers.items():
            if broker.answers:
                self._hear(broker_id)

    def _hear(self, broker_id: BrokerId) -> None:
        broker, record = self.brokers[broker_id], self.record
        leads = broker.leads
        if record.leader != broker_id:
            if leads is not None:
                broker.leads, broker.high_watermark = None, leads.high_watermark
                self.tell(f"{broker_id} leads no more")
        elif leads is not None and leads.image.leader_epoch == record.leader_epoch:
            self._propose(broker_id, leads.updated(record, self.now))
        else:
            broker.leads = self._new_leader(broker_id, broker)

    def _new_leader(self, broker_id: BrokerId, broker: PlayedBroker) -> Leader:
        end = broker.log.end_offset
        return Leader(
            self.record,
            me=broker_id,
            start=0,
            end=end,
            epoch_start=end,
            high_watermark=min(broker.high_watermark, end),
            in_sync_min=self.in_sync_min,
            brokers=self.registered,
            now=self.now,
        )


def _named(brokers: tuple[BrokerId, ...]) -> str:
    return ", ".join(map(str, brokers)) or "nobody"

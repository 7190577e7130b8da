"""The controller's duties: from the image, and how brokers stand, to the writes that put partitions right. Pure.

Every decision looks at the state, never at what happened: looking again finds what is still to be done and nothing
else, so a duty that was cut short, lost to another write or seen twice does no harm. Every write compares what it was
decided from: the partition's mod revision, the controller's epoch, and the registration of whoever is to lead (RULES
13). Partitions that get the same leader go together, since they share that last compare.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from penstock.cluster.bugs import NO_BUGS, PlantedBugs
from penstock.cluster.elections import How, Standing, Verdict, prefer, settle, step_down
from penstock.cluster.image import ClusterImage
from penstock.cluster.keys import Keys
from penstock.cluster.records import NO_LEADER, PartitionRecord, encode
from penstock.cluster.shapes import PartitionImage, TopicImage
from penstock.metastore import (
    OPERATIONS_MAX,
    Compare,
    Delete,
    Put,
    Revision,
    Transaction,
    absent,
    created_at,
    unchanged_since,
)
from penstock.model import BrokerId, TopicId, topic_id_text
from penstock.settings.config import Config, TopicConfig
from penstock.settings.topic import (
    FLUSH_MESSAGES,
    MIN_INSYNC_REPLICAS,
    PENSTOCK_FLUSH_BEFORE_ACK,
    UNCLEAN_LEADER_ELECTION_ENABLE,
)

_WRITES_MAX = OPERATIONS_MAX - 2
"""Partitions in one transaction: each has a compare of its own, and two more name the controller and the leader."""


class Which(NamedTuple):
    """A partition by name: what it is now is in the image."""

    topic_id: TopicId
    number: int


class Ruling(NamedTuple):
    topic: TopicImage
    partition: PartitionImage
    """As it was decided from."""
    record: PartitionRecord
    how: How

    @property
    def which(self) -> Which:
        return Which(self.topic.topic_id, self.partition.index)

    @property
    def is_election(self) -> bool:
        return self.record.leader_epoch != self.partition.leader_epoch


class Batch(NamedTuple):
    """Rulings that one transaction carries out, all or none."""

    rulings: Sequence[Ruling]
    transaction: Transaction


_Judge = Callable[[TopicImage, PartitionImage], Verdict | None]


class DutyMachine:
    def __init__(self, image: ClusterImage, keys: Keys, config: Config, bugs: PlantedBugs = NO_BUGS) -> None:
        self._image = image
        self._keys = keys
        self._config = config
        self._bugs = bugs

    def standing(self, *, doubted: Iterable[BrokerId] = (), is_patient: bool = False) -> Standing:
        brokers = self._image.brokers
        return Standing(
            live=frozenset(brokers),
            stopping=frozenset(broker.id for broker in brokers.values() if broker.is_stopping),
            doubted=frozenset(doubted) & brokers.keys(),
            is_patient=is_patient,
        )

    # Decisions --------------------------------------------------------------------------------------------------

    def review(self, which: Iterable[Which] | None, standing: Standing) -> list[Ruling]:
        """Put right these partitions, or all: elections, lost members, reassignments that have come to their end."""
        steady = standing.steady
        topics = _TopicSettings(self._config)

        def judge(topic: TopicImage, part: PartitionImage) -> Verdict | None:
            if (
                part.leader in steady
                and part.leader in part.in_sync
                and not (part.adding or part.removing or part.eligible)
                and steady.issuperset(part.in_sync)
            ):
                return None  # nearly always, and it must be quick for the many that are not concerned
            config = topics.of(topic)
            return settle(
                part,
                standing,
                in_sync_min=config[MIN_INSYNC_REPLICAS],
                may_be_unclean=config[UNCLEAN_LEADER_ELECTION_ENABLE],
                bugs=self._bugs,
            )

        return self._judged(which, judge)

    def elect_unclean(self, which: Iterable[Which], standing: Standing) -> list[Ruling]:
        """Let any live replica lead where there is no leader: somebody decided that it is worth what is lost."""
        topics = _TopicSettings(self._config)

        def judge(topic: TopicImage, part: PartitionImage) -> Verdict | None:
            minimum = topics.of(topic)[MIN_INSYNC_REPLICAS]
            return settle(part, standing, in_sync_min=minimum, may_be_unclean=True, bugs=self._bugs)

        return self._judged(which, judge)

    def elect_preferred(self, which: Iterable[Which] | None, standing: Standing) -> list[Ruling]:
        def judge(_: TopicImage, part: PartitionImage) -> Verdict | None:
            record = prefer(part, standing)
            return None if record is None else Verdict(record, How.IN_SYNC)

        return self._judged(which, judge)

    def step_down(self, broker: BrokerId, *, lost_page_cache: bool) -> list[Ruling]:
        """What a new process of a broker takes back of its former one's before it registers (RULES 2, 4)."""
        if self._bugs.keeps_epoch_of_former_self:
            return []
        topics = _TopicSettings(self._config)

        def judge(topic: TopicImage, part: PartitionImage) -> Verdict | None:
            if broker != part.leader and broker not in part.in_sync and broker not in part.eligible:
                return None
            lost = lost_page_cache and not _flushes_before_it_counts(topics.of(topic))
            record = step_down(part, broker, lost_page_cache=lost)
            return None if record is None else Verdict(record, How.NOBODY)

        return self._judged(None, judge)

    def _judged(self, which: Iterable[Which] | None, judge: _Judge) -> list[Ruling]:
        found = self._image.partitions() if which is None else self._found(which)
        return [
            Ruling(topic, part, verdict.record, verdict.how)
            for topic, part in found
            if (verdict := judge(topic, part)) is not None
        ]

    def _found(self, which: Iterable[Which]) -> Iterator[tuple[TopicImage, PartitionImage]]:
        for topic_id, number in which:
            topic = self._image.topics_by_id.get(topic_id)
            if topic is not None and number < len(topic.partitions):
                yield topic, topic.partitions[number]

    # Writes -----------------------------------------------------------------------------------------------------

    def batches(self, rulings: Sequence[Ruling]) -> list[Batch]:
        by_leader: dict[BrokerId, list[Ruling]] = {}
        for ruling in rulings:
            leader = ruling.record.leader if ruling.is_election else NO_LEADER
            by_leader.setdefault(leader, []).append(ruling)
        return [
            Batch(some, self._transaction(leader, some))
            # Whoever has no leader waits for one; who is in sync can wait.
            for leader, ruled in sorted(by_leader.items(), key=lambda pair: (pair[0] == NO_LEADER, pair[0]))
            for some in (ruled[start : start + _WRITES_MAX] for start in range(0, len(ruled), _WRITES_MAX))
        ]

    def _transaction(self, leader: BrokerId, rulings: Sequence[Ruling]) -> Transaction:
        compares = [self._as_controller()]
        if leader >= 0:
            compares.append(created_at(self._keys.broker(leader), self._image.brokers[leader].epoch))
        puts = []
        for ruling in rulings:
            key = self._keys.partition(topic_id_text(ruling.topic.topic_id), ruling.partition.index)
            compares.append(unchanged_since(key, ruling.partition.revision))
            puts.append(Put(key, encode(ruling.record)))
        return Transaction(compares=tuple(compares), puts=tuple(puts))

    def fence(self, broker: BrokerId, epoch: Revision) -> Transaction:
        """Declare a broker lost (RULES 9); whoever suspected it need not any more."""
        key = self._keys.broker(broker)
        return Transaction(
            compares=(
                created_at(self._keys.controller, Revision(self._image.controller_epoch)),
                created_at(key, epoch),
            ),
            deletes=(Delete(key), Delete(self._keys.suspect(broker))),
        )

    def sweep(self) -> list[Transaction]:
        """Delete partitions that no topic shows and nobody is about to show (RULES 14).

        Whoever writes a topic in several transactions leaves a mark first and compares it in each of them: comparing
        here that there is none makes sure that nothing of it can come to light afterwards.
        """
        transactions = []
        for topic_id, aside in sorted(self._image.leftovers.items()):
            if topic_id in self._image.marks.creating:
                continue
            text = topic_id_text(topic_id)
            left = [(self._keys.partition(text, index), part.revision) for index, part in sorted(aside.items())]
            for some in (left[start : start + _WRITES_MAX] for start in range(0, len(left), _WRITES_MAX)):
                compares = (
                    self._as_controller(),
                    absent(self._keys.creating(text)),
                    *(unchanged_since(key, revision) for key, revision in some),
                )
                transactions.append(Transaction(compares=compares, deletes=tuple(Delete(key) for key, _ in some)))
        return transactions

    def _as_controller(self) -> Compare:
        return created_at(self._keys.controller, Revision(self._image.controller_epoch))


class _TopicSettings:
    """A topic's settings, looked up once a decision."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._known: dict[TopicId, TopicConfig] = {}

    def of(self, topic: TopicImage) -> TopicConfig:
        config = self._known.get(topic.topic_id)
        if config is None:
            config = self._known[topic.topic_id] = self._config.for_topic(topic.overrides)
        return config


def _flushes_before_it_counts(config: TopicConfig) -> bool:
    """Such a topic's replicas counted nothing that was not on disk: losing the page cache loses nothing they had."""
    return config[PENSTOCK_FLUSH_BEFORE_ACK] or config[FLUSH_MESSAGES] == 1

"""The controller's duties: from the image, and how brokers stand, to the writes that put partitions right. Pure.

Every decision looks at the state, never at what happened: looking again finds what is still to be done and nothing
else, so a duty that was cut short, lost to another write or seen twice does no harm. Every write compares what it was
decided from: the partition's mod revision, the controller's epoch, and the registration of whoever is to lead (RULES
13). Partitions that get the same leader go together, since they share that last compare; where what a lost broker led
falls to many, few to each, several leaders share a transaction: a store's work is in transactions, not in writes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from penstock.cluster.bugs import NO_BUGS, ClusterBugs
from penstock.cluster.duties.partition_writes import Batch, PartitionRef, PartitionWrite, as_fit
from penstock.cluster.elections import ElectedFrom, ElectionResult, ElectionView, prefer, settle, step_down
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import PartitionImage, TopicImage
from penstock.cluster.keys import Keys
from penstock.cluster.log_report import NOTHING_LOST, LogReport
from penstock.cluster.records import PartitionRecord, SuspectRecord, encode
from penstock.metastore import (
    NO_REVISION,
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
    MIN_INSYNC_REPLICAS,
    PENSTOCK_FLUSH_BEFORE_ACK,
    UNCLEAN_LEADER_ELECTION_ENABLE,
)

_WRITES_MAX = OPERATIONS_MAX - 2
"""Leftovers swept in one transaction: each has a compare of its own, and two more name the controller and the mark."""

Found = Iterable[tuple[TopicImage, PartitionImage]]
_Judge = Callable[[TopicImage, PartitionImage], ElectionResult | None]


class DutyMachine:
    def __init__(self, image: ClusterImage, keys: Keys, config: Config, bugs: ClusterBugs = NO_BUGS) -> None:
        self._image = image
        self._keys = keys
        self._config = config
        self._bugs = bugs

    def election_view(self, *, doubted: Iterable[BrokerId] = (), is_patient: bool = False) -> ElectionView:
        brokers = self._image.brokers
        return ElectionView(
            live=frozenset(brokers),
            stopping=frozenset(broker.id for broker in brokers.values() if broker.is_stopping),
            doubted=frozenset(doubted) & brokers.keys(),
            is_patient=is_patient,
        )

    # Decisions --------------------------------------------------------------------------------------------------

    def review(self, which: Iterable[PartitionRef] | None, election_view: ElectionView) -> list[PartitionWrite]:
        """Put right these partitions, or all: elections, lost members, reassignments that have come to their end."""
        return self.review_found(self._image.partitions() if which is None else self._found(which), election_view)

    def portions(self, size: int) -> Iterator[list[tuple[TopicImage, PartitionImage]]]:
        """All partitions, so many at a time. The image may change between two of them: what does so is told of."""
        for topic in list(self._image.topics.values()):
            if topic.source is not None:
                continue  # its partitions are its source's
            for start in range(0, len(topic.partitions), size):
                if self._image.topics_by_id.get(topic.topic_id) is topic:
                    yield [(topic, part) for part in topic.partitions[start : start + size]]

    def review_found(self, found: Found, election_view: ElectionView) -> list[PartitionWrite]:
        steady = election_view.steady
        topics = _TopicSettings(self._config)

        def judge(topic: TopicImage, part: PartitionImage) -> ElectionResult | None:
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
                election_view,
                in_sync_min=config[MIN_INSYNC_REPLICAS],
                may_be_unclean=config[UNCLEAN_LEADER_ELECTION_ENABLE],
                bugs=self._bugs,
            )

        return self._judged(found, judge)

    def elect_unclean(self, which: Iterable[PartitionRef], election_view: ElectionView) -> list[PartitionWrite]:
        """Let any live replica lead where there is no leader: somebody decided that it is worth what is lost."""
        topics = _TopicSettings(self._config)

        def judge(topic: TopicImage, part: PartitionImage) -> ElectionResult | None:
            minimum = topics.of(topic)[MIN_INSYNC_REPLICAS]
            return settle(part, election_view, in_sync_min=minimum, may_be_unclean=True, bugs=self._bugs)

        return self._judged(self._found(which), judge)

    def elect_preferred(
        self, which: Iterable[PartitionRef] | None, election_view: ElectionView
    ) -> list[PartitionWrite]:
        return self.prefer_found(self._image.partitions() if which is None else self._found(which), election_view)

    def prefer_found(self, found: Found, election_view: ElectionView) -> list[PartitionWrite]:
        def judge(_: TopicImage, part: PartitionImage) -> ElectionResult | None:
            record = prefer(part, election_view)
            return None if record is None else ElectionResult(record, ElectedFrom.IN_SYNC)

        return self._judged(found, judge)

    def step_down(
        self,
        broker: BrokerId,
        report: LogReport = NOTHING_LOST,
        *,
        lost_page_cache: bool,
    ) -> list[PartitionWrite]:
        """What a new process of a broker takes back of its former one's before it registers (RULES 2, 4, 46)."""
        if self._bugs.keeps_epoch_of_former_self:
            return []
        topics, held = _TopicSettings(self._config), report.held

        def judge(topic: TopicImage, part: PartitionImage) -> ElectionResult | None:
            which = PartitionRef(topic.topic_id, part.index)
            latest_epoch = report.epochs.get(which, -1)
            if not part.counts_on(broker) and latest_epoch <= part.leader_epoch:
                return None
            is_flushed = which in report.flushed
            if self._bugs.trusts_flush_setting:
                is_flushed = topics.of(topic)[PENSTOCK_FLUSH_BEFORE_ACK]
            lost = which in report.shortened or (lost_page_cache and not is_flushed)
            has_log = held is None or which in held or self._bugs.takes_missing_logs_for_empty
            record = step_down(part, broker, lost_page_cache=lost, latest_epoch=latest_epoch, has_log=has_log)
            return None if record is None else ElectionResult(record, ElectedFrom.NOBODY)

        return self._judged(self._image.partitions(), judge)

    def _judged(self, found: Found, judge: _Judge) -> list[PartitionWrite]:
        return [
            self.ruling(topic, part, verdict.record, verdict.how)
            for topic, part in found
            if (verdict := judge(topic, part)) is not None
        ]

    def ruling(
        self, topic: TopicImage, part: PartitionImage, record: PartitionRecord, how: ElectedFrom
    ) -> PartitionWrite:
        leader = self._image.brokers.get(record.leader)
        return PartitionWrite(topic, part, record, how, NO_REVISION if leader is None else leader.epoch)

    def _found(self, which: Iterable[PartitionRef]) -> Iterator[tuple[TopicImage, PartitionImage]]:
        for topic_id, number in which:
            topic = self._image.topics_by_id.get(topic_id)
            if topic is not None and number < len(topic.partitions):
                yield topic, topic.partitions[number]

    # Writes -----------------------------------------------------------------------------------------------------

    def batches(self, rulings: Sequence[PartitionWrite]) -> list[Batch]:
        """Whoever has no leader waits for one, so elections come first; who is in sync can wait."""
        elections = sorted((each for each in rulings if each.elects), key=lambda each: (each.record.leader, each.which))
        others = [ruling for ruling in rulings if not ruling.elects]
        fence = self._as_controller()
        return [Batch(some, fence, self._keys) for some in (*as_fit(elections), *as_fit(others))]

    def fence(self, broker: BrokerId, epoch: Revision, *, refused_by: BrokerId | None = None) -> Transaction:
        """Declare a broker lost (RULES 9). One whose address refused connections, to whom, stays marked as a suspect:
        that is how all brokers know it from one that fell silent (see `BrokerAvailability`). Else nobody need suspect
        it any more.
        """
        key, mark = self._keys.broker(broker), self._keys.suspect(broker)
        compares = (self._as_controller(), created_at(key, epoch))
        if refused_by is None:
            return Transaction(compares=compares, deletes=(Delete(key), Delete(mark)))
        put = Put(mark, encode(SuspectRecord(refused_by, epoch)))
        return Transaction(compares=compares, puts=(put,), deletes=(Delete(key),))

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

"""Produce within transactions: who is asked, under which guard batches go, and what each version is told."""

import asyncio
from collections.abc import Callable
from inspect import isawaitable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.support.logs import TOPIC_ID
from tests.support.partitions import TOPIC, Make, SomePartitions
from tests.support.quotas import SomeQuotas

from penstock.access.authorizer import Authorizer
from penstock.broker.deadlines import Deadlines
from penstock.broker.handlers.produce import produce
from penstock.broker.registry import RequestContext
from penstock.coordinators.transactions import AddOrVerifyPartitions, Outcomes
from penstock.errors import (
    ConcurrentTransactions,
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    InvalidProducerEpoch,
    InvalidProducerIdMapping,
    InvalidRecord,
    InvalidRequiredAcks,
    InvalidTxnState,
    NetworkFailure,
    NotCoordinator,
    NotEnoughReplicas,
    NotLeaderOrFollower,
    OperationNotAttempted,
    OutOfOrderSequence,
    Refusal,
    TransactionAbortable,
    TransactionalIdAuthorizationFailed,
)
from penstock.model import BrokerId, LeaderEpoch, TopicPartition
from penstock.replication import ALL, Partitions
from penstock.wire.markers import Marker, MarkerType
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from penstock.wire.messages.produce_response import PartitionProduceResponse, ProduceResponse

QUOTAS = SomeQuotas().quotas


P = 7


class Gate:
    """Lets everything through but what a test refuses; `meanwhile` happens while it is asked. One that `knows` need not
    be waited for, one that `asks_again` does so where a guard was ended.
    """

    def __init__(
        self,
        meanwhile: Callable[[], object] = lambda: None,
        *,
        knows: bool = False,
        asks_again: bool = False,
        **refused: Refusal,
    ) -> None:
        self._knows = knows
        self._asks_again = asks_again
        self.asked: list[tuple[str, int, int, list[int], bool]] = []
        self._meanwhile = meanwhile
        self._refused = {int(name.removeprefix("p")): refusal for name, refusal in refused.items()}

    async def admit(
        self, asked: AddOrVerifyPartitions, *, again: Callable[[], None], holds: Callable[[TopicPartition], bool]
    ) -> Outcomes:
        self._note(asked)
        await asyncio.sleep(0)
        self._meanwhile()
        if self._asks_again and not all(map(holds, asked.partitions)):
            again()
        return {partition: self._refused.get(partition.partition) for partition in asked.partitions}

    def admit_at_once(self, asked: AddOrVerifyPartitions) -> Outcomes | None:
        if not self._knows:
            return None
        self._note(asked)
        return {partition: self._refused.get(partition.partition) for partition in asked.partitions}

    def _note(self, asked: AddOrVerifyPartitions) -> None:
        indexes: list[int] = [at.partition for at in asked.partitions]
        adds = not asked.verify_only
        self.asked.append((asked.transactional_id, asked.producer_id, asked.producer_epoch, indexes, adds))


async def send(
    partitions: SomePartitions,
    *batches: bytearray,
    gate: Gate | None = None,
    transactional_id: str | None = "tx",
    version: int = 12,
    acks: int = ALL,
) -> list[PartitionProduceResponse]:
    topic = TopicProduceData(
        partition_data=[PartitionProduceData(index=at, records=bytes(batch)) for at, batch in enumerate(batches)]
    )
    if version >= 13:
        topic.topic_id = TOPIC_ID
    else:
        topic.name = TOPIC
    asked = ProduceRequest(transactional_id=transactional_id, acks=acks, timeout_ms=30_000, topic_data=[topic])
    frame = memoryview(bytearray(asked.encode(version)))
    context = RequestContext(api_version=version, client_id="me", listener="PLAINTEXT", peer="10.0.0.1:5")
    knows: Any = SimpleNamespace(topics={TOPIC: None}, topics_by_id={TOPIC_ID: None})
    deadlines = Deadlines(asyncio.get_running_loop())
    reply: Any = produce(
        frame,
        0,
        context,
        cast(Partitions, partitions),
        knows,
        cast(Any, gate),
        deadlines,
        partitions.opener,
        Authorizer(),
        QUOTAS,
    )
    while isawaitable(reply):
        frame[:] = bytes(len(frame))  # the connection's buffer is used again as soon as the handler has returned
        reply = await reply
    (answered,) = ProduceResponse.decode(b"".join(map(bytes, reply)), version).responses
    return answered.partition_responses


def codes(answers: list[PartitionProduceResponse]) -> list[int]:
    return [answer.error_code for answer in answers]


def batch(partitions: SomePartitions, sequence: int = 0, *, epoch: int = 0, producer: int = P) -> bytearray:
    return partitions.batch(producer=producer, sequence=sequence, epoch=epoch, transactional=True)


# Asking -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize(("version", "adds"), [(3, False), (7, False), (11, False), (12, True), (13, True)])
async def test_the_coordinator_is_asked_once_a_transaction_and_partition(
    make: Make, version: int, adds: bool, knows: bool
) -> None:
    partitions, gate = make(2), Gate(knows=knows)
    for sequence in range(3):
        answers = await send(
            partitions, batch(partitions, sequence), batch(partitions, sequence), gate=gate, version=version
        )
        assert [(answer.error_code, answer.base_offset) for answer in answers] == [(0, sequence)] * 2
    assert gate.asked == [("tx", P, 0, [0, 1], adds)]
    assert partitions[1].last_stable_offset == 0


async def test_a_partition_that_joins_later_is_asked_for_alone(make: Make) -> None:
    partitions, gate = make(2), Gate()
    await send(partitions, batch(partitions), gate=gate)
    await send(partitions, batch(partitions, 1), batch(partitions), gate=gate)
    assert [asked[3] for asked in gate.asked] == [[0], [1]]
    assert [partitions[0].log.end_offset, partitions[1].log.end_offset] == [2, 1]


async def test_a_marker_that_comes_while_the_coordinator_is_asked_keeps_the_batch_out(make: Make) -> None:
    partitions = make()

    def abort() -> None:
        partitions[0].transactions.append_marker(
            Marker(MarkerType.ABORT, 1), producer_id=P, producer_epoch=0, transaction_version=1
        )

    assert codes(await send(partitions, batch(partitions), gate=Gate(abort))) == [InvalidTxnState.code]
    assert partitions[0].last_stable_offset == partitions[0].log.end_offset == 1


async def test_a_marker_before_the_coordinator_is_asked_again_is_the_former_transactions(make: Make) -> None:
    """A producer that goes on before its last transaction's markers are written waits for them and is let in."""
    partitions = make()

    def abort() -> None:
        partitions[0].transactions.append_marker(
            Marker(MarkerType.ABORT, 1), producer_id=P, producer_epoch=1, transaction_version=2
        )

    taken = await send(partitions, batch(partitions, epoch=1), gate=Gate(abort, asks_again=True))
    assert codes(taken) == [0] and partitions[0].log.end_offset == 2


async def test_asking_again_gives_no_guard_where_nobody_was_asked(make: Make) -> None:
    """The transaction was open on the second partition, so the question did not name it; then a marker ended it."""
    partitions = make(2)
    await send(partitions, batch(partitions), batch(partitions), gate=Gate())
    marker = Marker(MarkerType.ABORT, 1)
    partitions[0].transactions.append_marker(marker, producer_id=P, producer_epoch=0, transaction_version=1)

    def abort() -> None:
        for index in range(2):
            partitions[index].transactions.append_marker(marker, producer_id=P, producer_epoch=0, transaction_version=1)

    gate = Gate(abort, asks_again=True)
    answers = await send(partitions, batch(partitions, 1), batch(partitions, 1), gate=gate)
    assert [asked[3] for asked in gate.asked] == [[0]]
    assert codes(answers) == [0, InvalidTxnState.code]


async def test_leadership_that_is_lost_meanwhile_refuses_the_batch(make: Make) -> None:
    partitions = make()

    def lose() -> None:
        partitions[0].leadership.lead(epoch=LeaderEpoch(4), leader=BrokerId(2), replicas=(), in_sync=())

    (answer,) = await send(partitions, batch(partitions), gate=Gate(lose))
    assert (answer.error_code, answer.current_leader.leader_id) == (NotLeaderOrFollower.code, 2)


@pytest.mark.parametrize("knows", [False, True])
async def test_a_batch_is_copied_only_where_the_coordinator_must_be_waited_for(
    make: Make, knows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[int] = []
    monkeypatch.setattr("penstock.broker.handlers.produce._Produce.own_records", lambda _work: copied.append(1))
    partitions = make()
    frame = batch(partitions)
    # What is not copied has to be in the log when the handler returns: `send` wipes the frame then.
    assert codes(await send(partitions, frame, gate=Gate(knows=knows))) == [0 if knows else InvalidRecord.code]
    assert len(copied) == (0 if knows else 1)


async def test_each_partition_has_its_own_outcome(make: Make) -> None:
    partitions = make(3)
    partitions[1].transactions.append_marker(
        Marker(MarkerType.ABORT, 1), producer_id=P, producer_epoch=3, transaction_version=1
    )
    gate = Gate(p2=NotCoordinator())
    answers = await send(partitions, *[batch(partitions) for _ in range(3)], gate=gate)
    assert codes(answers) == [0, InvalidProducerEpoch.code, NotEnoughReplicas.code]
    assert gate.asked == [("tx", P, 0, [0, 2], True)], "nobody is asked for what the partition itself refuses"
    assert [answer.log_start_offset for answer in answers] == [0, -1, -1]


async def test_a_compacted_topic_takes_transactions_too(make: Make) -> None:
    partitions, gate = make(cleanup_policy="compact"), Gate()
    assert codes(await send(partitions, batch(partitions), gate=gate)) == [0]
    assert codes(await send(partitions, batch(partitions, 1), gate=gate)) == [0]
    assert (len(gate.asked), partitions[0].log.end_offset) == (1, 2)


async def test_batches_outside_a_transaction_need_no_coordinator(make: Make) -> None:
    partitions = make(2)
    plain = [partitions.batch(), partitions.batch(producer=P, sequence=0)]
    assert codes(await send(partitions, *plain, gate=None)) == [0, 0]


# What is answered -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refusal", "version", "told"),
    [
        (CoordinatorLoadInProgress(), 12, NotEnoughReplicas),
        (CoordinatorNotAvailable(), 3, NotEnoughReplicas),
        (NotCoordinator(), 11, NotEnoughReplicas),
        (NetworkFailure(), 13, NotEnoughReplicas),
        (OperationNotAttempted(), 12, NotEnoughReplicas),
        (ConcurrentTransactions(), 11, NotEnoughReplicas),
        (ConcurrentTransactions(), 12, ConcurrentTransactions),
        (TransactionAbortable(), 10, InvalidTxnState),
        (TransactionAbortable(), 11, TransactionAbortable),
        (InvalidTxnState(), 9, InvalidTxnState),
        (InvalidTxnState(), 12, InvalidTxnState),
        (InvalidProducerEpoch(), 12, InvalidProducerEpoch),
        (InvalidProducerIdMapping(), 9, InvalidProducerIdMapping),
    ],
)
async def test_a_coordinators_refusal_is_told_as_the_version_knows_it(
    make: Make, refusal: Refusal, version: int, told: type[Refusal]
) -> None:
    partitions = make()
    (answer,) = await send(partitions, batch(partitions), gate=Gate(p0=refusal), version=version)
    assert (answer.error_code, answer.base_offset) == (told.code, -1)
    assert partitions[0].log.end_offset == 0
    # Sent again, once the coordinator can be asked, it is taken.
    assert codes(await send(partitions, batch(partitions), gate=Gate(), version=version)) == [0]


async def test_transactional_records_without_a_transactional_id_are_refused_with_all_the_rest(make: Make) -> None:
    partitions = make(2)
    answers = await send(partitions, batch(partitions), partitions.batch(), transactional_id=None)
    assert codes(answers) == [TransactionalIdAuthorizationFailed.code] * 2
    (alone,) = await send(partitions, batch(partitions), transactional_id=None)
    assert (alone.error_code, alone.log_start_offset) == (TransactionalIdAuthorizationFailed.code, -1)
    assert partitions[0].log.end_offset == partitions[1].log.end_offset == 0


async def test_one_request_holds_one_producers_transaction(make: Make) -> None:
    partitions = make(2)
    answers = await send(partitions, batch(partitions), batch(partitions, producer=8), gate=Gate())
    assert codes(answers) == [InvalidProducerIdMapping.code] * 2


async def test_a_transactional_batch_that_names_no_producer_is_refused(make: Make) -> None:
    partitions = make()
    nobodys = partitions.batch(transactional=True)
    assert codes(await send(partitions, nobodys, gate=None)) == [InvalidRecord.code]


async def test_acks_that_mean_nothing_are_refused_before_anybody_is_asked(make: Make) -> None:
    partitions, gate = make(), Gate()
    assert codes(await send(partitions, batch(partitions), gate=gate, acks=2)) == [InvalidRequiredAcks.code]
    assert gate.asked == []


async def test_a_higher_sequence_is_not_let_in_before_the_one_that_was_refused(make: Make) -> None:
    partitions = make()
    await send(partitions, batch(partitions, 0), gate=Gate(p0=CoordinatorLoadInProgress()), version=11)
    late = await send(partitions, batch(partitions, 1), gate=Gate(), version=11)
    assert codes(late) == [OutOfOrderSequence.code]
    assert codes(await send(partitions, batch(partitions, 0), gate=Gate(), version=11)) == [0]
    assert codes(await send(partitions, batch(partitions, 1), gate=Gate(), version=11)) == [0]

"""Produce: the straight way of a request with one batch, and the general one, answer alike and append once."""

import asyncio
import errno
import os
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from tests.support.logs import TOPIC_ID
from tests.support.partitions import TOPIC, Make, SomePartitions
from tests.support.quotas import SomeQuotas

from penstock.access.authorizer import Authorizer
from penstock.access.quotas.client_quotas import ClientQuotas
from penstock.broker.deadlines import Deadlines
from penstock.broker.handlers.produce import produce
from penstock.broker.peer_authentication import Caller
from penstock.broker.registry import RequestContext, Unanswerable
from penstock.cluster.image.shapes import partition_without_key
from penstock.errors import (
    CorruptMessage,
    DuplicateSequence,
    InvalidRecord,
    InvalidRequiredAcks,
    InvalidTopic,
    KafkaStorageError,
    NotLeaderOrFollower,
    OutOfOrderSequence,
    PolicyViolation,
    RequestTimedOut,
    UnknownTopicOrPartition,
)
from penstock.model import BrokerId, LeaderEpoch
from penstock.replication import Promise
from penstock.replication.log_port import on_disk
from penstock.settings import Config
from penstock.wire.fetch import FetchPartition
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from penstock.wire.messages.produce_response import PartitionProduceResponse, ProduceResponse

QUOTAS = SomeQuotas().quotas


ALL_VERSIONS = range(3, 14)


def call(
    partitions: SomePartitions,
    *batches: bytes | bytearray | None,
    version: int = 10,
    acks: int = 1,
    timeout_ms: int = 30_000,
    first: int = 0,
    caller: Caller | None = None,
    client_id: str = "me",
    quotas: ClientQuotas | None = None,
    authorizer: Authorizer | None = None,
    target: str = "",
) -> Any:
    """What the handler gives for one batch a partition, from partition `first` on. With a `target` it is a schedule
    topic.
    """
    parts = [
        PartitionProduceData(index=first + number, records=None if batch is None else bytes(batch))
        for number, batch in enumerate(batches)
    ]
    topic = TopicProduceData(partition_data=parts)
    if version >= 13:
        topic.topic_id = TOPIC_ID
    else:
        topic.name = TOPIC
    frame = ProduceRequest(acks=acks, timeout_ms=timeout_ms, topic_data=[topic]).encode(version)
    context = RequestContext(version, client_id, "PLAINTEXT", "10.0.0.1:5", caller=caller or Caller())
    topic_image = SimpleNamespace(name=TOPIC, source=None, overrides={"penstock.schedule.target": target})
    knows: Any = SimpleNamespace(topics={TOPIC: topic_image}, topics_by_id={TOPIC_ID: topic_image})
    no_gate: Any = None
    deadlines = Deadlines(asyncio.get_running_loop())
    some: Any = partitions
    return produce(
        memoryview(bytearray(frame)),
        0,
        context,
        some,
        knows,
        no_gate,
        deadlines,
        partitions.opener,
        authorizer or Authorizer(),
        quotas or QUOTAS,
    )


def read(reply: Any, version: int = 10) -> list[PartitionProduceResponse]:
    response = ProduceResponse.decode(b"".join(map(bytes, reply)), version)
    (topic,) = response.responses
    assert topic.topic_id == TOPIC_ID if version >= 13 else topic.name == TOPIC
    return topic.partition_responses


@pytest.mark.parametrize("version", ALL_VERSIONS)
@pytest.mark.parametrize("acks", [1, -1])
async def test_each_batch_is_appended_once_and_told_its_own_offset(make: Make, version: int, acks: int) -> None:
    partitions = make()
    for base_offset in (0, 3, 6):
        (answer,) = read(call(partitions, partitions.batch(3), version=version, acks=acks), version)
        assert (answer.index, answer.error_code, answer.base_offset) == (0, 0, base_offset)
        assert answer.log_append_time_ms == -1
        assert answer.log_start_offset == (0 if version >= 5 else -1)
    assert (partitions[0].log.end_offset, partitions.metrics.totalproducerequests) == (9, 3)


@pytest.mark.parametrize("version", ALL_VERSIONS)
async def test_one_batch_is_answered_as_it_is_among_several(make: Make, version: int) -> None:
    alone, several = make(), make(2)
    (one,) = read(call(alone, alone.batch(2), version=version), version)
    same, other = read(call(several, several.batch(2), several.batch(1), version=version), version)
    assert one == same
    assert (other.index, other.base_offset) == (1, 0)


async def test_a_stamping_topic_tells_its_time(make: Make) -> None:
    partitions = make(message_timestamp_type="LogAppendTime")
    (answer,) = read(call(partitions, partitions.batch()))
    assert answer.log_append_time_ms == partitions.clock.now()
    assert on_disk(partitions[0].log).active.max_timestamp == partitions.clock.now()


@pytest.mark.parametrize("version", ALL_VERSIONS)
async def test_strangers_do_not_write_to_internal_topics_whatever_their_cleanup_policy(
    make: Make, version: int
) -> None:
    partitions = make()
    partitions[0].is_internal = True
    for client_id in ("me", "__admin_client"):  # which is a right in Apache Kafka
        (answer,) = read(call(partitions, partitions.batch(), version=version, client_id=client_id), version)
        assert answer.error_code == InvalidTopic.code
    assert partitions[0].log.end_offset == 0


async def test_a_corrupt_batch_is_refused_and_not_appended(make: Make) -> None:
    partitions = make()
    batch = partitions.batch()
    batch[-1] ^= 1
    (answer,) = read(call(partitions, batch))
    assert (answer.error_code, answer.base_offset, answer.log_start_offset) == (CorruptMessage.code, -1, -1)
    assert answer.error_message is not None and "CRC" in answer.error_message
    assert (partitions[0].log.end_offset, partitions.metrics.failedproducerequests) == (0, 1)


async def test_a_batch_sent_again_is_told_where_the_first_is(make: Make) -> None:
    partitions = make()
    for sequence in (0, 1, 0):
        (answer,) = read(call(partitions, partitions.batch(producer=9, sequence=sequence)))
        assert (answer.error_code, answer.base_offset) == (0, sequence)
    (answer,) = read(call(partitions, partitions.batch(producer=9, sequence=7)))
    assert answer.error_code == OutOfOrderSequence.code
    assert partitions[0].log.end_offset == 2


async def test_a_batch_sent_again_too_late_is_told_that_it_is_there(make: Make) -> None:
    partitions = make()
    for sequence in range(8):
        call(partitions, partitions.batch(producer=9, sequence=sequence))
    (answer,) = read(call(partitions, partitions.batch(producer=9, sequence=1)))
    assert (answer.error_code, answer.base_offset) == (DuplicateSequence.code, -1)
    assert partitions[0].log.end_offset == 8


async def test_a_batch_sent_again_too_late_is_answered_when_it_is_replicated(make: Make) -> None:
    partitions = make()
    both = (BrokerId(1), BrokerId(2))
    partitions[0].leadership.lead(epoch=LeaderEpoch(3), leader=BrokerId(1), replicas=both, in_sync=both)
    for sequence in range(8):
        call(partitions, partitions.batch(producer=9, sequence=sequence), acks=1)
    reply = call(partitions, partitions.batch(producer=9, sequence=1), acks=-1)
    await asyncio.sleep(0)
    assert not reply.done()
    asked = FetchPartition(0, 8, 1000, current_leader_epoch=3, last_fetched_epoch=3)
    partitions[0].followers.fetched(BrokerId(2), asked, broker_epoch=20)
    (answer,) = read(await reply)
    assert (answer.error_code, answer.base_offset) == (DuplicateSequence.code, -1)


async def test_a_failed_write_is_told_and_leaves_nothing(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    partitions = make()
    read(call(partitions, partitions.batch()))

    def full(*_: object) -> int:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwritev", full)
        (answer,) = read(call(partitions, partitions.batch()))
    assert (answer.error_code, answer.log_start_offset) == (KafkaStorageError.code, -1)
    assert partitions[0].log.end_offset == 1


async def test_who_does_not_lead_says_who_does(make: Make) -> None:
    partitions = make()
    partitions[0].leadership.lead(
        epoch=LeaderEpoch(4), leader=BrokerId(2), replicas=(BrokerId(2),), in_sync=(BrokerId(2),)
    )
    (answer,) = read(call(partitions, partitions.batch()))
    assert answer.error_code == NotLeaderOrFollower.code
    assert (answer.current_leader.leader_id, answer.current_leader.leader_epoch) == (2, 4)


async def test_who_waits_for_replicas_when_another_takes_over_is_told_who_does(make: Make) -> None:
    partitions = make()
    both = (BrokerId(1), BrokerId(2))
    partitions[0].leadership.lead(epoch=LeaderEpoch(3), leader=BrokerId(1), replicas=both, in_sync=both)
    reply = call(partitions, partitions.batch(), acks=-1)
    assert isinstance(reply, Promise) and not reply.done()
    partitions[0].leadership.lead(epoch=LeaderEpoch(4), leader=BrokerId(2), replicas=both, in_sync=both)
    (answer,) = read(await reply)
    assert (answer.error_code, answer.base_offset) == (NotLeaderOrFollower.code, -1)
    assert (answer.current_leader.leader_id, answer.current_leader.leader_epoch) == (2, 4)


async def test_a_leader_that_is_cut_off_sends_those_who_wait_in_vain_to_look_for_another(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.broker.handlers.produce.LOOK_AGAIN_MS", 10)
    partitions = make()
    both = (BrokerId(1), BrokerId(2))
    partitions[0].leadership.lead(epoch=LeaderEpoch(3), leader=BrokerId(1), replicas=both, in_sync=both)
    reply = call(partitions, partitions.batch(), acks=-1)
    await asyncio.sleep(0.05)
    assert not reply.done(), "a follower may just be slow"
    partitions.is_cut_off = lambda: True
    (answer,) = read(await reply)
    assert (answer.error_code, answer.base_offset) == (NotLeaderOrFollower.code, -1)
    assert answer.current_leader.leader_id == -1, "not itself, and it knows of no other"


async def test_a_leader_that_is_cut_off_tells_nobody_that_a_batch_is_out_of_order(make: Make) -> None:
    """Its successor may have what comes before: a producer that believed it would send that again in a new epoch."""
    partitions = make()
    assert read(call(partitions, partitions.batch(producer=7, sequence=0)))[0].error_code == 0
    (answer,) = read(call(partitions, partitions.batch(producer=7, sequence=5)))
    assert (answer.error_code, answer.log_start_offset) == (OutOfOrderSequence.code, 0)
    partitions.is_cut_off = lambda: True
    (answer,) = read(call(partitions, partitions.batch(producer=7, sequence=5)))
    assert (answer.error_code, answer.current_leader.leader_id) == (NotLeaderOrFollower.code, -1)


async def test_an_unknown_partition_and_a_missing_batch_are_refused(make: Make) -> None:
    partitions = make()
    (answer,) = read(call(partitions, partitions.batch(), first=5))
    assert answer.error_code == UnknownTopicOrPartition.code
    (answer,) = read(call(partitions, None))
    assert answer.error_code == InvalidRecord.code


@pytest.mark.parametrize("version", ALL_VERSIONS)
async def test_a_partition_that_others_keep_is_answered_with_its_leader(make: Make, version: int) -> None:
    partitions = make()
    partitions.elsewhere[5] = msgspec.structs.replace(
        partition_without_key(5), leader=BrokerId(2), leader_epoch=LeaderEpoch(9)
    )
    (answer,) = read(call(partitions, partitions.batch(), first=5, version=version), version)
    assert answer.error_code == NotLeaderOrFollower.code
    if version >= 10:
        assert (answer.current_leader.leader_id, answer.current_leader.leader_epoch) == (2, 9)


async def test_nothing_is_appended_for_acks_that_do_not_exist(make: Make) -> None:
    partitions = make()
    (answer,) = read(call(partitions, partitions.batch(), acks=2))
    assert answer.error_code == InvalidRequiredAcks.code
    assert partitions[0].log.end_offset == 0


async def test_without_acks_nothing_is_answered_and_a_refusal_ends_the_connection(make: Make) -> None:
    partitions = make()
    assert call(partitions, partitions.batch(), acks=0) is None
    assert partitions[0].log.end_offset == 1
    with pytest.raises(Unanswerable):
        call(partitions, b"no batch", acks=0)


@pytest.mark.parametrize("acks", [1, -1])
async def test_a_topic_that_flushes_first_answers_after_the_flush(make: Make, acks: int) -> None:
    partitions = make(penstock_flush_before_ack="true")
    reply = call(partitions, partitions.batch(), acks=acks)
    assert isinstance(reply, Promise)
    await asyncio.sleep(0)
    assert not reply.done() and partitions[0].log.end_offset == 1
    partitions.flusher.gates[0].set_result(None)
    (answer,) = read(await reply)
    assert (answer.error_code, answer.base_offset) == (0, 0)


async def test_a_flush_that_takes_too_long_is_a_timeout(make: Make) -> None:
    partitions = make(penstock_flush_before_ack="true")
    (answer,) = read(await call(partitions, partitions.batch(), acks=-1, timeout_ms=1))
    assert (answer.error_code, answer.base_offset) == (RequestTimedOut.code, -1)


async def test_a_topic_that_opens_batches_does_so_before_it_appends(make: Make) -> None:
    partitions = make(cleanup_policy="compact")
    opening = call(partitions, partitions.batch(200))
    assert partitions[0].log.end_offset == 0
    (answer,) = read(await opening)
    assert (answer.error_code, answer.base_offset, partitions[0].log.end_offset) == (0, 0, 200)
    (answer,) = read(call(partitions, partitions.batch(2, key=None)))
    assert answer.error_code == InvalidRecord.code
    assert [error.batch_index for error in answer.record_errors] == [0, 1]
    assert partitions[0].log.end_offset == 200


# Tenants --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("acks", [1, -1])
async def test_a_tenant_that_keeps_too_much_is_refused_by_name(make: Make, acks: int) -> None:
    partitions, some = make(), SomeQuotas({"tenant=ord": {"stored_bytes": 300}})
    some.quotas.tenants.sizes = lambda: [(TOPIC, partitions[0].log.size)]
    batch = partitions.batch(3)
    taken = 300 // len(batch)
    answers = [read(call(partitions, batch, acks=acks, quotas=some.quotas))[0] for _ in range(taken + 1)]
    assert [each.error_code for each in answers] == [0] * taken + [PolicyViolation.code]
    assert "tenant ord" in (answers[-1].error_message or "")
    assert partitions[0].end_offset == 3 * taken
    some.set("tenant=ord", stored_bytes=3_000)
    assert read(call(partitions, batch, acks=acks, quotas=some.quotas))[0].error_code == 0


async def test_what_is_to_go_on_to_a_full_tenant_is_refused_at_once(make: Make) -> None:
    partitions, some = make(), SomeQuotas({"tenant=acme.": {"stored_bytes": 300}})
    some.quotas.tenants.sizes = lambda: [("acme.orders", 299)]
    (answer,) = read(call(partitions, partitions.batch(3), quotas=some.quotas, target="acme.orders"))
    assert answer.error_code == PolicyViolation.code and "tenant acme." in (answer.error_message or "")
    assert partitions[0].end_offset == 0
    assert read(call(partitions, partitions.batch(3), quotas=some.quotas, target="other"))[0].error_code == 0


async def test_what_a_tenant_writes_too_fast_it_is_told(make: Make) -> None:
    partitions, some = make(), SomeQuotas({"tenant=ord": {"producer_byte_rate": 1}})
    batch = partitions.batch(3)
    answer = ProduceResponse.decode(b"".join(call(partitions, batch, quotas=some.quotas)), 10)
    assert answer.throttle_time_ms == 1_000 * (len(batch) - 10)
    assert answer.responses[0].partition_responses[0].error_code == 0


async def test_a_tenant_is_charged_for_what_was_let_in_alone(make: Make) -> None:
    partitions, some = make(2), SomeQuotas({f"tenant={TOPIC}": {"producer_byte_rate": 1}})
    nobody_may = Authorizer(Config.for_broker({"authorizer.class.name": "penstock"}))

    def throttled_ms(*batches: bytearray, **how: Any) -> int:
        reply = call(partitions, *batches, quotas=some.quotas, **how)
        return ProduceResponse.decode(b"".join(map(bytes, reply)), 10).throttle_time_ms

    transactional = partitions.batch(producer=7, sequence=0, transactional=True)
    assert throttled_ms(transactional, authorizer=nobody_may) == 0
    assert throttled_ms(partitions.batch(), authorizer=nobody_may) == 0
    assert throttled_ms(partitions.batch(), acks=7) == 0
    corrupt = partitions.batch()
    corrupt[-1] ^= 1
    assert throttled_ms(corrupt) == 0
    assert partitions[0].log.end_offset == 0
    assert throttled_ms(partitions.batch(), corrupt) > 0
    assert partitions[0].log.end_offset == 1

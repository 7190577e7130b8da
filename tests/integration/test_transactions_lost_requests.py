"""A broker dies around one request of a transaction, before or after it was carried out: what clients make of it.

librdkafka speaks the older protocol of transactions, in which ends leave the epoch; Kafka's own client the newer, in
which an end sent again comes with the former epoch (KIP-890). Each case is played on Penstock and on Apache Kafka:
where a producer fails, it fails with both.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import NamedTuple

import pytest
from confluent_kafka import KafkaError, KafkaException, Message, Producer
from tests.support import java
from tests.support.clients import fresh_name, make_topic, read_decided
from tests.support.group_clients import topic_with_records
from tests.support.kafka import ApacheKafka, free_ports
from tests.support.losing import LosingProxy, Lost

import penstock.testing

PRODUCE, ADD_PARTITIONS, END, TXN_OFFSET_COMMIT = 0, 24, 26, 28
COPIER = "org.apache.kafka.tools.TransactionalMessageCopier"
RECORDS, TRANSACTION_SIZE = 600, 20
WITHIN_S = 120.0


class Ports(NamedTuple):
    """Where clients are sent, and where the broker listens."""

    advertised: int
    broker: int


@pytest.fixture(scope="module", params=["penstock", "kafka"])
def ports(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ports]:
    advertised, port = free_ports(2)
    settings = {"advertised.listeners": f"PLAINTEXT://127.0.0.1:{advertised}"}
    if request.param == "kafka":
        with ApacheKafka(tmp_path_factory.mktemp("kafka"), settings=settings) as kafka:
            yield Ports(advertised, kafka.port)
    else:
        settings["listeners"] = f"PLAINTEXT://127.0.0.1:{port}"
        with penstock.testing.broker(settings, mode="process"):
            yield Ports(advertised, port)


@pytest.fixture
async def proxy(ports: Ports) -> AsyncIterator[LosingProxy]:
    async with LosingProxy(ports.advertised, to=ports.broker) as proxy:
        yield proxy


class Writer:
    """A transactional producer with a topic of its own, its first transaction committed."""

    def __init__(self, proxy: LosingProxy) -> None:
        self.bootstrap = f"127.0.0.1:{proxy.port}"
        self.topic = make_topic(self.bootstrap, "lost")
        self.given_up = threading.Event()
        """A record that was waiting is thrown away: an abort has begun."""
        self._transactional_id = fresh_name("tx")
        self.producer = self.renew()
        self.begin(b"first")
        self.producer.commit_transaction(WITHIN_S)

    def renew(self) -> Producer:
        self.producer = Producer(
            {
                "bootstrap.servers": self.bootstrap,
                "transactional.id": self._transactional_id,
                "metadata.recovery.strategy": "none",
                "reconnect.backoff.max.ms": 100,
                "retry.backoff.max.ms": 100,
                "log_level": 0,
            }
        )
        self.producer.init_transactions(WITHIN_S)
        return self.producer

    def begin(self, value: bytes) -> None:
        self.producer.begin_transaction()
        self.producer.produce(self.topic, value, partition=0, on_delivery=self._delivered)

    def _delivered(self, error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            self.given_up.set()

    def read(self) -> list[bytes | None]:
        return [message.value() for message in read_decided(self.bootstrap, self.topic)]


async def test_an_abort_of_what_the_coordinator_never_heard_of_is_fatal_and_the_next_producer_goes_on(
    proxy: LosingProxy,
) -> None:
    """The transaction before is complete, and an abort of it would be a lie: it is refused, and librdkafka takes every
    such refusal as fatal (its issue 4849).
    """
    writer = await asyncio.to_thread(Writer, proxy)
    proxy.lose(ADD_PARTITIONS, Lost.REQUEST)
    writer.begin(b"never sent")
    await proxy.has_lost.wait()
    aborting = asyncio.create_task(asyncio.to_thread(writer.producer.abort_transaction, WITHIN_S))
    assert await asyncio.to_thread(writer.given_up.wait, WITHIN_S), "the abort has begun while nobody gets through"
    proxy.restore()
    with pytest.raises(KafkaException) as failed:
        await aborting
    assert failed.value.args[0].code() == KafkaError.INVALID_TXN_STATE
    assert failed.value.args[0].fatal()
    await asyncio.to_thread(writer.renew)
    writer.begin(b"second")
    await asyncio.to_thread(writer.producer.commit_transaction, WITHIN_S)
    assert await asyncio.to_thread(writer.read) == [b"first", b"second"]


@pytest.mark.parametrize("what", Lost)
async def test_a_commit_is_asked_for_again_and_done_once(proxy: LosingProxy, what: Lost) -> None:
    writer = await asyncio.to_thread(Writer, proxy)
    proxy.lose(END, what)
    writer.begin(b"second")
    committing = asyncio.create_task(asyncio.to_thread(writer.producer.commit_transaction, WITHIN_S))
    await proxy.has_lost.wait()
    proxy.restore()
    await committing
    assert await asyncio.to_thread(writer.read) == [b"first", b"second"]


@pytest.mark.parametrize("what", Lost)
async def test_an_abort_is_asked_for_again_and_done_once(proxy: LosingProxy, what: Lost) -> None:
    writer = await asyncio.to_thread(Writer, proxy)
    proxy.lose(END, what)
    writer.begin(b"aborted")
    assert await asyncio.to_thread(writer.producer.flush, WITHIN_S) == 0
    aborting = asyncio.create_task(asyncio.to_thread(writer.producer.abort_transaction, WITHIN_S))
    await proxy.has_lost.wait()
    proxy.restore()
    await aborting
    writer.begin(b"second")
    await asyncio.to_thread(writer.producer.commit_transaction, WITHIN_S)
    assert await asyncio.to_thread(writer.read) == [b"first", b"second"]


async def test_a_transaction_goes_on_though_the_answer_that_its_partition_was_added_is_lost(
    proxy: LosingProxy,
) -> None:
    writer = await asyncio.to_thread(Writer, proxy)
    proxy.lose(ADD_PARTITIONS, Lost.ANSWER)
    writer.begin(b"second")
    await proxy.has_lost.wait()
    proxy.restore()
    await asyncio.to_thread(writer.producer.commit_transaction, WITHIN_S)
    assert await asyncio.to_thread(writer.read) == [b"first", b"second"]


async def test_kafkas_copier_copies_every_record_once_though_requests_and_answers_are_lost(proxy: LosingProxy) -> None:
    bootstrap = f"127.0.0.1:{proxy.port}"
    source = await asyncio.to_thread(topic_with_records, bootstrap, "copied", RECORDS, partitions=1)
    target = await asyncio.to_thread(make_topic, bootstrap, "copy")
    copying = asyncio.create_task(
        asyncio.to_thread(
            java.run,
            COPIER,
            *("--broker-list", bootstrap, "--input-topic", source, "--input-partition", "0", "--output-topic", target),
            *("--transactional-id", fresh_name("copier"), "--consumer-group", fresh_name("group")),
            *("--transaction-size", str(TRANSACTION_SIZE), "--enable-random-aborts"),
        )
    )
    losing = asyncio.create_task(_lose_all(proxy))
    await asyncio.wait((copying, losing), return_when=asyncio.FIRST_COMPLETED)
    assert losing.done(), "there was something left to lose when all was copied"
    await copying
    records = await asyncio.to_thread(read_decided, bootstrap, target)
    assert [int(record.value() or b"") for record in records] == list(range(RECORDS))


async def _lose_all(proxy: LosingProxy) -> None:
    for api_key in (END, PRODUCE, TXN_OFFSET_COMMIT, END):
        for what in Lost:
            proxy.lose(api_key, what)
            await proxy.has_lost.wait()
            proxy.restore()

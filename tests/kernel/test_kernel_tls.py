"""TLS in a kernel that has it. Started by `make test-kernel-tls`, in user-mode Linux: the own kernel may have none."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.kafka import free_ports
from tests.support.tls import Certificates

import penstock.testing
from penstock.transport.kernel_tls import kernel_can_encrypt

WITHIN_S = 120.0
VALUES = [bytes([number]) * 300_000 for number in range(1, 60)]


def handed_over() -> int:
    """Connections that this kernel was given keys of, for sending, since it started."""
    counts = dict(line.split() for line in Path("/proc/net/tls_stat").read_text().splitlines())
    return int(counts["TlsTxSw"])


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def address(certificates: Certificates) -> Iterator[str]:
    (port,) = free_ports(1)
    settings = {"listeners": f"SSL://127.0.0.1:{port}", "penstock.tls.kernel": "always", **certificates.of_broker()}
    with penstock.testing.broker(settings):
        yield f"127.0.0.1:{port}"


def test_this_kernel_has_tls() -> None:
    assert kernel_can_encrypt()


@pytest.mark.parametrize("limits", [{}, {"ssl.cipher.suites": "ECDHE-ECDSA-AES256-GCM-SHA384"}])
def test_records_are_sent_from_their_files(certificates: Certificates, address: str, limits: dict[str, str]) -> None:
    before = handed_over()
    topic = "kernel-" + "-".join(limits or ["any"])
    config = certificates.of_librdkafka(bootstrap=address) | limits
    admin = AdminClient(config)
    admin.create_topics([NewTopic(topic, 1)])[topic].result(WITHIN_S)
    producer = Producer(config)
    for value in VALUES:
        producer.produce(topic, value)
    assert producer.flush(WITHIN_S) == 0
    consumer = Consumer(config | {"group.id": topic})
    consumer.assign([TopicPartition(topic, 0, 0)])
    seen: list[bytes | None] = []
    while len(seen) < len(VALUES):
        seen += [message.value() for message in consumer.consume(len(VALUES) - len(seen), WITHIN_S)]
    consumer.close()
    assert seen == VALUES
    assert handed_over() > before


def test_a_cipher_that_the_kernel_is_not_given_works_too(certificates: Certificates, address: str) -> None:
    greeting = bytes.fromhex("00000013 0012 0000 00000007 0009 7374 7261 6e67 6572 73")
    command = ["openssl", "s_client", "-connect", address, "-CAfile", str(certificates.authority), "-quiet",
               "-verify_quiet", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"]  # fmt: skip
    before = handed_over()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write(greeting)
        client.stdin.flush()
        assert client.stdout.read(8)[4:] == b"\0\0\0\7"
        client.terminate()
    assert handed_over() == before

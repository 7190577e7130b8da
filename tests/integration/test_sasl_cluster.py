"""Three brokers that speak with each other where clients log in: they prove themselves by the cluster's secret."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.support.faults import eventually
from tests.support.kafka import free_ports
from tests.support.programs import ClusterOfPrograms

from penstock.access.sealing import read_keys, write_new_key
from penstock.access.users.first import first_user_lines
from penstock.broker.clock import SystemClock
from penstock.client import Client, Sasl
from penstock.cluster import Keys
from penstock.errors import SaslAuthenticationFailed
from penstock.metastore import open_metastore
from penstock.settings import Config
from penstock.wire.messages.alter_user_scram_credentials_request import ScramCredentialUpsertion

ADMIN = Sasl("admin", "of all")
PATIENCE_S = 60.0
Running = tuple[ClusterOfPrograms, list[str]]
"""And where clients log in."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("secrets")
    first: Path = folder / "first"
    first.touch(0o600)
    first.write_text(first_user_lines(ADMIN.username, ADMIN.password))
    write_new_key(folder / "keys")
    settings = {
        "listener.security.protocol.map": "CLIENTS:SASL_PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "inter.broker.listener.name": "CLIENTS",
        "penstock.secrets.key.file": str(folder / "keys"),
        "penstock.bootstrap.users.file": str(first),
        "penstock.login.timeout.ms": "2000",
    }
    ports = dict(enumerate(free_ports(3), start=1))

    def listening(broker_id: int) -> dict[str, str]:
        return {"listeners": f"PLAINTEXT://127.0.0.1:0,CLIENTS://127.0.0.1:{ports[broker_id]}"}

    with ClusterOfPrograms(folder, settings, settings_of=listening) as cluster:
        yield cluster, [f"127.0.0.1:{port}" for port in ports.values()]


def a_client(bootstrap: str, sasl: Sasl = ADMIN) -> Client:
    return Client(bootstrap, timeout_s=PATIENCE_S, sasl=sasl)


def test_records_are_replicated_and_a_killed_broker_is_told(running: Running) -> None:
    cluster, addresses = running
    with a_client(",".join(addresses)) as client:
        client.create_topics(["orders"]).all()
        cluster.wait_until_in_sync("orders")
        with client.producer() as producer:
            for number in range(100):
                producer.send("orders", b"%d" % number)
        time.sleep(3)  # connections by which brokers only ask whether others live outlast the time for a login
        assert len(client.describe_cluster().brokers) == 3
        assert "suspect" not in "".join(cluster.logs(number) for number in cluster.brokers)
        cluster.kill(3)
        eventually(lambda: len(client.describe_cluster().brokers) == 2, "the killed broker is gone")
        cluster.start(3)
        cluster.wait_until_in_sync("orders")


def test_a_user_is_known_everywhere(running: Running) -> None:
    _, addresses = running
    salted = hashlib.pbkdf2_hmac("sha512", b"mine", b"salt", 4096)
    with a_client(addresses[0]) as client:
        client.alter_scram(put=[ScramCredentialUpsertion("me", 2, 4096, b"salt", salted)]).all()

    def is_known(address: str) -> bool:
        try:
            with a_client(address, Sasl("me", "mine")) as client:
                return bool(client.describe_cluster().brokers)
        except SaslAuthenticationFailed:
            return False

    for address in addresses:
        eventually(partial(is_known, address), "every broker knows the user")


def test_etcd_does_not_tell_the_secret_of_brokers(running: Running, tmp_path: Path) -> None:
    cluster, _ = running
    etcd = cluster.brokers[1].settings["penstock.etcd.endpoints"]

    async def stored() -> bytes:
        store = await open_metastore(Config.for_broker({"penstock.etcd.endpoints": etcd}), tmp_path, SystemClock())
        item = await store.get(Keys("main").secret)
        await store.close()
        assert item is not None
        return item.value

    secret = json.loads(asyncio.run(stored()))["secret"]
    assert secret.startswith(f"{read_keys(Path(cluster.brokers[1].settings['penstock.secrets.key.file'])).current_id}:")

    write_new_key(tmp_path / "another")
    for given in ({}, {"penstock.secrets.key.file": str(tmp_path / "another")}):
        settings = {"penstock.etcd.endpoints": etcd, "node.id": "9", "log.dirs": str(tmp_path / "data"), **given}
        pairs = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
        command = [sys.executable, "-m", "penstock.cli", "up", "--port", "0", "--no-http", *pairs]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 1 and "penstock.secrets.key.file" in done.stderr, done.stderr

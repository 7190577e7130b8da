"""An etcd that asks who is there: users and passwords, certificates both ways."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
import pytest
from tests.support.etcd import etcd_options, open_etcd

from penstock.cli.exits import ExitCode
from penstock.metastore import Put, Revision, Transaction, Unavailable
from penstock.metastore.etcd.failures import AccessDenied
from penstock.metastore.etcd.options import EtcdOptions
from penstock.metastore.etcd.protobuf import chunk, integer, message, text
from penstock.metastore.etcd.store import EtcdMetastore
from penstock.processes.etcd import EtcdCluster

WITHIN_S = 120.0


def put(key: str) -> Transaction:
    return Transaction(puts=(Put(key, b"v"),))


def as_user(options: EtcdOptions, name: str = "penstock", password: str = "secret") -> EtcdOptions:
    return msgspec.structs.replace(options, username=name, password=password)


async def demand_passwords(store: EtcdMetastore) -> None:
    """A root, and a user `penstock` who may use /penstock/main/ and nothing else."""

    async def auth(call: str, request: bytes = b"") -> None:
        await store._client.ask(f"/etcdserverpb.Auth/{call}", request, is_repeatable=True)

    rights = integer(1, 2) + chunk(2, b"/penstock/main/") + chunk(3, b"/penstock/main0")
    await auth("UserAdd", text(1, "root") + text(2, "root-secret"))
    await auth("UserGrantRole", text(1, "root") + text(2, "root"))
    await auth("RoleAdd", text(1, "broker"))
    await auth("RoleGrantPermission", text(1, "broker") + message(2, rights))
    await auth("UserAdd", text(1, "penstock") + text(2, "secret"))
    await auth("UserGrantRole", text(1, "penstock") + text(2, "broker"))
    await auth("AuthEnable")


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[EtcdCluster]:
    with EtcdCluster(tmp_path / "etcd") as cluster:
        store = await open_etcd(cluster)
        await demand_passwords(store)
        await store.close()
        yield cluster


async def test_who_has_the_password_may_use_the_clusters_keys_and_no_others(guarded: EtcdCluster) -> None:
    store = await open_etcd(guarded, change=as_user)
    revision = await store.commit(put("/penstock/main/a"))
    assert (await anext(store.watch("/penstock/main/", revision))).revision == revision
    lease = await store.grant(600_000)
    await store.keep_alive(lease)
    await store.revoke(lease)
    with pytest.raises(AccessDenied, match="permission denied"):
        await store.commit(put("/elsewhere"))
    with pytest.raises(AccessDenied):
        await asyncio.wait_for(anext(store.watch("/", Revision(1))), WITHIN_S)
    await store.close()


@pytest.mark.parametrize(("name", "password"), [("penstock", "wrong"), ("nobody", "secret"), ("", "")])
async def test_who_has_not_is_told_so_in_words(guarded: EtcdCluster, name: str, password: str) -> None:
    with pytest.raises(AccessDenied, match=r"Check penstock\.etcd\.username"):
        await open_etcd(guarded, change=lambda options: as_user(options, name, password))


async def test_a_token_that_has_expired_is_renewed_by_whatever_comes_first(guarded: EtcdCluster) -> None:
    store = await open_etcd(guarded, change=as_user)

    def expire() -> None:
        assert store._client._channel is not None
        store._client._channel.token = "expired.1"

    expire()
    revision = await store.commit(put("/penstock/main/a"))
    expire()
    assert await store.get("/penstock/main/a") is not None
    expire()
    watch = store.watch("/penstock/main/", revision)
    assert (await asyncio.wait_for(anext(watch), WITHIN_S)).revision == revision
    await store.close()


async def test_a_restart_of_etcd_which_forgets_all_tokens_is_not_noticed(guarded: EtcdCluster) -> None:
    store = await open_etcd(guarded, change=as_user)
    first = await store.commit(put("/penstock/main/a"))
    watch = store.watch("/penstock/main/", first)
    assert (await anext(watch)).revision == first
    guarded.members[0].stop()
    guarded.launch(guarded.members[0])
    await asyncio.to_thread(guarded.wait_until_healthy, guarded.members)
    second = await store.commit(put("/penstock/main/a"))
    assert (await asyncio.wait_for(anext(watch), WITHIN_S)).revision == second
    await store.close()


async def test_a_password_for_an_etcd_that_asks_for_none_does_no_harm(etcd: EtcdCluster) -> None:
    store = await open_etcd(etcd, change=as_user)
    await store.commit(put("/penstock/main/a"))
    await store.close()


def test_what_a_command_warns_of_is_not_among_its_outcome(etcd: EtcdCluster) -> None:
    command = [sys.executable, "-m", "penstock.cli", "cluster", "rotate-secret", "--yes", "--json"]
    settings = {
        "penstock.etcd.endpoints": etcd.endpoints,
        "penstock.etcd.username": "penstock",
        "penstock.etcd.password": "secret",
        "penstock.etcd.request.timeout.ms": "60000",
        "penstock.cluster.name": "of-nobody",
    }
    pairs = (text for pair in settings.items() for text in ("--set", "=".join(pair)))
    done = subprocess.run([*command, *pairs], capture_output=True, text=True, timeout=2 * WITHIN_S, check=False)
    assert done.returncode == ExitCode.FAILED and "there is no cluster in this etcd yet" in done.stderr
    assert "etcd asks nobody for a password" in done.stderr
    assert done.stdout == ""


class Authority:
    """Signs certificates for 127.0.0.1, by the openssl of the machine."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self.certificate = folder / f"{name}.pem"
        self._key = folder / f"{name}.key"
        self._openssl("req", "-x509", "-subj", f"/CN={name}", "-keyout", self._key, "-out", self.certificate)

    def sign(self, name: str) -> tuple[Path, Path]:
        """The certificate and its key."""
        certificate, key = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        self._openssl(
            *("req", "-x509", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-addext", "basicConstraints=critical,CA:FALSE", "-CA", self.certificate, "-CAkey", self._key),
            *("-keyout", key, "-out", certificate),
        )
        return certificate, key

    @staticmethod
    def _openssl(*arguments: str | Path) -> None:
        made = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2")
        subprocess.run(["openssl", *arguments, *made], check=True, capture_output=True)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "ours")


@pytest.fixture
def encrypted(tmp_path: Path, authority: Authority) -> Iterator[EtcdCluster]:
    certificate, key = authority.sign("etcd")
    arguments = ("--cert-file", certificate, "--key-file", key, "--trusted-ca-file", authority.certificate)
    with EtcdCluster(
        tmp_path / "etcd", scheme="https", arguments=(*(str(each) for each in arguments), "--client-cert-auth")
    ) as cluster:
        yield cluster


async def test_certificates_are_checked_both_ways(encrypted: EtcdCluster, authority: Authority, tmp_path: Path) -> None:
    certificate, key = authority.sign("broker")
    ours = msgspec.structs.replace(
        etcd_options(encrypted),
        ca_file=str(authority.certificate),
        certificate_file=str(certificate),
        key_file=str(key),
        request_timeout_ms=30_000,
    )
    store = await EtcdMetastore.open(ours)
    revision = await store.commit(put("/a"))
    assert (await anext(store.watch("/", revision))).revision == revision
    await store.close()
    stranger = Authority(tmp_path, "stranger")
    for wrong in ({"ca_file": str(stranger.certificate)}, {"certificate_file": None, "key_file": None}):
        with pytest.raises(Unavailable, match="no etcd endpoint could be used: https://127"):
            await EtcdMetastore.open(msgspec.structs.replace(ours, request_timeout_ms=1_000, **wrong))

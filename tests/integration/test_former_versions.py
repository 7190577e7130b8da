"""What former versions left behind is all there under this one, and goes on.

The archives are made by tools/former_version.py, once a release.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.support import former_version
from tests.support.former_version import LEFT_OPEN_ID, TOPICS, produce, records, transactional_producer

from penstock.client import Client

KEPT = Path(__file__).parent / "former_versions"


def archives(shape: str) -> list[Any]:
    found = sorted(KEPT.glob(f"*-{shape}.tar.xz"))
    assert found, f"no archive of {shape} in {KEPT}"
    return [pytest.param(archive, id=archive.name.removesuffix(".tar.xz")) for archive in found]


@pytest.mark.parametrize("archive", archives("one"))
def test_a_broker_starts_with_what_a_former_version_left_and_goes_on(archive: Path, tmp_path: Path) -> None:
    before = former_version.unpack(archive, tmp_path)
    broker = former_version.lone_broker(tmp_path)
    broker.start()
    try:
        assert former_version.found(broker.bootstrap) == before
        goes_on(broker.bootstrap, before)
        broker.restart()
        assert_nothing_is_lost(broker.bootstrap, before)
    finally:
        broker.kill()


@pytest.mark.parametrize("archive", archives("three"))
def test_a_cluster_starts_with_what_a_former_version_left_and_goes_on(archive: Path, tmp_path: Path) -> None:
    before = former_version.unpack(archive, tmp_path)
    with former_version.cluster(tmp_path) as cluster:
        cluster.wait_until_in_sync(*TOPICS)
        assert former_version.found(cluster.bootstrap) == before
        goes_on(cluster.bootstrap, before)
        cluster.kill(cluster.leader("orders"))
        assert_nothing_is_lost(cluster.bootstrap, before)


def goes_on(bootstrap: str, before: dict[str, Any]) -> None:
    """Records, groups, transactions and topics of before take more."""
    produce(bootstrap, "orders", 10, "zstd")
    finished = transactional_producer(bootstrap, LEFT_OPEN_ID)
    finished.begin_transaction()
    finished.produce("payments", "committed by a later version", partition=1)
    finished.commit_transaction(former_version.WITHIN_S)
    with Client(bootstrap, timeout_s=former_version.WITHIN_S) as client:
        client.create_topics(["invoices"]).all()
        listed = client.list_groups().all()
        assert former_version.GROUP in {group.group_id for groups in listed.values() for group in groups}


def assert_nothing_is_lost(bootstrap: str, before: dict[str, Any]) -> None:
    orders = records(bootstrap, "orders")
    assert len(orders) == len(before["records"]["orders"]) + 10
    assert [record for record in before["records"]["orders"] if record not in orders] == []
    paid = [record[3] for record in records(bootstrap, "payments")]
    assert paid.count("committed by a later version") == 1
    assert "never committed" not in paid

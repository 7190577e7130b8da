"""Two registries on three brokers, of which the leader of their topic is killed again and again."""

from __future__ import annotations

import threading

import httpx
from tests.support.faults import eventually
from tests.support.registry import ids_of, kept, record, register
from tests.support.web import web

import penstock.testing as penstock_testing

QUICK = {"penstock.broker.lease.ms": "1500", "penstock.broker.heartbeat.ms": "300", "min.insync.replicas": "2"}
TOPIC, KILLS, WORKERS = "_schemas", 3, 3


def test_ids_stay_single_and_answers_stay_true_while_brokers_are_killed() -> None:
    with (
        penstock_testing.cluster(QUICK, brokers=3) as cluster,
        web(cluster.bootstrap) as first,
        web(cluster.bootstrap) as second,
    ):
        urls = (first.url, second.url)
        register(first.url, "first", '"int"').raise_for_status()
        cluster.wait_until_in_sync(TOPIC)
        answered: dict[str, int] = {}
        asked = threading.Semaphore(0)
        over = threading.Event()

        def work(worker: int) -> None:
            number = 0
            while not over.is_set():
                schema = record(("a", "int"), name=f"W{worker}N{number // 2}")  # each by two processes
                answer = register(urls[(worker + number) % 2], f"s-{worker}-{number}", schema)
                if answer.status_code == 200:
                    assert answered.setdefault(schema, answer.json()["id"]) == answer.json()["id"]
                    number += 1
                    asked.release()
                else:
                    assert answer.status_code in {502, 503, 504}, answer.text

        workers = [threading.Thread(target=work, args=(worker,)) for worker in range(WORKERS)]
        for each in workers:
            each.start()
        try:
            for _ in range(KILLS):
                victim = cluster.leader(TOPIC, 0)
                cluster.kill(victim)
                eventually(lambda: cluster.leader(TOPIC, 0) not in (victim, -1), "another leader")  # noqa: B023
                while asked.acquire(blocking=False):
                    pass
                for _ in range(2 * WORKERS):
                    assert asked.acquire(timeout=120), "registrations go on"
                cluster.start(victim)
                cluster.wait_until_in_sync(TOPIC)
        finally:
            over.set()
            for each in workers:
                each.join()
        for schema, schema_id in answered.items():
            for url in urls:
                found = httpx.get(f"{url}/registry/schemas/ids/{schema_id}", timeout=120)
                assert found.json() == {"schema": schema}
        ids = ids_of(kept(cluster.bootstrap))
        assert set(answered) < set(ids)
        assert sorted(number for each in ids.values() for number in each) == list(range(1, len(ids) + 1))

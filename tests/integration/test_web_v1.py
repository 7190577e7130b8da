"""Penstock's own REST in front of real clusters: records, cursors, streams and leases; others read and write too."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import Any, TypeVar

import httpx
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from tests.support.faults import eventually
from tests.support.shares import group_settings
from tests.support.web import Web, web
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from penstock.client import AsyncClient, Client, NewTopic
from penstock.errors import UnknownTopicOrPartition
from penstock.web import Cluster, WebOptions, live
from penstock.web.clients import Clients, Login
from penstock.web.leases import Leases
from penstock.web.places import begin_of

PATIENCE_S = 120.0
T = TypeVar("T")


@pytest.fixture(scope="module")
def running(share_cluster: str) -> Iterator[Web]:
    with web(share_cluster) as started:
        yield started


@pytest.fixture(scope="module")
def http(running: Web) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=running.url, timeout=PATIENCE_S) as client:
        yield client


@pytest.fixture
def client(share_cluster: str) -> Iterator[Client]:
    with Client(share_cluster, timeout_s=PATIENCE_S) as client:
        yield client


def make(http: httpx.Client, name: str, partitions: int = 1, **settings: str) -> None:
    body = {"name": name, "partitions": partitions, "replication_factor": 1, "settings": settings}
    answer = http.post("/v1/topics", json=body)
    assert answer.status_code in (201, 404, 409), answer.text  # 404: made, and not known everywhere yet
    eventually(lambda: http.get(f"/v1/topics/{name}").status_code == 200, f"{name} is known")


def write(http: httpx.Client, topic: str, *values: Any, **more: Any) -> list[dict[str, Any]]:
    answer = http.post(f"/v1/topics/{topic}/records", json={"records": [{"value": each, **more} for each in values]})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["records"]
    return found


def read(http: httpx.Client, topic: str, **query: Any) -> dict[str, Any]:
    answer = http.get(f"/v1/topics/{topic}/records", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def values(page: dict[str, Any]) -> list[Any]:
    return [each["value"] for each in page["records"]]


# Records ------------------------------------------------------------------------------------------------------------


def test_what_is_written_is_read_by_any_client(http: httpx.Client, share_cluster: str) -> None:
    make(http, "written")
    raw = bytes(range(256))
    record = {
        "key": "k", "value_base64": base64.b64encode(raw).decode(), "timestamp_ms": 1_700_000_000_000,
        "headers": [{"name": "h", "value": "v"}, {"name": "h", "value": None}, {"name": "b", "value_base64": "/w=="}],
    }  # fmt: skip
    answer = http.post("/v1/topics/written/records", json={"records": [record, {"value": {"a": [1, None]}}, {}]})
    assert answer.json()["records"] == [{"partition": 0, "offset": each} for each in range(3)]
    consumer = Consumer({"bootstrap.servers": share_cluster, "group.id": "unused", "enable.auto.commit": False})
    consumer.assign([TopicPartition("written", 0, 0)])
    found: list[Any] = []
    while len(found) < 3:
        found += consumer.consume(3 - len(found), timeout=1.0)
    consumer.close()
    assert (found[0].key(), found[0].value(), found[0].timestamp()[1]) == (b"k", raw, 1_700_000_000_000)
    assert found[0].headers() == [("h", b"v"), ("h", None), ("b", b"\xff")]
    assert (found[1].key(), found[1].value(), found[2].value()) == (None, b'{"a":[1,null]}', None)


def test_what_others_wrote_is_read_without_loss(http: httpx.Client, share_cluster: str) -> None:
    make(http, "foreign")
    producer = Producer({"bootstrap.servers": share_cluster})
    producer.produce("foreign", key=b"\xfe", value="grüße", headers=[("n", None), ("b", b"\xff")])
    producer.produce("foreign", value=b'{"n": 1}')
    assert producer.flush(PATIENCE_S) == 0
    first, second = read(http, "foreign")["records"]
    assert (first["key_base64"], first["value"]) == ("/g==", "grüße") and "key" not in first
    assert first["headers"] == [{"name": "n", "value": None}, {"name": "b", "value_base64": "/w=="}]
    assert (second["key"], second["value"]) == (None, '{"n": 1}')
    assert values(read(http, "foreign", as_json=True)) == ["grüße", {"n": 1}]


def test_a_cursor_goes_on_where_the_page_ended(http: httpx.Client) -> None:
    make(http, "paged", 3)
    for partition in range(3):
        write(http, "paged", *range(partition * 100, partition * 100 + 10), partition=partition)
    seen: list[str] = []
    cursor = "earliest"
    while page := read(http, "paged", **{"from": cursor, "max": 4}):
        seen += values(page)
        cursor = page["next"]
        if not page["records"]:
            break
        assert len(page["records"]) <= 4
    assert sorted(map(int, seen)) == [each + 100 * partition for partition in range(3) for each in range(10)]
    for partition in range(3):  # in order within each
        assert (own := [int(each) for each in seen if int(each) // 100 == partition]) == sorted(own)
    write(http, "paged", "later")
    assert values(read(http, "paged", **{"from": cursor})) == ["later"]


def test_records_that_are_larger_than_a_page_come_all_the_same(http: httpx.Client) -> None:
    make(http, "large")
    write(http, "large", *(str(each) * 200_000 for each in range(4)))
    write(http, "large", "5" * 900_000)
    cursor, seen = "earliest", []
    while (page := read(http, "large", **{"from": cursor, "max": 3}))["records"]:
        seen += [(each["value"][0], len(each["value"])) for each in page["records"]]
        cursor = page["next"]
    assert seen == [*((str(each), 200_000) for each in range(4)), ("5", 900_000)]


def test_reading_begins_at_an_offset_a_time_or_the_end(http: httpx.Client) -> None:
    make(http, "places")
    for second in range(5):
        write(http, "places", second, timestamp_ms=1_700_000_000_000 + second * 1000)
    assert values(read(http, "places", **{"from": "offset:3", "partition": 0})) == ["3", "4"]
    assert values(read(http, "places", **{"from": "time:1700000002000"})) == ["2", "3", "4"]
    assert values(read(http, "places", **{"from": "time:2023-11-14T22:13:23Z"})) == ["3", "4"]
    end = read(http, "places", **{"from": "latest"})
    assert values(end) == []
    write(http, "places", "next")
    assert values(read(http, "places", **{"from": end["next"], "wait_ms": 30_000})) == ["next"]


def test_a_reader_that_waits_is_woken_by_a_record(http: httpx.Client) -> None:
    make(http, "awaited")
    end = read(http, "awaited", **{"from": "latest"})["next"]
    writing = threading.Timer(0.3, write, (http, "awaited", "here"))
    writing.start()
    assert values(read(http, "awaited", **{"from": end, "wait_ms": 30_000})) == ["here"]
    writing.join()


def test_records_that_are_gone_are_said_to_be(http: httpx.Client, client: Client) -> None:
    make(http, "cut")
    write(http, "cut", *range(5))
    begin = read(http, "cut", max=1)["next"]
    client.delete_records({client.run(_place("cut")): 3}).all()
    answer = http.get("/v1/topics/cut/records", params={"from": begin})
    assert answer.status_code == 410
    assert values(read(http, "cut", **{"from": answer.json()["nearest"]})) == ["3", "4"]
    beyond = http.get("/v1/topics/cut/records", params={"from": "offset:99", "partition": 0})
    assert beyond.status_code == 416 and values(read(http, "cut", **{"from": beyond.json()["nearest"]})) == []


async def _place(topic: str) -> Any:
    from penstock.client import place

    return place(topic, 0)


def test_a_partition_that_others_added_is_written_to(http: httpx.Client, client: Client) -> None:
    make(http, "grown")
    write(http, "grown", "before")
    client.create_partitions({"grown": 3}).all()
    assert [each["partition"] for each in write(http, "grown", "after", partition=2)] == [2]
    answer = http.post("/v1/topics/grown/records", json={"records": [{"value": "x", "partition": 3}]})
    assert answer.status_code == 404


def test_one_bad_record_is_nobody_elses_trouble(http: httpx.Client) -> None:
    make(http, "keyed", 1, **{"cleanup.policy": "compact"})
    outcomes: dict[str, httpx.Response] = {}

    def post(name: str, record: dict[str, Any]) -> None:
        outcomes[name] = http.post("/v1/topics/keyed/records", json={"records": [record]})

    records = [("good", {"key": "k", "value": 1}), ("bad", {"value": 1})] * 10
    both = [threading.Thread(target=post, args=(f"{kind} {i}", each)) for i, (kind, each) in enumerate(records)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert {(name.split()[0], each.status_code) for name, each in outcomes.items()} == {("good", 200), ("bad", 400)}
    assert [each["problem"]["kafka_error"] for each in outcomes["bad 1"].json()["records"]] == ["INVALID_RECORD"]


def test_a_quorum_is_refused_where_the_topic_gives_none(http: httpx.Client) -> None:
    make(http, "alone")
    body = {"records": [{"value": "v"}], "acks": "quorum"}
    assert http.post("/v1/topics/alone/records", json=body).status_code == 200  # one of one is a majority
    for acks in ("leader", "all"):
        assert http.post("/v1/topics/alone/records", json=body | {"acks": acks}).status_code == 200


# Bad input ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'{"records": []}', "application/json", 400),
        (b'{"records": [{"valeu": "x"}]}', "application/json", 400),
        (b'{"records": [{"value": "x", "value_base64": "eA=="}]}', "application/json", 400),
        (b'{"records": [{"value_base64": "x"}]}', "application/json", 400),
        (b'{"records": [{"value": "x", "partition": 7}]}', "application/json", 404),
        (b'{"records": [{"value": "x"}], "acks": "some"}', "application/json", 400),
        (b'{"records": [{"value": "x"}]}', "text/plain", 415),
        (b'{"records": [{"value": "x"}]}', "application/x-www-form-urlencoded", 415),
        (b"\xff" * 100, "application/json", 400),
        (b'{"records": [{"value": "' + b"x" * (17 << 20) + b'"}]}', "application/json", 413),
        (b'{"records": [' + b"{}," * 1000 + b"{}]}", "application/json", 413),
        (b'{"records": [{"value": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]}", "application/json", 400),
    ],
)
def test_what_cannot_be_written_writes_nothing(http: httpx.Client, content: bytes, kind: str, status: int) -> None:
    make(http, "untouched")
    answer = http.post("/v1/topics/untouched/records", content=content, headers={"content-type": kind})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json" and answer.json()["status"] == status
    assert read(http, "untouched")["records"] == []


@pytest.mark.parametrize("cursor", ["x", "AQ", "AQAAAAAA", "é", "AQ" * 500, "offset:1", "time:yesterday", "latest "])
def test_a_cursor_that_lies_is_refused(http: httpx.Client, cursor: str) -> None:
    make(http, "lied-about")
    answer = http.get("/v1/topics/lied-about/records", params={"from": cursor})
    assert answer.status_code == 400, answer.text


def test_a_cursor_is_of_its_topic_alone(http: httpx.Client) -> None:
    make(http, "mine")
    make(http, "yours")
    cursor = read(http, "mine")["next"]
    answer = http.get("/v1/topics/yours/records", params={"from": cursor})
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:penstock:problem:cursor-of-another-topic")


# Streams ------------------------------------------------------------------------------------------------------------


def sse(http: httpx.Client, topic: str, count: int, begin: str, *, as_json: bool = False, **headers: str) -> list[Any]:
    """So many records of the stream: (id, record)."""
    query = {"from": begin, "as_json": str(as_json).lower()}
    found: list[Any] = []
    event: dict[str, str] = {}
    with http.stream("GET", f"/v1/topics/{topic}/events", params=query, headers=headers) as answer:
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            if line:
                event[name] = value
                continue
            if event.get("event") == "record":
                found.append((event["id"], json.loads(event["data"])))
                if len(found) == count:
                    return found
            event = {}
    return found


def test_an_event_stream_resumes_behind_the_last_event(http: httpx.Client) -> None:
    make(http, "streamed", 2)
    for partition in range(2):
        write(http, "streamed", *range(partition * 10, partition * 10 + 5), partition=partition)
    first = sse(http, "streamed", 4, "earliest")
    rest = sse(http, "streamed", 6, "latest", **{"last-event-id": first[-1][0]})
    assert sorted(int(each["value"]) for _, each in first + rest) == [*range(5), *range(10, 15)]


def test_a_stream_brings_what_is_written_while_it_is_open(http: httpx.Client) -> None:
    make(http, "open")
    found: list[Any] = []
    reading = threading.Thread(target=lambda: found.extend(sse(http, "open", 3, "earliest")))
    reading.start()
    for number in range(3):
        write(http, "open", number)
    reading.join(PATIENCE_S)
    assert [each["value"] for _, each in found] == ["0", "1", "2"]


def test_a_value_of_several_lines_is_one_event_and_one_that_is_too_deep_is_text(http: httpx.Client) -> None:
    make(http, "lines")
    deep = "[" * 50_000 + "]" * 50_000
    write(http, "lines", '{\n"a": 1,\r\n\n\r"b": "c"}\n', deep, "[2]")
    found = sse(http, "lines", 3, "earliest", as_json=True)
    assert [each["value"] for _, each in found] == [{"a": 1, "b": "c"}, deep, [2]]
    assert [each["value"] for each in read(http, "lines", as_json="true")["records"]] == [{"a": 1, "b": "c"}, deep, [2]]


async def once_known(ask: Callable[[], Awaitable[T]]) -> T:
    """What it answers as soon as the broker that is asked has heard of the topic, which another one made."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return await ask()
        except UnknownTopicOrPartition:
            if time.monotonic() > deadline:
                raise
        await asyncio.sleep(0.05)


async def test_a_stream_that_is_never_quiet_takes_partitions_that_were_added(
    share_cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LOOK_EVERY_S", 0.0)
    async with AsyncClient(share_cluster, timeout_s=PATIENCE_S) as client, client.producer(linger_s=0) as producer:

        async def add_a_partition() -> None:
            (await client.create_partitions({"never-quiet": 2})).all()

        async def write_to_it() -> None:
            await client.describe_topics(["never-quiet"])
            await producer.send("never-quiet", b"added", partition=1)

        (await client.create_topics([NewTopic("never-quiet", 1)])).all()
        begin = await once_known(lambda: begin_of(client, "never-quiet", "earliest", None))
        await producer.send("never-quiet", b"first", partition=0)
        found: set[int] = set()
        async with aclosing(live.events(Login(client, None), begin, as_json=False, committed=True)) as events:
            async for kind, _, said in events:
                if kind != "record":
                    continue
                if not found:
                    await once_known(add_a_partition)
                    await once_known(write_to_it)
                found.add(said.partition)
                if found == {0, 1}:
                    break
                assert said.offset < 2_000, "the partition that was added is not read"
                await producer.send("never-quiet", b"more", partition=0)


def test_a_websocket_brings_the_same(http: httpx.Client, running: Web) -> None:
    make(http, "socket")
    write(http, "socket", "a", "b")
    url = running.url.replace("http", "ws") + "/v1/topics/socket/socket"
    with connect(url + "?from=earliest") as socket:
        messages = [json.loads(socket.recv(PATIENCE_S)) for _ in range(3)]
        records = [each for each in messages if each["type"] == "record"]
        assert [each["record"]["value"] for each in records] == ["a", "b"]
        write(http, "socket", "c")
        while (message := json.loads(socket.recv(PATIENCE_S)))["type"] != "record":
            pass
        assert message["record"]["value"] == "c"
    with connect(f"{url}?from={records[0]['cursor']}") as socket:
        while (message := json.loads(socket.recv(PATIENCE_S)))["type"] != "record":
            pass
        assert message["record"]["value"] == "b"
    for query, status in (("", 404), ("?from=lie", 404)):
        with pytest.raises(InvalidStatus) as refused, connect(url.replace("topics/socket", "topics/none") + query):
            pass
        assert refused.value.response.status_code == status
    with pytest.raises(InvalidStatus) as refused, connect(url + "?from=lie"):
        pass
    assert refused.value.response.status_code == 400
    with pytest.raises(InvalidStatus) as refused, connect(url, origin=Origin("https://elsewhere.example")):
        pass
    assert refused.value.response.status_code == 403


def test_streams_end_when_the_process_stops(share_cluster: str, http: httpx.Client) -> None:
    make(http, "ending")
    with web(share_cluster) as other, httpx.stream("GET", f"{other.url}/v1/topics/ending/events", timeout=60) as answer:
        lines = answer.iter_lines()
        next(lines)
        other.process.terminate()
        list(lines)  # the answer ends whole, or this raises
        assert other.process.wait(60) == 0


def test_streams_at_once_are_bounded_and_a_reader_that_reads_nothing_is_cut_off(
    share_cluster: str, http: httpx.Client
) -> None:
    make(http, "stalled")
    for _ in range(20):
        write(http, "stalled", *["x" * 10_000] * 100)
    with web(share_cluster, "--limit", "streams-max=1", "--limit", "stream-stall-s=0.5") as other:
        host, port = other.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as stalled:
            stalled.sendall(
                f"GET /v1/topics/stalled/events?from=earliest HTTP/1.1\r\nhost: {host}:{port}\r\n\r\n".encode()
            )
            assert stalled.recv(100).startswith(b"HTTP/1.1 200 OK")
            with httpx.Client(base_url=other.url, timeout=PATIENCE_S) as one:
                full = one.get("/v1/topics/stalled/events")
                assert (full.status_code, full.json()["type"]) == (503, "urn:penstock:problem:too-many-streams")
                # It reads nothing: its place is another's soon.
                eventually(lambda: _is_streamed(one, "stalled"), "there is a place again")


def _is_streamed(http: httpx.Client, topic: str) -> bool:
    with http.stream("GET", f"/v1/topics/{topic}/events") as answer:
        return answer.status_code == 200


# Leases -------------------------------------------------------------------------------------------------------------


def lease(http: httpx.Client, group: str, count: int, topic: str | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    deadline = time.monotonic() + PATIENCE_S
    while len(found) < count:
        body = {"topics": [topic or group], "max": count - len(found), "wait_ms": 30_000}
        answer = http.post(f"/v1/groups/{group}/leases", json=body)
        assert answer.status_code == 200, answer.text
        found += answer.json()["records"]
        assert time.monotonic() < deadline, f"{len(found)} of {count} came"
    return found


def ack(http: httpx.Client, group: str, *acks: tuple[dict[str, Any], str]) -> httpx.Response:
    body = {"acks": [{"lease": each["lease"], "how": how} for each, how in acks]}
    return http.post(f"/v1/groups/{group}/acks", json=body)


def queue(http: httpx.Client, client: Client, name: str, count: int, lock_ms: int = 60_000) -> None:
    make(http, name)
    group_settings(client, name, auto_offset_reset="earliest", record_lock_duration_ms=str(lock_ms))
    write(http, name, *range(count))


def test_leases_accept_release_and_reject(http: httpx.Client, client: Client) -> None:
    queue(http, client, "jobs", 3)
    first, second, third = sorted(lease(http, "jobs", 3), key=lambda each: each["offset"])
    assert {each["delivery_count"] for each in (first, second, third)} == {1}
    answer = ack(http, "jobs", (first, "accept"), (second, "release"), (third, "reject"))
    assert answer.status_code == 200, answer.text
    (again,) = lease(http, "jobs", 1)
    assert (again["value"], again["delivery_count"]) == ("1", 2)
    stale = ack(http, "jobs", (second, "accept"))
    assert stale.status_code == 409
    assert stale.json()["acks"][0]["problem"]["type"] == "urn:penstock:problem:lease-gone"
    mixed = ack(http, "jobs", (again, "accept"), (first, "accept"))
    assert mixed.status_code == 207 and "problem" not in mixed.json()["acks"][0]


async def test_requests_at_once_have_no_more_members_than_the_bound(
    share_cluster: str, http: httpx.Client, client: Client
) -> None:
    make(http, "crowd")
    options = WebOptions(lease_members_max=2)
    clients = Clients(Cluster(bootstrap=share_cluster), options)
    leases = Leases(clients, options)
    try:
        await asyncio.gather(*(leases.lend(None, "crowd", ["crowd"], at_most=1, wait_s=0) for _ in range(6)))
        (group,) = client.describe_share_groups(["crowd"]).all().values()
        assert 1 <= len(group.members) <= 2
    finally:
        await leases.close()
        await clients.close()


def test_a_lease_that_ended_is_gone_and_its_record_is_anothers(http: httpx.Client, client: Client) -> None:
    queue(http, client, "slow", 1, lock_ms=1_000)
    (late,) = lease(http, "slow", 1)
    (again,) = lease(http, "slow", 1)  # as soon as its time is over
    assert again["delivery_count"] == 2
    assert ack(http, "slow", (late, "accept")).status_code == 409
    assert ack(http, "slow", (again, "accept")).status_code == 200


def test_a_lease_is_renewed(http: httpx.Client, client: Client) -> None:
    queue(http, client, "long", 1)
    (held,) = lease(http, "long", 1)
    for _ in range(3):
        assert ack(http, "long", (held, "renew")).status_code == 200
        assert http.post("/v1/groups/long/leases", json={"topics": ["long"]}).json()["records"] == []
    assert ack(http, "long", (held, "accept")).status_code == 200


def test_another_web_process_passes_an_acknowledgement_on(
    share_cluster: str, http: httpx.Client, client: Client
) -> None:
    queue(http, client, "passed", 3)
    with web(share_cluster) as lender, httpx.Client(base_url=lender.url, timeout=PATIENCE_S) as one:
        first, second, third = lease(one, "passed", 3)
        with web(share_cluster, "--peer", lender.url) as peer, httpx.Client(base_url=peer.url, timeout=60) as other:
            assert ack(other, "passed", (first, "accept"), (second, "release")).status_code == 200
            (again,) = lease(one, "passed", 1)
            assert (again["offset"], again["delivery_count"]) == (second["offset"], 2)
            # Of one that it knows nothing of, the lease may name any address: nobody is asked there.
            assert ack(http, "passed", (again, "accept")).status_code == 409
            lender.kill()
            assert ack(other, "passed", (again, "accept"), (third, "accept")).status_code == 409
    found = lease(http, "passed", 2)
    assert sorted(each["offset"] for each in found) == sorted((second["offset"], third["offset"]))
    assert ack(http, "passed", *((each, "accept") for each in found)).status_code == 200


@pytest.mark.parametrize(
    "token", ["", "x", "W10", "é", base64.urlsafe_b64encode(b'["http://127.0.0.1:1","m","t",0,0,1]')]
)
def test_a_lease_that_was_never_given_is_refused(http: httpx.Client, token: str | bytes) -> None:
    text = token if isinstance(token, str) else token.decode()
    answer = http.post("/v1/groups/none/acks", json={"acks": [{"lease": text}]})
    assert answer.status_code in (400, 409), answer.text


# Groups -------------------------------------------------------------------------------------------------------------


def test_offsets_are_committed_and_lag_is_told(http: httpx.Client, share_cluster: str) -> None:
    make(http, "measured", 2)
    write(http, "measured", *range(10), partition=0)
    write(http, "measured", *range(5), partition=1)
    body = {"offsets": [{"topic": "measured", "partition": 0, "offset": 4, "metadata": "by hand"}]}
    assert http.post("/v1/groups/readers/offsets", json=body).status_code == 200
    assert http.get("/v1/groups/readers/offsets").json()["offsets"] == body["offsets"]
    assert http.get("/v1/groups/readers/lag").json()["total"] == 6
    assert http.get("/v1/groups/readers/lag", params={"topic": "measured"}).json()["total"] == 11
    consumer = Consumer({"bootstrap.servers": share_cluster, "group.id": "readers"})
    assert consumer.committed([TopicPartition("measured", 0)], PATIENCE_S)[0].offset == 4
    consumer.close()


# Topics -------------------------------------------------------------------------------------------------------------


def test_a_topic_is_made_altered_and_deleted(http: httpx.Client, client: Client) -> None:
    make(http, "altered", 1, **{"retention.ms": "1000"})
    found = http.get("/v1/topics/altered").json()
    assert found["settings"]["retention.ms"] == "1000" and len(found["partitions"]) == 1
    body = {"partitions": 3, "settings": {"retention.ms": None, "max.message.bytes": "2000"}}
    assert http.patch("/v1/topics/altered", json=body).status_code == 200
    eventually(lambda: len(http.get("/v1/topics/altered").json()["partitions"]) == 3, "it has three partitions")
    assert http.get("/v1/topics/altered").json()["settings"] == {"max.message.bytes": "2000"}
    assert http.patch("/v1/topics/altered", json={"settings": {"retention.ms": "soon"}}).status_code == 400
    assert http.post("/v1/topics", json={"name": "altered"}).status_code == 409
    assert "altered" in [each["name"] for each in http.get("/v1/topics").json()["topics"]]
    assert http.delete("/v1/topics/altered").status_code == 204
    eventually(lambda: "altered" not in client.list_topics(), "it is gone")


def test_read_only_refuses_what_writes(share_cluster: str, http: httpx.Client) -> None:
    make(http, "looked-at")
    with web(share_cluster, "--read-only") as other, httpx.Client(base_url=other.url, timeout=PATIENCE_S) as only:
        assert read(only, "looked-at")["records"] == []
        for method, path in [
            ("POST", "/v1/topics"), ("DELETE", "/v1/topics/looked-at"), ("PATCH", "/v1/topics/looked-at"),
            ("POST", "/v1/topics/looked-at/records"), ("POST", "/v1/groups/g/leases"), ("POST", "/v1/groups/g/acks"),
            ("POST", "/v1/groups/g/offsets"),
        ]:  # fmt: skip
            answer = only.request(method, path, json={})
            assert (answer.status_code, answer.json()["type"]) == (403, "urn:penstock:problem:read-only"), path


def test_a_topic_of_the_client_is_seen(http: httpx.Client, client: Client) -> None:
    client.create_topics([NewTopic("elsewhere", 1)]).all()
    eventually(lambda: http.get("/v1/topics/elsewhere").status_code == 200, "it is known")

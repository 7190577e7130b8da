"""Commands that cannot see everything: they say what is missing and fail, whatever was lost on the way.

A proxy stands where clients are sent. It never answers the kinds of requests that a test names.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest
from tests.support.command import PATIENT
from tests.support.kafka import free_ports
from tests.support.losing import SilentProxy

import penstock.testing
from penstock.cli.exits import ExitCode
from penstock.testing import RunningCluster
from penstock.wire.api import ApiKey

IMPATIENT = ("--timeout", "2")
"""For what is never answered: nothing is gained by waiting. What comes before it is answered at once or again."""


class Said(NamedTuple):
    code: int
    out: bytes
    err: str


async def command(bootstrap: str, *arguments: str, stdin: bytes = b"", within: tuple[str, ...] = PATIENT) -> Said:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "penstock.cli", *arguments, *within, env={**os.environ, "PENSTOCK_BOOTSTRAP": bootstrap},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate(stdin)
    assert process.returncode is not None
    return Said(process.returncode, out, err.decode())


class Behind(NamedTuple):
    """A broker behind a proxy, with a topic of two partitions and a group that has read a part of it."""

    proxy: SilentProxy
    bootstrap: str


@pytest.fixture
async def behind() -> AsyncIterator[Behind]:
    advertised, port = free_ports(2)
    settings = {
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{advertised}",
    }
    bootstrap = f"127.0.0.1:{advertised}"
    with penstock.testing.broker(settings, mode="process"):
        async with SilentProxy(advertised, to=port) as proxy:
            assert (await command(bootstrap, "topic", "create", "t", "-p", "2")).code == ExitCode.OK
            for partition in ("0", "1"):
                await command(bootstrap, "produce", "t", "-p", partition, stdin=b"one\ntwo\n")
            read = await command(bootstrap, "consume", "t", "--group", "readers", "--count", "1")
            assert read.code == ExitCode.OK, read.err
            yield Behind(proxy, bootstrap)


async def test_consume_fails_with_the_partitions_whose_leader_does_not_tell_their_offsets(behind: Behind) -> None:
    behind.proxy.unanswered.add(ApiKey.LIST_OFFSETS)
    for arguments in (["consume", "t"], ["consume", "t", "--json"], ["consume", "t", "--from-time", "1h"]):
        said = await command(behind.bootstrap, *arguments, within=IMPATIENT)
        assert (said.code, said.out) == (ExitCode.FAILED, b""), said.err
        assert "the offsets of t-0, t-1 are not known" in said.err


async def test_consume_waits_for_a_leader_that_answers_later(behind: Behind) -> None:
    behind.proxy.unanswered.add(ApiKey.LIST_OFFSETS)
    reading = asyncio.create_task(command(behind.bootstrap, "consume", "t", within=("--timeout", "40")))
    await behind.proxy.swallowed.wait()
    behind.proxy.unanswered.clear()
    said = await reading
    assert said.code == ExitCode.OK, said.err
    assert sorted(said.out.split()) == [b"one", b"one", b"two", b"two"]


async def test_consume_names_the_partitions_of_which_nothing_comes(behind: Behind) -> None:
    behind.proxy.unanswered.add(ApiKey.FETCH)
    said = await command(behind.bootstrap, "consume", "t", within=IMPATIENT)
    assert (said.code, said.out) == (ExitCode.FAILED, b"") and "nothing came from t-0, t-1 for 2 s" in said.err


async def test_offsets_that_are_not_known_are_shown_as_none(behind: Behind) -> None:
    behind.proxy.unanswered.add(ApiKey.LIST_OFFSETS)
    described = await command(behind.bootstrap, "topic", "describe", "t", "--json", within=IMPATIENT)
    (topic,) = json.loads(described.out)
    assert {(each["begin"], each["end"], each["records"]) for each in topic["partitions"]} == {(None, None, None)}
    counted = await command(behind.bootstrap, "topic", "list", "--counts", "--json", within=IMPATIENT)
    assert json.loads(counted.out)[0]["records"] is None
    table = await command(behind.bootstrap, "topic", "describe", "t", within=IMPATIENT)
    for said in (described, counted, table):
        assert said.code == ExitCode.FAILED and "the offsets of t-0, t-1 are not known" in said.err
        assert b"-1001" not in said.out


async def test_a_lag_that_is_not_known_is_shown_as_none(behind: Behind) -> None:
    behind.proxy.unanswered.add(ApiKey.LIST_OFFSETS)
    for name in ("lag", "describe"):
        said = await command(behind.bootstrap, "group", name, "readers", "--json", within=IMPATIENT)
        (group,) = json.loads(said.out)
        assert group["lag_records"] is None and {each["end"] for each in group["partitions"]} == {None}
        assert said.code == ExitCode.FAILED and "are not known" in said.err
    behind.proxy.unanswered = {ApiKey.FETCH}
    said = await command(behind.bootstrap, "group", "lag", "readers", "--json", within=IMPATIENT)
    (group,) = json.loads(said.out)
    assert group["lag_records"] is not None and group["lag_seconds"] is None
    assert said.code == ExitCode.FAILED and "did not hand out the oldest record that waits" in said.err


async def test_a_group_is_not_moved_by_offsets_that_are_not_known(behind: Behind) -> None:
    behind.proxy.unanswered.add(ApiKey.LIST_OFFSETS)
    arguments = ["group", "reset", "readers", "--topic", "t", "--by-duration", "1h", "--yes"]
    said = await command(behind.bootstrap, *arguments, within=IMPATIENT)
    assert said.code == ExitCode.FAILED and "t-0" in said.err and "t-1" in said.err and said.out == b""


async def test_a_broker_that_does_not_list_its_groups_is_said_in_words(behind: Behind) -> None:
    behind.proxy.unanswered.add(ApiKey.LIST_GROUPS)
    for name in ("list", "lag"):
        said = await command(behind.bootstrap, "group", name, within=IMPATIENT)
        assert (said.code, said.out) == (ExitCode.UNREACHABLE, b"") and "could not list all groups" in said.err


async def test_sizes_that_are_not_told_are_missed(behind: Behind) -> None:
    behind.proxy.unanswered.add(ApiKey.DESCRIBE_LOG_DIRS)
    said = await command(behind.bootstrap, "cluster", "describe", "--json", within=IMPATIENT)
    assert [each["bytes"] for each in json.loads(said.out)["brokers"]] == [None]
    assert said.code == ExitCode.FAILED and "broker 1 did not tell all of its sizes" in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["produce", "t"],
        ["consume", "t"],
        ["topic", "list"],
        ["topic", "create", "u"],
        ["topic", "describe", "t"],
        ["group", "list"],
        ["group", "lag"],
        ["txn", "list"],
    ],
    ids=" ".join,
)  # fmt: skip
async def test_a_wrong_advertised_address_is_told_with_what_was_connected_to_and_what_failed(
    arguments: list[str],
) -> None:
    nobody, port = free_ports(2)
    settings = {
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{nobody}",
    }
    with penstock.testing.broker(settings, mode="process"):
        said = await command(f"127.0.0.1:{port}", *arguments, stdin=b"one\n")
    assert (said.code, said.out) == (ExitCode.UNREACHABLE, b"")
    assert f"127.0.0.1:{port} answered" in said.err and "advertised.listeners" in said.err
    assert f"broker 1 at 127.0.0.1:{nobody}" in said.err and "Connection refused" in said.err


async def test_groups_are_listed_while_a_dead_broker_is_still_in_the_list(penstock_cluster: RunningCluster) -> None:
    bootstrap = penstock_cluster.bootstrap
    await command(bootstrap, "produce", "t", stdin=b"one\n")
    read = await command(bootstrap, "consume", "t", "--group", "readers")
    assert read.out == b"one\n", read.err
    await asyncio.to_thread(penstock_cluster.kill, 2)
    for name in ("list", "lag"):
        said = await command(bootstrap, "group", name)
        assert said.code == ExitCode.OK and b"readers" in said.out, said.err

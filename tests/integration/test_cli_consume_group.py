"""penstock consume --group against a running broker."""

import json
import os
import signal
import subprocess
import sys

import pytest
from tests.support.command import PATIENT, Penstock
from tests.support.faults import eventually
from tests.support.group_clients import fresh_name, group_consumer, topic_with_records, wait_for_shares, write

from penstock.cli.exits import ExitCode


def committed(penstock: Penstock, group: str) -> list[int | None]:
    (described,) = json.loads(penstock("group", "describe", group, "--json").out)
    return [place["committed"] for place in described["partitions"]]


def test_a_group_goes_on_where_it_stopped(penstock: Penstock, bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "member", 40), fresh_name("group")
    first = penstock("consume", topic, "--group", group)
    assert first.code == ExitCode.OK and sorted(map(int, first.out.split())) == list(range(40))
    assert committed(penstock, group) == [10, 10, 10, 10]
    assert penstock("consume", topic, "--group", group).out == ""
    write(bootstrap, topic, range(40, 44), 4)
    assert sorted(penstock("consume", topic, "--group", group).out.split()) == ["40", "41", "42", "43"]
    listed = {"group": group, "state": "empty", "type": "classic"}
    eventually(lambda: listed in json.loads(penstock("group", "list", "--json").out), "its good-bye is heard")


def test_only_what_was_printed_is_committed(penstock: Penstock, bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "counted", 10, partitions=1), fresh_name("group")
    assert penstock("consume", topic, "--group", group, "--count", "3").out.split() == ["0", "1", "2"]
    assert committed(penstock, group) == [3]
    assert penstock("consume", topic, "-g", group, "-c", "2").out.split() == ["3", "4"]


def test_a_new_group_may_begin_at_the_end(penstock: Penstock, bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "latest", 10, partitions=1), fresh_name("group")
    assert penstock("consume", topic, "-g", group, "-X", "auto.offset.reset=latest").out == ""
    assert committed(penstock, group) == [10]


def test_a_member_that_follows_commits_before_it_leaves(bootstrap: str, penstock: Penstock) -> None:
    topic, group = topic_with_records(bootstrap, "followed", 3, partitions=1), fresh_name("group")
    command = [sys.executable, "-m", "penstock.cli", "consume", topic, "-g", group, "-f", "-b", bootstrap, *PATIENT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ) as following:
        assert following.stdout is not None
        try:
            assert [following.stdout.readline() for _ in range(3)] == [b"0\n", b"1\n", b"2\n"]
            write(bootstrap, topic, range(3, 5), 1)
            assert [following.stdout.readline() for _ in range(2)] == [b"3\n", b"4\n"]
        finally:
            following.send_signal(signal.SIGINT)
        following.communicate(timeout=60)
    assert following.returncode == ExitCode.INTERRUPTED
    assert committed(penstock, group) == [5]


def test_a_member_reads_its_share_beside_others(penstock: Penstock, bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "beside", 40, partitions=1), fresh_name("group")
    facts = {"partition_assignment_strategy": "roundrobin", "client_id": "a-first"}
    command = [sys.executable, "-m", "penstock.cli", "consume", topic, "-g", group, "-b", bootstrap, *PATIENT]
    command += ["-X", "partition.assignment.strategy=roundrobin", "-X", "client.id=z-last"]
    with group_consumer(bootstrap, group, topic, **facts) as consumer:
        wait_for_shares([consumer], 1)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as beside:
            while beside.poll() is None:
                consumer.poll(0.05)
            out, err = beside.communicate(timeout=60)
    assert (beside.returncode, out) == (ExitCode.OK, "")
    assert f"other members of {group} read all partitions" in err


@pytest.mark.parametrize("option", [["--offset", "1"], ["--last", "1"], ["--from-time", "1h"], ["--partition", "0"]])
def test_a_group_begins_where_it_has_committed_and_nowhere_else(penstock: Penstock, option: list[str]) -> None:
    refused = penstock("consume", "orders", "--group", "g", *option)
    assert refused.code == ExitCode.USAGE and "penstock group reset" in refused.err


def test_a_closed_pipe_is_no_reading(bootstrap: str, penstock: Penstock) -> None:
    topic, group = topic_with_records(bootstrap, "piped", 5, partitions=1), fresh_name("group")
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "penstock.cli", "consume", topic, "-g", group, "-b", bootstrap, *PATIENT]
    with open(writer, "wb") as closed:
        outcome = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, timeout=180, check=False)
    assert outcome.returncode == ExitCode.OK, outcome.stderr
    assert committed(penstock, group) == []

"""Lines of an audit log: what they look like, and that a change of any byte of one is found."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.access.audit.building import an_event, some_lines

from penstock.access.audit import Chain, Damaged, Head, read_line


def test_a_line_is_an_ocsf_event_with_its_number_and_the_hash_of_the_one_before() -> None:
    (first, second), _ = some_lines(2)
    told = json.loads(second)
    assert told["class_uid"] == 6003
    assert told["category_uid"] == 6
    assert told["type_uid"] == 600301
    assert told["activity_name"] == "Create"
    assert told["status_id"] == 1
    assert told["actor"] == {"user": {"name": "alice", "type": "User"}, "app_name": "admin-tool"}
    assert told["src_endpoint"] == {"ip": "10.0.0.7", "port": 50123}
    assert told["api"] == {"operation": "CreateTopics", "version": "7"}
    assert told["resources"] == [{"type": "topic", "name": "topic-1", "data": {"after": {"partitions": 3}}}]
    assert told["metadata"]["version"] == "1.3.0"
    assert told["metadata"]["sequence"] == 2
    assert told["metadata"]["log_name"] == "audit-1"
    assert told["unmapped"]["previous"] == json.loads(first)["unmapped"]["hash"]


def test_lines_are_linked_and_numbered_from_one() -> None:
    lines, chain = some_lines(5)
    read = [read_line(line[:-1]) for line in lines]
    assert [one.sequence for one in read] == [1, 2, 3, 4, 5]
    assert all(after.previous == before.hash for before, after in pairwise(read))
    assert chain.head == read[-1].head


def test_a_chain_goes_on_from_a_head() -> None:
    read = read_line(Chain("audit-1", Head(41, "ab" * 32)).link(an_event()))
    assert (read.sequence, read.previous) == (42, "ab" * 32)


LINE = some_lines(2)[0][1][:-1]


def test_no_byte_can_be_changed() -> None:
    for at in range(len(LINE)):
        changed = bytearray(LINE)
        changed[at] ^= 1
        with pytest.raises(Damaged):
            read_line(bytes(changed))


@given(st.binary(max_size=400))
def test_anything_else_is_damaged(line: bytes) -> None:
    with pytest.raises(Damaged):
        read_line(line)


@given(st.text(max_size=200))
def test_names_come_back_as_they_were(name: str) -> None:
    line = Chain("audit-1", Head()).link(an_event(name))
    read_line(line)
    assert b"\n" not in line
    assert json.loads(line)["resources"][0]["name"] == name

from __future__ import annotations

from penstock.pipelines.sink.layout import Layout, Target, TopicShape
from penstock.pipelines.sink.records import Begun, Marker, begin_key, marker_key

TARGET = Target("orders", "id-1", 2)


def test_what_is_kept_reads_back() -> None:
    layout = Layout.of([TopicShape("orders", "id-1", 3)])
    begun = Begun(7, layout, since=41, details={"ranges": [["a", 0, 5, 9]]})
    assert Begun.from_bytes(begun.to_bytes()) == begun
    marker = Marker(7, "id-1", rows=12)
    assert Marker.from_bytes(marker.to_bytes()) == marker


def test_a_marker_tells_of_its_batch_and_of_those_before() -> None:
    marker = Marker(7, "id-1", rows=1)
    assert marker.tells_of(TARGET, 7) and marker.tells_of(TARGET, 6)
    assert not marker.tells_of(TARGET, 8)


def test_a_marker_says_nothing_of_a_topic_made_anew() -> None:
    assert not Marker(7, "id-1", rows=1).tells_of(Target("orders", "id-2", 2), 7)


def test_names_with_separators_do_not_meet() -> None:
    keys = {
        begin_key('a","b'), begin_key("a"), marker_key("a", TARGET), marker_key('a","orders', Target("x", "i", 2)),
        marker_key("a", Target('orders",2', "i", 2)),
    }  # fmt: skip
    assert len(keys) == 5

"""Views: whatever the batches and the filter, a consumer sees what it would see without the view, filtered."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from tests.support.views import shows

from penstock.delivery.views.filter import Filter, like
from penstock.delivery.views.scan import Range, Scanned, scan
from penstock.settings.view_filter import tree
from penstock.settings.view_filter.parsing import parse
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, MarkerType, build_marker
from penstock.wire.records import Record, build_batch, check, iterate

NAMES = ["region", "n", "trace-id"]
WORDS = ["eu", "us", "e", "", "10", "9.5", "-3", "eu-west", "x" * 200]
headers = st.lists(st.tuples(st.sampled_from(NAMES), st.none() | st.sampled_from(WORDS).map(str.encode)), max_size=4)
data = st.none() | st.sampled_from(WORDS).map(str.encode) | st.binary(max_size=300)
contents = st.tuples(data, data, headers.map(tuple), st.integers(0, 2_000))

signs = st.sampled_from(["=", "!=", "<>", "<", "<=", ">", ">="])
names = st.sampled_from(NAMES).map("header.{}".format) | st.just("key")
literals = st.sampled_from(WORDS).map("'{}'".format) | st.sampled_from(["10", "9.5", "-3", "0"])
patterns = st.text("eu-%_w1x", max_size=8).map("'{}'".format)
tests = st.one_of(
    st.builds("{} {} {}".format, names, signs, literals),
    st.builds("size {} {}".format, signs, st.integers(0, 400)),
    st.builds("timestamp {} {}".format, signs, st.integers(0, 2_000)),
    st.builds(
        "{} {}in ({})".format, names, st.sampled_from(["", "not "]), st.lists(literals, min_size=1).map(", ".join)
    ),
    st.builds("{} {}like {}".format, names, st.sampled_from(["", "not "]), patterns),
    st.builds("exists header.{}".format, st.sampled_from(NAMES)),
    st.builds("{} is {}null".format, st.sampled_from(["key", "value"]), st.sampled_from(["", "not "])),
)
filters = st.recursive(
    tests,
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("not ({})".format, inner),
    ),
    max_leaves=6,
)


@st.composite
def logs(draw: st.DrawFn) -> list[bytearray]:
    """Batches of every codec, with gaps as compaction leaves them, records stamped by the broker, and markers."""
    batches: list[bytearray] = []
    offset = draw(st.integers(0, 100))
    for _ in range(draw(st.integers(1, 6))):
        producer = draw(st.sampled_from([-1, 7]))
        if draw(st.integers(0, 5)) == 0:
            marker = Marker(draw(st.sampled_from(MarkerType)), 3)
            batches.append(
                build_marker(
                    marker, producer_id=7, producer_epoch=0, timestamp=1_000, base_offset=offset, leader_epoch=2
                )
            )
            offset += 1
            continue
        records = []
        first = offset
        for key, value, held, timestamp in draw(st.lists(contents, max_size=12)):
            offset += draw(st.integers(0, 2))
            records.append(Record(offset, timestamp, key, value, held))
            offset += 1
        offset += draw(st.integers(0, 2))
        offset = max(offset, first + 1)
        batches.append(
            build_batch(
                records,
                base_offset=first,
                last_offset=offset - 1,
                leader_epoch=2,
                compression=draw(st.integers(0, 4)),
                log_append_time=draw(st.none() | st.integers(0, 2_000)),
                producer_id=producer,
                producer_epoch=0 if producer >= 0 else -1,
                base_sequence=first if producer >= 0 else -1,
                transactional=producer >= 0,
                max_timestamp=1_500,
            )
        )
    return batches


def looked_through(
    batches: Sequence[bytes | bytearray], text: str, answer_max: int = 1 << 20, start: int = 0
) -> Scanned:
    file = b"".join(batches)
    where = Range(
        start,
        len(file),
        BatchHeader.peek(file, start).base_offset,
        answer_max=answer_max,
        at_least_one=True,
        unpacked_max=1 << 20,
    )
    return scan(
        lambda position, size: file[position : position + size],
        where,
        Filter.of(text),
        pause=lambda: None,
        is_over=lambda: False,
    )


def batches_in(file: bytes) -> list[bytes]:
    batches, at = [], 0
    while at < len(file):
        size = BatchHeader.peek(file, at).size
        batches.append(file[at : at + size])
        at += size
    return batches


@given(logs(), filters)
def test_a_view_shows_what_matches_with_nothing_changed(batches: list[bytearray], text: str) -> None:
    node = parse(text)
    found = looked_through(batches, text)
    shown = batches_in(found.batches)
    for batch in shown:
        check(batch, consecutive=False)
    originals = {BatchHeader.peek(each).base_offset: each for each in batches}
    records = []
    for batch in shown:
        header = BatchHeader.peek(batch)
        if header.is_control:
            continue
        original = BatchHeader.peek(originals[header.base_offset])
        same = ("base_offset", "last_offset_delta", "leader_epoch", "attributes", "base_timestamp", "producer_id")
        for name in (*same, "producer_epoch", "base_sequence"):
            assert getattr(header, name) == getattr(original, name), name
        if original.is_log_append_time:
            assert header.max_timestamp == original.max_timestamp
        records += list(iterate(batch))
    of_source = [record for batch in batches if not BatchHeader.peek(batch).is_control for record in iterate(batch)]
    assert records == [record for record in of_source if shows(node, record)]
    controls = [bytes(batch) for batch in batches if BatchHeader.peek(batch).is_control]
    assert [
        batch for batch in shown if BatchHeader.peek(batch).is_control and BatchHeader.peek(batch).producer_id >= 0
    ] == controls
    assert found.next_offset == BatchHeader.peek(batches[-1]).next_offset
    assert BatchHeader.peek(shown[-1]).next_offset == found.next_offset, "an answer moves its reader to where it came"


@given(logs(), filters, st.integers(1, 600))
def test_small_answers_come_to_the_same_as_a_large_one(batches: list[bytearray], text: str, answer_max: int) -> None:
    def fetch_all() -> list[Record]:
        records: list[Record] = []
        file, at = b"".join(batches), 0
        places = {}
        position = 0
        for batch in batches:
            places[BatchHeader.peek(batch).next_offset] = position = position + len(batch)
        while at < len(file):
            found = looked_through(batches, text, answer_max, at)
            for shown in batches_in(found.batches):
                if not BatchHeader.peek(shown).is_control:
                    records += iterate(shown)
            assert places[found.next_offset] > at, "it goes on"
            at = places[found.next_offset]
        return records

    whole = looked_through(batches, text)
    shown = [each for each in batches_in(whole.batches) if not BatchHeader.peek(each).is_control]
    assert fetch_all() == [record for batch in shown for record in iterate(batch)]


@given(st.text("ab%_", max_size=10), st.text("abc", max_size=12))
def test_like_is_sqls(pattern: str, text: str) -> None:
    record = Record(0, 0, text.encode(), None)
    assert like(pattern)(text.encode()) == shows(tree.Like(tree.Key(), pattern), record)

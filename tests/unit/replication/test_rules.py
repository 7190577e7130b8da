"""What a batch must be to enter a partition."""

import pytest

from penstock.errors import (
    CorruptMessage,
    InvalidRecord,
    InvalidTimestamp,
    MessageTooLarge,
    RecordListTooLarge,
    Refusal,
    UnsupportedCompressionType,
)
from penstock.replication.rules import (
    AppendRules,
    NotOneBatch,
    RecordsDisagree,
    RecordsRefused,
    TimestampsRefused,
    check_header,
    clear_append_time,
    open_batch,
    stamp_append_time,
)
from penstock.settings import Config
from penstock.wire import batch as layout
from penstock.wire.batch import BatchHeader
from penstock.wire.compression import GZIP, NONE, ZSTD
from penstock.wire.records import Record, build_batch, check, crc_of, iterate

NOW = 1_700_000_000_000
HOUR = 3_600_000


def rules(**overrides: str) -> AppendRules:
    return AppendRules.of(
        Config.for_broker().for_topic({name.replace("_", "."): text for name, text in overrides.items()})
    )


def a_batch(*values: bytes, key: bytes | None = b"k", timestamp: int = NOW, compression: int = NONE) -> memoryview:
    records = [Record(index, timestamp, key, value, ()) for index, value in enumerate(values or (b"v",))]
    return memoryview(build_batch(records, compression=compression))


def patched(view: memoryview, **fields: int) -> memoryview:
    """The same batch with other header fields, and a checksum that agrees with them."""
    order = BatchHeader.__struct_fields__
    values = list(layout.HEADER.unpack_from(view))
    for name, value in fields.items():
        values[order.index(name)] = value
    layout.HEADER.pack_into(view, 0, *values)
    if "crc" not in fields:
        layout.CRC.pack_into(view, layout.CRC_AT, crc_of(view))
    return view


def test_a_good_batch_is_taken_and_its_header_read() -> None:
    header = check_header(a_batch(b"one", b"two"), rules(), NOW)
    assert (header.record_count, header.last_offset_delta, header.magic) == (2, 1, 2)


@pytest.mark.parametrize(
    ("view", "refusal"),
    [
        (memoryview(bytearray()), NotOneBatch),
        (memoryview(bytearray(60)), NotOneBatch),
        (patched(a_batch(), magic=1), NotOneBatch),
        (patched(a_batch(), magic=3), CorruptMessage),
        (patched(a_batch(), crc=7), CorruptMessage),
        (patched(a_batch(), length=5), CorruptMessage),
        (patched(a_batch(), length=-1), CorruptMessage),
        (patched(a_batch(), length=10_000), NotOneBatch),
        (patched(a_batch(), attributes=layout.CONTROL), InvalidRecord),
        (patched(a_batch(), attributes=layout.DELETE_HORIZON), InvalidRecord),
        (patched(a_batch(), attributes=0x80), InvalidRecord),
        (patched(a_batch(), attributes=layout.TRANSACTIONAL), InvalidRecord),
        (patched(a_batch(), base_offset=5), InvalidRecord),
        (patched(a_batch(), record_count=1_000, last_offset_delta=999), InvalidRecord),
        (patched(a_batch(), attributes=5), UnsupportedCompressionType),
        (patched(a_batch(), record_count=0, last_offset_delta=-1), InvalidRecord),
        (patched(a_batch(), record_count=-3), InvalidRecord),
        (patched(a_batch(), record_count=2), InvalidRecord),
        (patched(a_batch(), last_offset_delta=9), InvalidRecord),
        (a_batch(timestamp=NOW + HOUR + 1), InvalidTimestamp),
    ],
)
def test_what_lies_or_is_damaged_is_refused(view: memoryview, refusal: type[Refusal]) -> None:
    with pytest.raises(refusal):
        check_header(view, rules(), NOW)


def test_two_batches_in_one_are_refused() -> None:
    with pytest.raises(InvalidRecord, match="one record batch"):
        check_header(memoryview(bytearray(a_batch()) + bytearray(a_batch())), rules(), NOW)


def test_a_batch_larger_than_the_topic_takes_is_refused() -> None:
    with pytest.raises(MessageTooLarge, match=r"max\.message\.bytes allows 200"):
        check_header(a_batch(b"x" * 300), rules(max_message_bytes="200"), NOW)


def test_a_batch_larger_than_a_segment_is_refused() -> None:
    with pytest.raises(RecordListTooLarge):
        check_header(a_batch(b"x" * 1_100_000), rules(max_message_bytes="2000000", segment_bytes="1048576"), NOW)


def test_timestamps_are_held_to_the_topics_window() -> None:
    narrow = AppendRules.of(
        Config.for_broker().for_topic(
            {"message.timestamp.before.max.ms": "1000", "message.timestamp.after.max.ms": "10"}
        )
    )
    check_header(a_batch(timestamp=NOW - 1000), narrow, NOW)
    check_header(a_batch(timestamp=NOW + 10), narrow, NOW)
    for timestamp in (NOW - 1001, NOW + 11):
        with pytest.raises(InvalidTimestamp):
            check_header(a_batch(timestamp=timestamp), narrow, NOW)


def test_a_claim_to_have_been_stamped_by_the_log_is_taken_back() -> None:
    view = patched(a_batch(), attributes=layout.LOG_APPEND_TIME)
    clear_append_time(view, check_header(view, rules(), NOW))
    header = check_header(view, rules(), NOW)
    assert not header.is_log_append_time


def test_log_append_time_stamps_the_batch_and_its_checksum() -> None:
    view = a_batch(b"one", b"two", timestamp=NOW - 5 * HOUR)
    stamping = AppendRules.of(Config.for_broker().for_topic({"message.timestamp.type": "LogAppendTime"}))
    stamp_append_time(view, check_header(view, stamping, NOW), NOW)
    header = check(view)
    assert header.is_log_append_time and header.max_timestamp == NOW
    assert [record.timestamp for record in iterate(view)] == [NOW, NOW]


def test_a_compacted_topic_refuses_more_records_than_compaction_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Told so a producer splits its batch; taken, it would keep the log from ever being compacted."""
    monkeypatch.setattr("penstock.replication.rules.COMPACTED_RECORDS_MAX", 2)
    records = [Record(offset, NOW, b"key", b"value") for offset in range(3)]
    for policy in ("delete", "compact"):
        taken = AppendRules.of(Config.for_broker().for_topic({"cleanup.policy": policy}))
        open_batch(memoryview(build_batch(records[:2])), taken, NOW)
        if policy == "delete":
            open_batch(memoryview(build_batch(records)), taken, NOW)
        else:
            with pytest.raises(MessageTooLarge, match="3 records"):
                open_batch(memoryview(build_batch(records)), taken, NOW)


def test_a_compacted_topic_refuses_records_without_a_key_and_names_them() -> None:
    compacted = AppendRules.of(Config.for_broker().for_topic({"cleanup.policy": "compact"}))
    records = [Record(0, NOW, b"k", b"v", ()), Record(1, NOW, None, b"v", ())]
    assert compacted.opens_batches
    with pytest.raises(RecordsRefused) as refused:
        open_batch(memoryview(build_batch(records)), compacted, NOW)
    assert refused.value.record_errors == [(1, "The topic is compacted, so a record needs a key")]


@pytest.mark.parametrize(("name", "codec"), [("gzip", GZIP), ("zstd", ZSTD), ("uncompressed", NONE)])
def test_a_topics_compression_type_recompresses_what_comes_otherwise(name: str, codec: int) -> None:
    asked = AppendRules.of(Config.for_broker().for_topic({"compression.type": name}))
    other = GZIP if codec != GZIP else ZSTD
    opened = open_batch(a_batch(b"one" * 50, b"two" * 50, compression=other), asked, NOW).view
    assert check(opened).compression == codec
    assert [record.value for record in iterate(opened)] == [b"one" * 50, b"two" * 50]


def test_a_batch_in_the_topics_own_codec_passes_as_it_is() -> None:
    view = a_batch(compression=GZIP)
    gzip = AppendRules.of(Config.for_broker().for_topic({"compression.type": "gzip"}))
    assert open_batch(view, gzip, NOW).view is view


def test_records_that_are_fewer_than_the_header_says_are_found_where_the_topic_asks_for_it() -> None:
    view = patched(a_batch(b"one" * 10), record_count=2, last_offset_delta=1)
    check_header(view, rules(), NOW)
    full = AppendRules.of(Config.for_broker().for_topic({"penstock.validate.records": "full"}))
    assert full.opens_batches and not rules().opens_batches
    with pytest.raises(RecordsDisagree):
        open_batch(view, full, NOW)


def test_a_plain_topic_samples_its_batches_unless_it_says_otherwise() -> None:
    assert rules().samples_batches and not rules().opens_batches
    header = rules(penstock_validate_records="header")
    assert not header.samples_batches and not header.opens_batches
    compacted = rules(cleanup_policy="compact")
    assert compacted.opens_batches and not compacted.samples_batches


@pytest.mark.parametrize("late", [NOW + HOUR + 1, NOW - 2 * HOUR])
def test_full_checks_look_at_every_records_timestamp(late: int) -> None:
    records = [Record(0, NOW, None, b"in time"), Record(1, late, None, b"out of it")]
    view = patched(memoryview(build_batch(records)), max_timestamp=NOW)
    check_header(view, rules(message_timestamp_before_max_ms=str(HOUR)), NOW)
    full = rules(message_timestamp_before_max_ms=str(HOUR), penstock_validate_records="full")
    with pytest.raises(TimestampsRefused) as refused:
        open_batch(view, full, NOW)
    assert refused.value.code == InvalidTimestamp.code and [index for index, _ in refused.value.record_errors] == [1]
    assert refused.value.message == "One or more records have been rejected due to invalid timestamp", "Kafka's words"


def test_full_checks_put_a_wrong_largest_timestamp_right() -> None:
    records = [Record(0, NOW - 5, None, b"a"), Record(1, NOW - 3, None, b"b")]
    view = patched(memoryview(build_batch(records)), max_timestamp=NOW)
    opened = open_batch(view, rules(penstock_validate_records="full"), NOW)
    assert check(opened.view).max_timestamp == NOW - 3
    assert opened.mended is not None and str(NOW - 3) in opened.mended


def test_a_batch_of_records_before_1970_has_no_largest_timestamp() -> None:
    view = memoryview(build_batch([Record(0, -5, None, b"a")]))
    assert check(open_batch(view, rules(), NOW).view).max_timestamp == -1


def test_where_the_log_stamps_records_their_own_timestamps_do_not_matter() -> None:
    view = memoryview(build_batch([Record(0, NOW + 2 * HOUR, None, b"a")]))
    stamping = rules(penstock_validate_records="full", message_timestamp_type="LogAppendTime")
    assert open_batch(view, stamping, NOW).view is view

"""The source's options: Spark's names, sizes and times as people write them, and what is refused in words."""

import pytest

from penstock.model import PartitionIndex, TopicPartition
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.source.options import Place, SourceOptions, parse, timestamp_ms


def parsed(**options: str) -> SourceOptions:
    return parse({"bootstrap": "here:9092", "topics": "a", **options}, streaming=False)


def test_a_batch_begins_at_the_start_and_a_stream_at_the_end() -> None:
    given = {"bootstrap": "here:9092", "topics": "a"}
    assert parse(given, streaming=False).start == Place("earliest")
    assert parse(given, streaming=True).start == Place("latest")


def test_sparks_own_names_do_the_same() -> None:
    given = {"kafka.bootstrap.servers": "here:9092", "subscribe": "a, b,a", "kafka.security.protocol": "SSL"}
    options = parse(given, streaming=False)
    assert (options.bootstrap, options.topics) == ("here:9092", ("a", "b"))
    assert options.client == {"security.protocol": "SSL"}
    assert options.client_settings()["bootstrap.servers"] == "here:9092"


def test_offsets_are_by_topic_and_partition() -> None:
    options = parsed(startingOffsets='{"a": {"0": 5, "1": -2}, "@ids": {"a": "x"}}')
    zero, one = (TopicPartition("a", PartitionIndex(index)) for index in (0, 1))
    assert options.start == Place("earliest", {zero: 5, one: -2})


@pytest.mark.parametrize(("text", "size"), [("1048576", 1 << 20), ("64m", 64 << 20), ("2 KB", 2048), ("1g", 1 << 30)])
def test_sizes_have_units(text: str, size: int) -> None:
    assert parsed(maxBytesPerTrigger=text).bytes_max == size


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("1700000000000", 1_700_000_000_000), ("2023-11-14T22:13:20Z", 1_700_000_000_000),
     ("2023-11-14 22:13:20", 1_700_000_000_000), ("2023-11-14T23:13:20+01:00", 1_700_000_000_000)],
)  # fmt: skip
def test_times_are_milliseconds_or_iso_in_utc(text: str, milliseconds: int) -> None:
    assert timestamp_ms(text) == milliseconds


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"startingOffset": "earliest"}, "did you mean 'startingoffsets'"),
        ({"topics": ""}, "give one of subscribe"),
        ({"subscribePattern": "a.*"}, "give one of subscribe"),
        ({"topics": "", "subscribePattern": "("}, "no regular expression"),
        ({"endingOffsets": "earliest"}, "endingOffsets cannot be 'earliest'"),
        ({"startingOffsets": "5"}, "startingOffsets cannot be '5'"),
        ({"startingOffsets": "{"}, "startingOffsets is no JSON"),
        ({"startingOffsets": "earliest", "startingTimestamp": "1"}, "not both"),
        ({"startingTimestamp": "yesterday"}, "'yesterday' is no time"),
        ({"maxOffsetsPerTrigger": "0"}, "a whole number from 1"),
        ({"maxBytesPerTrigger": "many"}, "a size such as"),
        ({"failOnDataLoss": "maybe"}, "true or false"),
        ({"isolationLevel": "none"}, "read_committed or read_uncommitted"),
        ({"bootstrap": ""}, "kafka.bootstrap.servers is missing"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(options: dict[str, str], words: str) -> None:
    with pytest.raises(PipelineProblem, match=words):
        parsed(**options)

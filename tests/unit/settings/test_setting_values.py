"""How the values of settings are read, judged and written: as Kafka does it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.settings import Kind, Scope, broker, settings_of
from penstock.settings import topic as t
from penstock.settings.types import DOUBLE, INT, LIST, LONG, LONG_MAX


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("retention.ms", " 5 ", 5),
        ("retention.ms", "+5", 5),
        ("retention.bytes", "-5", -5),
        ("cleanup.policy", "", ()),
        ("cleanup.policy", " compact , delete ", ("compact", "delete")),
        ("compression.type", " gzip", "gzip"),
        ("compression.gzip.level", "-1", -1),
        ("preallocate", "TRUE", True),
        ("min.cleanable.dirty.ratio", "5e-1", 0.5),
        ("min.cleanable.dirty.ratio", "0.5f", 0.5),
        ("leader.replication.throttled.replicas", "*", ("*",)),
        ("leader.replication.throttled.replicas", "0:1,1:2", ("0:1", "1:2")),
        ("internal.segment.bytes", "100", 100),
    ],
)
def test_a_topic_accepts_what_kafka_accepts(name: str, text: str, value: object) -> None:
    assert settings_of(Scope.TOPIC)[name].parse(text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cleanup.policy", "none"),
        ("cleanup.policy", "Delete"),
        ("cleanup.policy", "compact,"),
        ("retention.ms", "-2"),
        ("retention.ms", "abc"),
        ("retention.ms", ""),
        ("retention.ms", "1e3"),
        ("retention.ms", "1_000"),
        ("retention.ms", "٣"),
        ("retention.ms", "99999999999999999999"),
        ("retention.ms", "9" * 5_000),
        ("compression.type", "GZIP"),
        ("compression.gzip.level", "0"),
        ("preallocate", "yes"),
        ("min.cleanable.dirty.ratio", "1.1"),
        ("min.cleanable.dirty.ratio", "NaN"),
        ("leader.replication.throttled.replicas", "*,0:1"),
        ("leader.replication.throttled.replicas", "none"),
        ("segment.bytes", "100"),
        ("segment.bytes", "4294967296"),
        ("message.timestamp.type", "createtime"),
        ("max.message.bytes", "2147483648"),
        ("segment.index.bytes", "3"),
        ("min.insync.replicas", "0"),
    ],
)
def test_a_topic_refuses_what_kafka_refuses_and_names_the_setting(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: .* is not allowed"):
        settings_of(Scope.TOPIC)[name].parse(text)


def test_a_refusal_says_the_rule() -> None:
    with pytest.raises(ValueError, match=r"retention\.ms: '-2' is not allowed: must be at least -1 \(LONG\)"):
        t.RETENTION_MS.parse("-2")


def test_kafkas_thirty_four_topic_settings_are_all_there_and_that_of_a_later_release() -> None:
    kafkas = [name for name in settings_of(Scope.TOPIC) if not name.startswith("penstock.")]
    assert len(kafkas) == 35
    assert t.ERRORS_DEADLETTERQUEUE_GROUP_ENABLE.name in kafkas


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        (0.0, "0.0"),
        (1.0, "1.0"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (1e7, "1.0E7"),
        (12345678.9, "1.23456789E7"),
        (0.00015, "1.5E-4"),
    ],
)
def test_doubles_are_written_as_java_writes_them(value: float, text: str) -> None:
    assert DOUBLE.format(value) == text
    assert DOUBLE.parse(text) == value


@given(st.integers(-(2**63), LONG_MAX))
def test_longs_come_back_as_they_went(value: int) -> None:
    assert LONG.parse(LONG.format(value)) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_doubles_come_back_as_they_went(value: float) -> None:
    assert DOUBLE.parse(DOUBLE.format(value)) == value


@given(st.text())
def test_any_text_is_parsed_or_refused_with_a_value_error(text: str) -> None:
    for scope in Scope:
        for row in settings_of(scope).values():
            try:
                value = row.parse(text)
            except ValueError:
                continue
            assert row.parse(row.format(value) or "") == value


def test_every_default_is_a_value_that_could_be_set() -> None:
    for scope in Scope:
        for row in settings_of(scope).values():
            if row.default is not None:
                assert row.parse(row.format(row.default) or "") == row.default, row


def test_every_setting_is_explained_in_a_sentence() -> None:
    for scope in Scope:
        for row in settings_of(scope).values():
            assert row.doc[0].isupper() or row.doc.startswith("segment.bytes"), row
            assert row.doc.endswith((".", ".)")), row


def test_the_simulator_is_dealt_only_values_that_are_allowed() -> None:
    for scope in Scope:
        for row in settings_of(scope).values():
            for value in row.simulate:
                assert row.parse(row.format(value) or "") == value


def test_kinds_are_numbered_as_in_describe_configs() -> None:
    assert (t.RETENTION_MS.kind, t.CLEANUP_POLICY.kind, t.PREALLOCATE.kind) == (Kind.LONG, Kind.LIST, Kind.BOOLEAN)
    assert (INT.kind, LIST.kind) == (3, 7)


@pytest.mark.parametrize("text", ["127.0.0.1:abc", "127.0.0.1", ":", "10.0.0.1:5,", "10.0.0.1:-1"])
def test_limits_for_addresses_that_are_none_are_refused_before_they_lock_everybody_out(text: str) -> None:
    with pytest.raises(ValueError, match="address:limit"):
        broker.MAX_CONNECTIONS_PER_IP_OVERRIDES.parse(text)


@pytest.mark.parametrize("text", ["", "127.0.0.1:5", "127.0.0.1:5, ::1:7 ,example.org:0"])
def test_limits_for_addresses_are_a_list_of_address_and_limit(text: str) -> None:
    assert broker.MAX_CONNECTIONS_PER_IP_OVERRIDES.parse(text) == text

import pytest

from penstock.delivery.schedules import plan
from penstock.delivery.schedules.plan import Cancel, Missed, Plan
from penstock.wire.records import Record

NOW = 1_790_000_000_000


def read(
    headers: dict[str, str], *, key: bytes | None = b"k", value: bytes | None = b"v", delay_ms: int = -1
) -> object:
    pairs = tuple((name, text.encode()) for name, text in headers.items())
    return plan.read(Record(0, NOW, key, value, pairs), delay=delay_ms)


@pytest.mark.parametrize(
    ("headers", "due_ms"),
    [
        ({"penstock-deliver-at": "1800000000000"}, 1_800_000_000_000),
        ({"penstock-deliver-at": "2027-01-15T08:00:00Z"}, 1_800_000_000_000),
        ({"penstock-deliver-at": "2027-01-15T09:00:00.250+01:00"}, 1_800_000_000_250),
        ({"penstock-deliver-at": "0"}, 0),
        ({"penstock-deliver-at": "1960-01-01T00:00:00Z"}, 0),
        ({"penstock-delay-ms": "1500"}, NOW + 1_500),
        ({"penstock-delay-ms": "0"}, NOW),
        ({"penstock-cron": "@every 10s"}, NOW + 10_000),
    ],
)
def test_when_a_record_is_due(headers: dict[str, str], due_ms: int) -> None:
    found = read(headers)
    assert isinstance(found, Plan) and found.due_ms == due_ms and found.id is None


def test_a_topic_with_a_delay_needs_no_header_and_a_header_wins() -> None:
    assert read({}, delay_ms=30_000) == Plan(NOW + 30_000)
    assert read({"penstock-delay-ms": "5"}, delay_ms=30_000) == Plan(NOW + 5)


def test_a_record_without_value_cancels_what_has_its_key_and_id() -> None:
    planned = read({"penstock-schedule-id": "a", "penstock-delay-ms": "5"})
    cancelled = read({"penstock-schedule-id": "a"}, value=None)
    assert isinstance(planned, Plan) and cancelled == Cancel(planned.id or b"")
    assert read({"penstock-schedule-id": "a"}, value=None, key=b"other") != cancelled


def test_a_record_without_value_and_id_waits_as_any() -> None:
    assert read({"penstock-delay-ms": "5"}, value=None) == Plan(NOW + 5)


def test_a_recurring_record_says_what_becomes_of_missed_times() -> None:
    found = read({"penstock-cron": "0 0 9 * * *", "penstock-time-zone": "Asia/Tokyo", "penstock-missed": "all"})
    assert isinstance(found, Plan) and found.missed is Missed.ALL and found.due_ms % 86_400_000 == 0


@pytest.mark.parametrize(
    ("headers", "what"),
    [
        ({}, "says no time"),
        ({"penstock-deliver-at": "soon"}, "not 'soon'"),
        ({"penstock-deliver-at": ""}, "not ''"),
        ({"penstock-deliver-at": "-5"}, "not '-5'"),
        ({"penstock-deliver-at": "2027-01-15T08:00:00"}, "RFC|2027-01-31"),
        ({"penstock-deliver-at": "2027-02-30T08:00:00Z"}, "is no time"),
        ({"penstock-deliver-at": "99999999999999999999"}, "number of milliseconds"),
        ({"penstock-deliver-at": "9999999999999999"}, "number of milliseconds"),
        ({"penstock-delay-ms": "1.5"}, "not '1.5'"),
        ({"penstock-delay-ms": "-1"}, "not '-1'"),
        ({"penstock-delay-ms": "1", "penstock-deliver-at": "1"}, "exclude each other"),
        ({"penstock-delay-ms": "1", "penstock-cron": "@daily"}, "exclude each other"),
        ({"penstock-cron": "nonsense"}, "six fields"),
        ({"penstock-cron": "@daily", "penstock-time-zone": "Mars/Olympus"}, "no time zone"),
        ({"penstock-cron": "@daily", "penstock-time-zone": "../../etc/passwd"}, "no time zone"),
        ({"penstock-cron": "@daily", "penstock-missed": "some"}, "once, skip or all"),
        ({"penstock-delay-ms": "1", "penstock-missed": "all"}, "goes with penstock-cron"),
        ({"penstock-delay-ms": "1", "penstock-time-zone": "UTC"}, "goes with penstock-cron"),
        ({"penstock-delay-ms": "1", "penstock-schedule-id": ""}, "1 to 1024 bytes"),
        ({"penstock-delay-ms": "1", "penstock-schedule-id": "x" * 1025}, "1 to 1024 bytes"),
    ],
)
def test_what_says_nonsense_is_refused_in_words(headers: dict[str, str], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        read(headers)


def test_s7_an_id_needs_a_key() -> None:
    with pytest.raises(ValueError, match="needs a key"):
        read({"penstock-delay-ms": "1", "penstock-schedule-id": "a"}, key=None)


def test_a_cancel_takes_no_time() -> None:
    with pytest.raises(ValueError, match="takes no time"):
        read({"penstock-delay-ms": "1", "penstock-schedule-id": "a"}, value=None)


def test_a_header_that_comes_twice_is_refused() -> None:
    record = Record(0, NOW, b"k", b"v", (("penstock-delay-ms", b"1"), ("penstock-delay-ms", b"2")))
    with pytest.raises(ValueError, match="comes twice"):
        plan.read(record, delay=-1)


def test_a_delay_without_a_timestamp_has_nothing_to_count_from() -> None:
    with pytest.raises(ValueError, match="nothing to count from"):
        plan.read(Record(0, -1, b"k", b"v", (("penstock-delay-ms", b"1"),)), delay=-1)


@pytest.mark.parametrize(
    ("timestamp", "headers"),
    [
        ((1 << 63) - 1, {"penstock-delay-ms": "1"}),
        (1 << 53, {"penstock-delay-ms": "1"}),
        (1 << 62, {"penstock-cron": "@every 1h"}),
    ],
)
def test_what_is_due_beyond_any_calendar_is_refused(timestamp: int, headers: dict[str, str]) -> None:
    pairs = tuple((name, text.encode()) for name, text in headers.items())
    with pytest.raises(ValueError, match="no calendar"):
        plan.read(Record(0, timestamp, b"k", b"v", pairs), delay=-1)


def test_what_is_to_be_fired_now_is_due_at_a_time_that_there_is() -> None:
    for timestamp, due_ms in ((-1, 0), (NOW, NOW), ((1 << 63) - 1, plan.NUMBER_MAX)):
        headers = ((plan.SCHEDULE_ID, b"a"), (plan.FIRE_NOW, b""))
        cancel = plan.read(Record(0, timestamp, b"k", None, headers), delay=-1)
        assert isinstance(cancel, plan.Cancel) and cancel.fires_at == due_ms


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ValueError, match="not UTF-8"):
        plan.read(Record(0, NOW, b"k", b"v", (("penstock-deliver-at", b"\xff"),)), delay=-1)

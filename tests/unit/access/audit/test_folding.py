"""Events that repeat become one with a count, and nothing that a stranger chooses makes them differ."""

from penstock.access.audit.events import Asker, Event, Resource, access_denied, login
from penstock.access.audit.folding import KINDS_MAX, Folding
from penstock.model import Millis


def denied(name: str, *, client_id: str = "", host: str = "10.0.0.7", time_ms: int = 0) -> Event:
    return access_denied(
        Asker("User:mallory", host, client_id=client_id),
        right="READ Topic",
        resource=Resource("topic", name),
        error_code=29,
        time_ms=time_ms,
    )


def failed_login(user: str, *, time_ms: int = 0) -> Event:
    asker = Asker(f"User:{user}", "10.0.0.7")
    return login(asker, mechanism="PLAIN", error_code=58, reason="wrong", time_ms=time_ms)


def at(ms: int) -> Millis:
    return Millis(ms)


def test_the_first_is_told_at_once_and_the_others_with_a_count() -> None:
    folding = Folding()
    assert folding.add(denied("a", time_ms=1), at(0)) == [denied("a", time_ms=1)]
    for time_ms in range(2, 102):
        assert folding.add(denied("a", time_ms=time_ms), at(time_ms)) == []
    assert folding.due(at(999), within_ms=1_000) == []
    (told,) = folding.due(at(1_000), within_ms=1_000)
    assert (told.count, told.start_time, told.end_time) == (100, 2, 101)
    assert told.resources == (Resource("topic", "a"),)


def test_what_a_stranger_chooses_makes_no_new_kind() -> None:
    folding = Folding()
    told = [
        event
        for number in range(1_000)
        for event in folding.add(denied(f"topic-{number}", client_id=f"client-{number}"), at(number))
    ]
    assert len(told) == 1
    (rest,) = folding.all()
    assert rest.count == 999
    assert [resource.name for resource in rest.resources] == [f"topic-{number}" for number in range(1, 11)]


def test_failed_logins_under_many_names_are_one_kind() -> None:
    folding = Folding()
    told = [event for number in range(50) for event in folding.add(failed_login(f"user-{number}"), at(0))]
    assert len(told) == 1
    (rest,) = folding.all()
    assert rest.count == 49
    assert rest.unmapped["users"] == [f"user-{number}" for number in range(1, 11)]


def test_other_hosts_and_good_logins_are_told_apart() -> None:
    folding = Folding()
    good = [login(Asker(f"User:{user}", "h"), mechanism="PLAIN", error_code=0, reason="", time_ms=0) for user in "ab"]
    for event in (denied("a"), denied("a", host="10.0.0.8"), failed_login("a"), *good):
        assert folding.add(event, at(0)) == [event]


def test_a_kind_that_goes_on_is_told_once_a_time_and_then_forgotten() -> None:
    folding = Folding()
    folding.add(denied("a"), at(0))
    folding.add(denied("a"), at(1))
    assert [event.count for event in folding.due(at(1_000), within_ms=1_000)] == [1]
    assert folding.add(denied("a"), at(1_500)) == [], "still the same kind"
    assert [event.count for event in folding.due(at(2_000), within_ms=1_000)] == [1]
    assert folding.due(at(3_000), within_ms=1_000) == []
    assert folding.add(denied("a"), at(3_500)) == [denied("a")], "forgotten, so told at once"


def test_the_kinds_are_bounded_and_none_is_lost() -> None:
    folding = Folding()
    told = []
    for number in range(2 * KINDS_MAX):
        for _ in range(2):
            told += folding.add(denied("a", host=f"10.0.{number // 256}.{number % 256}"), at(0))
    told += folding.all()
    assert sum(event.count for event in told) == 4 * KINDS_MAX

"""Audit events and chains for tests."""

from collections.abc import Sequence

from penstock.access.audit import Activity, Asker, Chain, Changed, Event, Head, Resource, api_activity

ALICE = Asker("User:alice", "10.0.0.7", 50123, "admin-tool")


def an_event(name: str = "orders", *, time_ms: int = 1_000, error_code: int = 0) -> Event:
    data = Changed(after={"partitions": 3}) if not error_code else Changed(status_code=str(error_code))
    return api_activity(
        ALICE,
        operation="CreateTopics",
        version=7,
        activity=Activity.CREATE,
        resources=[Resource("topic", name, data)],
        time_ms=time_ms,
    )


def some_lines(count: int, head: Head | None = None, *, begin: Sequence[Event] = ()) -> tuple[list[bytes], Chain]:
    """That many lines with their newlines, after `head`; those of `begin` come first."""
    chain = Chain("audit-1", head or Head())
    events = [*begin, *(an_event(f"topic-{number}") for number in range(count - len(begin)))]
    return [chain.link(event) + b"\n" for event in events], chain

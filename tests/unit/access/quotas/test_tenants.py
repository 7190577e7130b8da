import pytest
from tests.support.quotas import SomeQuotas

from penstock.access.quotas.tenants import Tenants
from penstock.errors import PolicyViolation


def tenants(**limits: float) -> tuple[SomeQuotas, Tenants]:
    some = SomeQuotas({"tenant=acme.": limits})
    return some, some.quotas.tenants


def test_names_belong_to_the_longest_prefix() -> None:
    some = SomeQuotas({"tenant=acme.": {"partitions": 3}, "tenant=acme.lab.": {"partitions": 3}})
    found = {name: some.quotas.tenants.of(name) for name in ("acme.orders", "acme.lab.x", "acme", "other")}
    assert {name: tenant and tenant.prefix for name, tenant in found.items()} == {
        "acme.orders": "acme.",
        "acme.lab.x": "acme.lab.",
        "acme": None,
        "other": None,
    }
    some.set("tenant=acme.lab.")
    again = some.quotas.tenants.of("acme.lab.x")
    assert again is not None and again.prefix == "acme."


def test_stored_bytes_are_counted_at_most_once_a_second_and_what_is_written_is_added() -> None:
    some, acme = tenants(stored_bytes=1_000)
    times = 0

    def sizes() -> list[tuple[str, int]]:
        nonlocal times
        times += 1
        return [("acme.a", 300), ("acme.b", 300), ("other", 10**9)]

    acme.sizes = sizes
    acme.require_room("acme.a", 400)
    with pytest.raises(PolicyViolation, match=r"tenant acme\. keeps 1000 bytes"):
        acme.require_room("acme.b", 1)
    acme.require_room("other", 10**9)
    assert times == 1
    some.clock.advance(1_001)
    acme.require_room("acme.b", 400)
    assert times == 2


def test_a_tenant_without_such_a_limit_is_not_asked() -> None:
    _, acme = tenants(partitions=1)
    acme.sizes = lambda: pytest.fail("nobody needs to know")
    acme.require_room("acme.a", 10**12)


def test_what_tenants_write_together_is_held_to_their_rate() -> None:
    some, _ = tenants(producer_byte_rate=100)
    assert some.quotas.wrote([("acme.a", 600), ("other", 10**9)]) == 0
    assert some.quotas.wrote([("acme.b", 600)]) == 2.0


def test_what_is_read_of_tenants_is_held_to_their_rate_and_to_the_users() -> None:
    some, _ = tenants(consumer_byte_rate=100)
    some.set("user=anna", consumer_byte_rate=1_000)
    anna = some.quotas.fetches(some.quotas.share("anna", None))
    bert = some.quotas.fetches(some.quotas.share("bert", None))
    assert anna is not None and bert is not None
    assert (anna.bytes_max(["acme.a"]), anna.bytes_max(["other"])) == (1_000, 10_000)
    assert anna.take([("acme.a", 1_000), ("other", 1_000)]) == 0
    assert bert.take([("acme.b", 500)]) == 5.0
    assert bert.take([("other", 10**9)]) == 0
    assert anna.take([("other", 9_000)]) == 1.0


def test_a_tenant_takes_in_as_many_connections_as_it_may() -> None:
    _, acme = tenants(connections=2)
    tenant = acme.of("acme.anna")
    assert tenant is not None
    assert [tenant.take_in(each) for each in ("a", "b", "c")] == [True, True, False]
    tenant.connections.discard("a")
    assert tenant.take_in("c")

from tests.support.quotas import SomeQuotas

from penstock.access.quotas import meters
from penstock.access.quotas.client_quotas import FetchQuota
from penstock.metrics import MetricsRegistry


def held_now(registry: MetricsRegistry) -> dict[tuple[str, ...], float]:
    (family,) = (one for one in registry.snapshot() if one.name == "penstock_quota_throttled_now_seconds")
    return {labels: value for labels, value in family.values if isinstance(value, float)}


ORDERS = ["orders"]


def taken(fetch: FetchQuota, size: int) -> float:
    return fetch.take([("orders", size)])


def test_without_quotas_nothing_is_on() -> None:
    some = SomeQuotas()
    assert not some.quotas.is_on
    assert some.quotas.share("anna", "app") == (None, None, None, None)


def test_it_is_told_when_the_first_comes_and_the_last_goes() -> None:
    some = SomeQuotas()
    told: list[bool] = []
    some.quotas.when_switched = lambda: told.append(some.quotas.is_on)
    some.set("user=anna", producer_byte_rate=100)
    some.set("user=bert", producer_byte_rate=100)
    some.set("user=anna")
    assert told == [True]
    some.set("user=bert")
    assert told == [True, False]


def test_what_only_addresses_have_does_not_concern_requests() -> None:
    some = SomeQuotas({"ip=10.0.0.1": {"connection_creation_rate": 5}, "ip": {"connection_creation_rate": 7}})
    assert not some.quotas.is_on
    addresses = some.quotas.addresses
    assert [addresses.limit(each) for each in ("10.0.0.1", "::ffff:10.0.0.1", "10.0.0.2")] == [5, 5, 7]


def test_a_producer_is_held_back_by_what_is_too_much() -> None:
    some = SomeQuotas({"user=anna": {"producer_byte_rate": 100}})
    share = some.quotas.share("anna", "app")
    assert some.quotas.produced(share, 1_000) == 0
    assert some.quotas.produced(share, 500) == 5.0
    some.clock.advance(11_000)
    assert some.quotas.produced(share, 0) == 0
    assert some.quotas.produced(some.quotas.share("bert", "app"), 10**9) == 0


def test_all_of_a_user_share_what_the_user_has() -> None:
    some = SomeQuotas({"user=anna": {"producer_byte_rate": 100}, "client-id=app": {"producer_byte_rate": 1}})
    some.quotas.produced(some.quotas.share("anna", "app"), 1_000)
    assert some.quotas.produced(some.quotas.share("anna", "other"), 1_000) == 10.0


def test_who_falls_under_a_default_has_it_alone() -> None:
    some = SomeQuotas({"user": {"producer_byte_rate": 100}})
    some.quotas.produced(some.quotas.share("anna", None), 1_000)
    assert some.quotas.produced(some.quotas.share("bert", None), 1_000) == 0


def test_a_change_holds_at_once_and_forgets_nothing() -> None:
    some = SomeQuotas({"user=anna": {"producer_byte_rate": 1_000}})
    assert some.quotas.produced(some.quotas.share("anna", "app"), 5_000) == 0
    some.set("user=anna", producer_byte_rate=100)
    assert some.quotas.produced(some.quotas.share("anna", "app"), 0) == 40.0


def test_time_is_a_percentage_and_waited_off_in_pieces_of_a_window() -> None:
    some = SomeQuotas({"user=anna": {"request_percentage": 10}})
    share = some.quotas.share("anna", None)
    assert some.quotas.took(share, 1.0) == 0  # a second in ten
    assert some.quotas.took(share, 0.05) == 0.5
    assert some.quotas.took(share, 5.0) == 1.0


def test_a_fetch_gets_nothing_while_there_was_too_much() -> None:
    some = SomeQuotas({"user=anna": {"consumer_byte_rate": 100}})
    fetch = some.quotas.fetches(some.quotas.share("anna", None))
    assert fetch is not None and fetch.bytes_max(ORDERS) == 1_000
    assert taken(fetch, 1_000) == 0
    assert taken(fetch, 800) == 8.0
    assert taken(fetch, 800) == 8.0  # what was not given does not count
    some.clock.advance(11_000)
    assert taken(fetch, 800) == 0


def test_a_batch_larger_than_the_limit_gets_through_and_is_paid_for_later() -> None:
    some = SomeQuotas({"user=anna": {"consumer_byte_rate": 100}})
    fetch = some.quotas.fetches(some.quotas.share("anna", None))
    assert fetch is not None
    assert taken(fetch, 50_000) == 0
    assert taken(fetch, 0) == 490.0


def test_who_is_held_back_is_shown_for_as_long() -> None:
    some = SomeQuotas({"client-id=app&user=anna": {"producer_byte_rate": 100}})
    some.quotas.produced(some.quotas.share("anna", "app"), 1_500)
    assert held_now(some.registry) == {("producer_byte_rate", "anna", "app", "", ""): 5.0}
    some.clock.advance(5_000)
    assert held_now(some.registry) == {}


def test_client_ids_without_number_do_not_fill_the_memory() -> None:
    some = SomeQuotas({"client-id": {"producer_byte_rate": 100}})
    busy = some.quotas.share("anna", "busy")
    for number in range(2 * meters.METERS_MAX):
        some.quotas.share("anna", str(number))
        if number % 1_000 == 0:
            some.quotas.produced(busy, 1)
    assert len(some.quotas.meters) <= meters.METERS_MAX + 1


def test_what_is_not_understood_is_let_be() -> None:
    some = SomeQuotas({"user=anna": {"producer_byte_rate": 100}})
    some.set("user=bert", producer_byte_rate="much")  # type: ignore[arg-type]
    assert some.quotas.share("bert", None).produce is None
    assert some.quotas.share("anna", None).produce is not None

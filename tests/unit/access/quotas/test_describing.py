import pytest

from penstock.access.quotas.describing import ANY, DEFAULT, EXACT, Component, matching
from penstock.cluster import Entry
from penstock.errors import InvalidRequest, Refusal, UnsupportedVersion
from penstock.metastore import Revision

NAMES = ("user=anna", "user", "client-id=app&user=anna", "client-id=app", "client-id&user=bert", "ip=10.0.0.1", "ip")
ENTRIES = {name: Entry(b'{"producer_byte_rate": 1.0}', Revision(1)) for name in (*NAMES, "tenant=acme.")}


def found(*wanted: Component, strict: bool = False) -> set[str]:
    told = {entity for entity, _ in matching(ENTRIES, wanted, strict=strict)}
    return {"&".join(part.type if part.name is None else f"{part.type}={part.name}" for part in one) for one in told}


def test_without_a_filter_all_of_kafkas_kinds_are_told() -> None:
    assert found() == set(NAMES)


def test_tenants_are_told_to_who_asks_for_them() -> None:
    assert found(Component("tenant", ANY, None)) == {"tenant=acme."}
    assert found(Component("tenant", EXACT, "other.")) == set()


@pytest.mark.parametrize(
    ("component", "strict", "names"),
    [
        (Component("user", EXACT, "anna"), False, {"user=anna", "client-id=app&user=anna"}),
        (Component("user", EXACT, "anna"), True, {"user=anna"}),
        (Component("user", DEFAULT, None), False, {"user"}),
        (Component("user", ANY, None), True, {"user=anna", "user"}),
        (Component("client-id", DEFAULT, None), False, {"client-id&user=bert"}),
        (Component("ip", ANY, None), False, {"ip=10.0.0.1", "ip"}),
    ],
)
def test_a_component_is_exact_the_default_or_any(component: Component, strict: bool, names: set[str]) -> None:
    assert found(component, strict=strict) == names


def test_all_components_must_fit() -> None:
    both = (Component("user", ANY, None), Component("client-id", EXACT, "app"))
    assert found(*both) == {"client-id=app&user=anna"}


@pytest.mark.parametrize(
    ("components", "refusal"),
    [
        ([Component("", ANY, None)], InvalidRequest),
        ([Component("user", ANY, None), Component("user", DEFAULT, None)], InvalidRequest),
        ([Component("team", ANY, None)], UnsupportedVersion),
        ([Component("user", 3, None)], InvalidRequest),
        ([Component("user", EXACT, None)], InvalidRequest),
        ([Component("user", DEFAULT, "anna")], InvalidRequest),
        ([Component("user", ANY, "anna")], InvalidRequest),
        ([Component("ip", ANY, None), Component("user", ANY, None)], InvalidRequest),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(components: list[Component], refusal: type[Refusal]) -> None:
    with pytest.raises(refusal):
        found(*components)

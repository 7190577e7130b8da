"""DescribeClientQuotas: which entities pass a filter."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from penstock.access.quotas.altering import quotas_in
from penstock.access.quotas.entities import CLIENT_ID, IP, KAFKAS_TYPES, TENANT, USER, Entity, entity_of
from penstock.cluster import Entry
from penstock.errors import InvalidRequest, UnsupportedVersion

EXACT: Final = 0
DEFAULT: Final = 1
ANY: Final = 2


class Component(NamedTuple):
    type: str
    match: int
    name: str | None


def matching(
    entries: Mapping[str, Entry], wanted: Sequence[Component], *, strict: bool
) -> Iterable[tuple[Entity, dict[str, float]]]:
    """All that have what is asked for; `strict`, nothing else besides. Tenants are shown to those only who ask for
    them: other tools do not know the type.
    """
    passes = _filter(wanted)
    for name, entry in entries.items():
        whom = entity_of(name)
        if passes(whom) and (not strict or len(whom) == len(wanted)):
            yield whom, quotas_in(entry.value)


def _filter(wanted: Sequence[Component]) -> Callable[[Entity], bool]:
    components: dict[str, Component] = {}
    for each in wanted:
        if not each.type:
            raise InvalidRequest("Invalid empty entity type.")
        if each.type in components:
            raise InvalidRequest(f"Entity type {each.type} cannot appear more than once in the filter.")
        if each.type not in KAFKAS_TYPES and each.type != TENANT:
            raise UnsupportedVersion(f"Unsupported entity type {each.type}")
        if each.match not in (EXACT, DEFAULT, ANY):
            raise InvalidRequest(f"Unknown match type {each.match}")
        if (each.match == EXACT) != (each.name is not None):
            raise InvalidRequest(
                "An exact match needs a name" if each.match == EXACT else "Only an exact match has a name"
            )
        components[each.type] = each
    if IP in components and (USER in components or CLIENT_ID in components):
        raise InvalidRequest("An ip component cannot be combined with one of user or client-id")

    def passes(whom: Entity) -> bool:
        names = dict(whom)
        if TENANT in names and TENANT not in components:
            return False
        return all(
            type_ in names and (each.match == ANY or names[type_] == each.name) for type_, each in components.items()
        )

    return passes

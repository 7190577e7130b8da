"""AlterClientQuotas: what becomes of each entity. One that is refused leaves the others as they are."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from penstock.access.quotas.entities import Entity, entry_name, keys_of, require_value
from penstock.cluster import Entry, EntryChange
from penstock.errors import InvalidRequest, Refusal

Quotas = Mapping[str, float]
Outcomes = dict[Entity, Refusal | None]


class Alteration(NamedTuple):
    """The wanted limits of one entity, in the order of the request; None takes one away."""

    whom: Entity
    limits: Sequence[tuple[str, float | None]]


def decide(there: Mapping[str, Entry], wanted: Sequence[Alteration]) -> EntryChange[Outcomes]:
    outcomes: Outcomes = {}
    puts: dict[str, bytes] = {}
    deletes: list[str] = []
    for each in wanted:
        if each.whom in outcomes:  # what came first stands, as in Kafka
            outcomes[each.whom] = InvalidRequest(f"Ignoring duplicate entity {_shown(each.whom)}")
            continue
        name = entry_name(each.whom)
        entry = there.get(name)
        before = {} if entry is None else quotas_in(entry.value)
        try:
            after = _altered(before, each)
        except Refusal as refusal:
            outcomes[each.whom] = refusal
            continue
        outcomes[each.whom] = None
        if after and after != before:
            puts[name] = msgspec.json.encode(after)
        elif before and not after:
            deletes.append(name)
    return EntryChange(outcomes, puts=puts, deletes=deletes)


def _altered(before: Quotas, wanted: Alteration) -> dict[str, float]:
    keys = keys_of(wanted.whom)
    if len({key for key, _ in wanted.limits}) < len(wanted.limits):
        raise InvalidRequest(f"A quota key comes more than once for {_shown(wanted.whom)}")
    after = dict(before)
    for key, limit in wanted.limits:
        if limit is None:
            after.pop(key, None)
        else:
            require_value(keys, key, limit)
            after[key] = limit
    return after


def quotas_in(value: bytes) -> dict[str, float]:
    """What an entry holds."""
    return msgspec.json.decode(value, type=dict[str, float])


def _shown(whom: Entity) -> str:
    return ", ".join(f"{part.type} {'<default>' if part.name is None else part.name}" for part in whom)

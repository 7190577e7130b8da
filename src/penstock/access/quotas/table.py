"""Which limit holds for a user with a client id. Of all that could, the most particular one does, and no other."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from penstock.access.quotas.entities import CLIENT_ID, USER, Entity, Part

NAMED: Final = True
DEFAULT: Final = False

PRECEDENCE: Final[tuple[tuple[bool | None, bool | None], ...]] = (
    (NAMED, NAMED),
    (NAMED, DEFAULT),
    (NAMED, None),
    (DEFAULT, NAMED),
    (DEFAULT, DEFAULT),
    (DEFAULT, None),
    (None, NAMED),
    (None, DEFAULT),
)
"""How user and client id stand in an entity, the most particular first. None: it is not in it."""


class Allowance(NamedTuple):
    """A limit, and who uses it up together: all of a user, all with a client id, or only this pair."""

    limit: float
    user: str | None
    client_id: str | None


class QuotaTable:
    def __init__(self, quotas: Iterable[tuple[Entity, Mapping[str, float]]] = ()) -> None:
        self._limits: dict[Entity, Mapping[str, float]] = {}
        for whom, limits in quotas:
            self.put(whom, limits)

    def __len__(self) -> int:
        """How many users and client ids have limits."""
        return len(self._limits)

    def put(self, whom: Entity, limits: Mapping[str, float]) -> None:
        """These are all its limits from now on."""
        if limits:
            self._limits[whom] = limits
        else:
            self._limits.pop(whom, None)

    def allowance(self, key: str, user: str, client_id: str) -> Allowance | None:
        for by_user, by_client in PRECEDENCE:
            limits = self._limits.get(_entity(by_user, by_client, user, client_id))
            if limits is not None and key in limits:
                return Allowance(
                    limits[key], None if by_user is None else user, None if by_client is None else client_id
                )
        return None


def _entity(by_user: bool | None, by_client: bool | None, user: str, client_id: str) -> Entity:
    parts = []
    if by_client is not None:
        parts.append(Part(CLIENT_ID, client_id if by_client else None))
    if by_user is not None:
        parts.append(Part(USER, user if by_user else None))
    return tuple(parts)

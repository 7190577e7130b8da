"""Of all quotas that could hold for a user and a client id the most particular one does: a naive model says which."""

from hypothesis import given
from hypothesis import strategies as st

from penstock.access.quotas.entities import Entity, entity
from penstock.access.quotas.table import Allowance, QuotaTable

KEY = "producer_byte_rate"
NAMES = ("anna", "bert", "")
named = st.sampled_from([None, *NAMES])
entities = st.builds(
    lambda user, client: entity(
        [*([("user", user[0])] if user else []), *([("client-id", client[0])] if client else [])]
    ),
    st.none() | st.tuples(named),
    st.none() | st.tuples(named),
).filter(bool)


def naive(quotas: dict[Entity, float], user: str, client_id: str) -> Allowance | None:
    """By scores: a named user beats every default and every client; then the client counts, named before default."""
    best: tuple[int, Allowance] | None = None
    for whom, limit in quotas.items():
        names, asked = dict(whom), {"user": user, "client-id": client_id}
        if any(name is not None and asked[type_] != name for type_, name in names.items()):
            continue
        score = 0
        if "user" in names:
            score += 10 if names["user"] is None else 20
        if "client-id" in names:
            score += 1 if names["client-id"] is None else 2
        allowance = Allowance(limit, user if "user" in names else None, client_id if "client-id" in names else None)
        if best is None or score > best[0]:
            best = score, allowance
    return best and best[1]


@given(st.dictionaries(entities, st.floats(1, 1000)), st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_the_most_particular_quota_holds(quotas: dict[Entity, float], user: str, client_id: str) -> None:
    table = QuotaTable((whom, {KEY: limit}) for whom, limit in quotas.items())
    assert table.allowance(KEY, user, client_id) == naive(quotas, user, client_id)
    assert table.allowance("request_percentage", user, client_id) is None

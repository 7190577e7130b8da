"""What `penstock share describe` says where brokers do not tell all."""

from __future__ import annotations

import pytest

from penstock.cli.share.describe import total_lag
from penstock.cli.share.facts import ShareOffset, unknown_offsets

READ = ShareOffset("t", 0, 5, 3)
NOT_BEGUN = ShareOffset("t", 1, None, None)
LAG_NOT_TOLD = ShareOffset("t", 2, 5, None)
REFUSED = ShareOffset("t", 3, None, None, "its coordinator is loading")


@pytest.mark.parametrize(
    ("offsets", "lag"),
    [([], 0), ([READ, NOT_BEGUN], 3), ([READ, LAG_NOT_TOLD], None), ([READ, REFUSED], None)],
)
def test_a_total_is_not_known_where_a_part_is_not(offsets: list[ShareOffset], lag: int | None) -> None:
    assert total_lag(offsets) == lag


def test_what_could_not_be_read_is_named() -> None:
    assert unknown_offsets([READ, NOT_BEGUN, LAG_NOT_TOLD]) is None
    failure = unknown_offsets([READ, REFUSED])
    assert failure is not None and "t-3: its coordinator is loading" in failure.message

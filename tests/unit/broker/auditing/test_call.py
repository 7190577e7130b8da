"""What the audit log looks at before a request is decided on."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.callers import a_context
from tests.support.clocks import ManualClock

from penstock.access.authorizer import Authorizer
from penstock.broker.auditing import ROWS
from penstock.broker.auditing.call import Audited
from penstock.settings import Config
from penstock.wire.api import ApiKey
from penstock.wire.messages.elect_leaders_request import ElectLeadersRequest
from penstock.wire.messages.elect_leaders_response import ElectLeadersResponse

ON = Config.for_broker({"authorizer.class.name": "penstock"})


@pytest.mark.parametrize(("authorizer", "code", "looks"), [(Authorizer(ON), 31, 0), (Authorizer(), 0, 1)])
async def test_all_partitions_are_looked_at_only_for_who_may_elect(
    authorizer: Authorizer, code: int, looks: int
) -> None:
    looked: list[str] = []
    told: list[Any] = []

    def all_partitions() -> list[tuple[str, int]]:
        looked.append("all")
        return []

    state: Any = SimpleNamespace(all_partitions=all_partitions)
    log: Any = SimpleNamespace(require_room=lambda: None, record_folded=told.append)
    call = Audited(
        "ElectLeaders",
        ROWS[ApiKey.ELECT_LEADERS],
        lambda _request, _context: ElectLeadersResponse(error_code=code),
        log=log,
        state=state,
        authorizer=authorizer,
        clock=ManualClock(),
        timeout_s=lambda: 60,
    )
    answer = await call(ElectLeadersRequest(topic_partitions=None), a_context(version=2))
    assert (answer.error_code, len(looked)) == (code, looks)
    assert len(told) == (1 if code else 0), "a refusal is told all the same"

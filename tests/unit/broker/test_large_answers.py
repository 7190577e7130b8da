"""Long answers are put into bytes aside, and are the same bytes."""

from penstock.broker.cooperative import cooperatively
from penstock.broker.large_answers import LARGE, encoded_if_large
from penstock.wire.messages.list_groups_response import ListedGroup, ListGroupsResponse


async def test_a_long_answer_is_the_same_bytes_and_a_short_one_is_let_be() -> None:
    response = ListGroupsResponse(groups=[ListedGroup(f"g{number}", "consumer") for number in range(LARGE)])
    aside = await encoded_if_large(response, 5, size=LARGE)
    assert aside is not response and aside.encode(5) == response.encode(5)
    assert await encoded_if_large(response, 5, size=LARGE - 1) is response


async def test_turns_leave_nothing_out() -> None:
    assert [thing async for thing in cooperatively(range(120), at_once=1)] == list(range(120))

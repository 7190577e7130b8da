import asyncio

from penstock.broker.cooperative import AT_ONCE, cooperatively


async def test_others_get_their_turn_within_a_long_list() -> None:
    turns = 0

    async def someone_else() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.ensure_future(someone_else())
    assert [number async for number in cooperatively(range(10 * AT_ONCE))] == list(range(10 * AT_ONCE))
    other.cancel()
    assert turns >= 10

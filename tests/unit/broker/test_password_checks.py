"""Passwords wait for each other, and those of whoever has gone are not looked at."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from penstock.access.sasl.steps import PasswordCheck, Proved
from penstock.broker.password_checks import PasswordChecks


class SlowKeys:
    """Fits when it is told to go on."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []
        self.go_on = threading.Event()

    def fits(self, password: bytes) -> bool:
        self.seen.append(password)
        self.go_on.wait(60)
        return password != b"wrong"

    def check(self, password: bytes) -> PasswordCheck:
        keys: Any = self
        return PasswordCheck(Proved("me"), password, keys)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.001)


async def test_who_goes_leaves_the_line_and_those_behind_move_up() -> None:
    checks, keys = PasswordChecks(1), SlowKeys()
    first = asyncio.create_task(checks.fits("first", keys.check(b"right")))
    await until(lambda: keys.seen == [b"right"])
    gone = [asyncio.create_task(checks.fits(number, keys.check(b"gone"))) for number in range(100)]
    last = asyncio.create_task(checks.fits("last", keys.check(b"wrong")))
    await until(lambda: len(checks) == 101)
    for number in range(100):
        checks.leave(number)
    assert len(checks) == 1
    keys.go_on.set()
    assert (await first, await last) == (True, False)
    assert keys.seen == [b"right", b"wrong"] and all(each.cancelled() for each in gone)
    checks.close()


async def test_a_check_that_has_begun_ends_though_its_connection_is_gone() -> None:
    checks, keys = PasswordChecks(2), SlowKeys()
    begun = asyncio.create_task(checks.fits("me", keys.check(b"wrong")))
    await until(lambda: len(keys.seen) == 1)
    checks.leave("me")
    keys.go_on.set()
    assert not await begun
    checks.close()

"""Who has guessed too often: a user's name together with the address that it was tried from. Others are not harmed.
Of an IPv6 address the network counts (/64): anybody who has one address has all of those.

Failures in a row count, each within the lock-out's time of the one before. Bounds: so many names and addresses are
remembered, the one that failed longest ago is forgotten first.
"""

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address
from typing import Final, NamedTuple

TRACKED_MAX: Final = 10_000


class _Failures(NamedTuple):
    in_a_row: int
    last_ms: float


class Lockout:
    def __init__(self) -> None:
        self._failures: OrderedDict[tuple[str, str], _Failures] = OrderedDict()

    def __len__(self) -> int:
        return len(self._failures)

    def is_locked(self, user: str, host: str, *, now_ms: float, failures_max: int, lockout_ms: int) -> bool:
        """Failing while locked out does not make it longer: whoever knows the password gets in after that time."""
        failures = self._failures.get(_who(user, host))
        return failures is not None and failures.in_a_row >= failures_max and now_ms < failures.last_ms + lockout_ms

    def failed(self, user: str, host: str, *, now_ms: float, failures_max: int, lockout_ms: int) -> None:
        who = _who(user, host)
        before = self._failures.get(who, _Failures(0, now_ms))
        is_in_time = now_ms < before.last_ms + lockout_ms
        if is_in_time and before.in_a_row >= failures_max:
            return
        self._failures[who] = _Failures(before.in_a_row + 1 if is_in_time else 1, now_ms)
        self._failures.move_to_end(who)
        if len(self._failures) > TRACKED_MAX:
            self._failures.popitem(last=False)

    def succeeded(self, user: str, host: str) -> None:
        self._failures.pop(_who(user, host), None)


def _who(user: str, host: str) -> tuple[str, str]:
    if ":" not in host:
        return user, host
    try:
        address = ip_address(host)
    except ValueError:
        return user, host
    if not isinstance(address, IPv6Address) or address.ipv4_mapped is not None:
        return user, host
    return user, address.packed[:8].hex()

"""The four APIs of delegation tokens where nobody has logged in."""

from __future__ import annotations

from tests.conformance.table import situation

ANNA = {"principal_type": "User", "principal_name": "anna"}

SITUATIONS = [
    situation("CreateDelegationToken", "for oneself", {"renewers": [], "max_lifetime_ms": -1}),
    situation("CreateDelegationToken", "with a renewer", {"renewers": [ANNA], "max_lifetime_ms": 1000}),
    situation("RenewDelegationToken", "one that is none", {"hmac": b"none", "renew_period_ms": -1}),
    situation("ExpireDelegationToken", "one that is none", {"hmac": b"none", "expiry_time_period_ms": -1}),
    situation("DescribeDelegationToken", "all", {"owners": None}),
    situation("DescribeDelegationToken", "somebody's", {"owners": [ANNA]}),
    situation("DescribeDelegationToken", "nobody's", {"owners": []}),
]

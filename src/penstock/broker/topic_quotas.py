"""Which changes of topics a client may still make: its mutations a second, and the partitions of a tenant.

Newer clients are refused what is too much (THROTTLING_QUOTA_EXCEEDED) and try it again later; older ones do not know
the error: all is done, and they are held back (KIP-599).
"""

from collections.abc import Mapping

from penstock.access.quotas.client_quotas import ClientQuotas
from penstock.broker.registry import RequestContext
from penstock.broker.throttling import hold_back, in_ms
from penstock.errors import PolicyViolation, Refusal, ThrottlingQuotaExceeded


class TopicQuotas:
    """Of one request."""

    def __init__(self, quotas: ClientQuotas, context: RequestContext, *, strict_from: int) -> None:
        self._quotas = quotas
        self._context = context
        self._is_strict = context.api_version >= strict_from
        self._meter = None
        if quotas.is_on and not context.caller.is_broker:
            self._meter = quotas.share(context.principal.name, context.client_id).mutations

    def refused(self, changes: Mapping[str, int], *, grows: bool, counts: bool = True) -> dict[str, Refusal]:
        """Of these topics, with the partitions that each gains or loses, those that may not be changed now. Where they
        grow, tenants have a say, too.
        """
        refused: dict[str, Refusal] = {}
        if not self._quotas.is_on:
            return refused
        meter, tenants = self._meter, self._quotas.tenants
        left: dict[str, float] = {}
        for topic, partitions in changes.items():
            now = self._quotas.now()
            if meter is not None and self._is_strict and meter.delay_s(now) > 0:
                refused[topic] = ThrottlingQuotaExceeded()
                continue
            if grows and tenants and (tenant := tenants.of(topic)) is not None:
                room = left.get(tenant.prefix)
                room = tenants.partitions_left(tenant) if room is None else room
                left[tenant.prefix] = room if partitions > room else room - partitions
                if partitions > room:
                    free = max(room, 0)
                    refused[topic] = PolicyViolation(
                        f"tenant {tenant.prefix} may have {free:.0f} more partitions, and these are {partitions}"
                    )
                    continue
            if meter is not None and counts:
                meter.use(partitions, now)
        return refused

    def not_done(self, partitions: int) -> None:
        """Changes that came to nothing."""
        if self._meter is not None:
            self._meter.use(-partitions, self._quotas.now())

    def held_ms(self) -> int:
        """For how long its client is held back from now on."""
        meter, now = self._meter, self._quotas.now()
        seconds = 0.0 if meter is None else meter.delay_s(now)
        if meter is not None and seconds > 0:
            meter.hold(seconds, now)
            hold_back(self._context, seconds)
        return in_ms(seconds)

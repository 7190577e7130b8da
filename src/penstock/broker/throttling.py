"""Clients are held to their quotas: what a request used is counted when it is answered, and whoever had too much is
told so and not read for as long (KIP-219).

It is put around handlers while there are quotas, and taken away with the last of them: a broker without quotas has
nothing of it in the way of a request. Brokers of the cluster are never held back. What a fetch may answer, and which
mutations are refused, its handlers ask themselves.
"""

import types
from asyncio import CancelledError
from collections.abc import Callable, Coroutine, Generator
from time import perf_counter
from typing import Any, Final

from penstock.access.quotas.client_quotas import ClientQuotas, Share
from penstock.access.quotas.tenants import CountedAs
from penstock.broker.dispatch import Dispatcher
from penstock.broker.hooks import settled
from penstock.broker.peer_authentication import Caller
from penstock.broker.registry import Answer, RequestContext, Unanswerable
from penstock.replication import Promise
from penstock.settings.types import INT_MAX
from penstock.wire.api import ApiKey
from penstock.wire.fetch import put_throttle_time as put_into_fetch
from penstock.wire.produce import with_throttle_time as with_produce_throttle_time

EXEMPT: Final = frozenset({ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE})
"""Who is not known yet can have no quota."""

HandlerCall = Callable[..., Any]


class Throttling:
    def __init__(self, quotas: ClientQuotas) -> None:
        self._quotas = quotas

    def around(self, answer: Answer, call: HandlerCall) -> HandlerCall:
        if answer.key in EXEMPT:
            return call
        counts_bytes = answer.key == ApiKey.PRODUCE

        def throttled(*asked: Any) -> Any:
            context: RequestContext = asked[-1]
            if context.caller.is_broker:
                return call(*asked)
            if self._quotas.has_tenants:
                self._take_in(context.caller)
            request = _Request(self._quotas, answer, context, len(asked[0]) if counts_bytes else 0)
            began = perf_counter()
            try:
                outcome = call(*asked)
            except Exception:
                request.spent_s += perf_counter() - began
                request.settle(None)
                raise
            request.spent_s += perf_counter() - began
            return request.follow(outcome)

        return throttled

    def _take_in(self, caller: Caller) -> None:
        """Count the connection as its tenant's, at the first request of each login: who has too many is cut off."""
        tenants, counted, subject = self._quotas.tenants, caller.tenant, caller.subject
        if counted is not None and counted.subject is subject and counted.version == tenants.version:
            return
        tenant = tenants.of(subject.principal.name)
        if counted is not None and counted.tenant is not tenant:
            counted.leave()
        if tenant is not None and caller not in tenant.connections and not tenant.take_in(caller):
            caller.tenant = None
            raise Unanswerable(f"tenant {tenant.prefix} has all the connections that it may have")
        caller.tenant = CountedAs(caller, subject, tenant, tenants.version)


def throttle(dispatcher: Dispatcher, quotas: ClientQuotas) -> None:
    """Whenever there are quotas, and as long as there are."""
    throttling = Throttling(quotas)

    def switched() -> None:
        dispatcher.wrap(throttling.around if quotas.is_on else None)

    quotas.when_switched = switched
    switched()


class _Request:
    """What one request uses, until it is answered."""

    __slots__ = ("_answer", "_context", "_quotas", "_share", "_size", "spent_s")

    def __init__(self, quotas: ClientQuotas, answer: Answer, context: RequestContext, size: int) -> None:
        self._quotas = quotas
        self._answer = answer
        self._context = context
        self._share: Share = quotas.share(context.principal.name, context.client_id)
        self._size = size
        self.spent_s = 0.0

    def follow(self, outcome: Any) -> Any:
        if isinstance(outcome, Coroutine):
            return self._run(outcome)
        if isinstance(outcome, Promise):
            # Before the connection's own callback, which sends what is changed here.
            outcome.add_done_callback(lambda done: self.settle(settled(done)))
        else:
            self.settle(outcome)
        return outcome

    async def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        try:
            outcome = await timed(work, self)
        except (Exception, CancelledError):
            self.settle(None)
            raise
        return self.follow(outcome)

    def settle(self, outcome: Any) -> None:
        """Count it, say in the answer for how long its client is held back, and do so."""
        seconds = self._quotas.took(self._share, self.spent_s)
        if self._size:
            seconds = max(seconds, self._quotas.produced(self._share, self._size))
        hold_back(self._context, seconds)
        throttle_ms = in_ms(seconds)
        if throttle_ms:
            _put(self._answer.key, self._context.api_version, outcome, throttle_ms)


def in_ms(seconds: float) -> int:
    return min(round(seconds * 1000), INT_MAX)


def hold_back(context: RequestContext, seconds: float) -> None:
    """Its connection is not read for so long. It may be closed by now."""
    line = context.caller.line
    if seconds > 0 and line is not None:
        line.mute(in_ms(seconds) / 1000)


def _put(key: ApiKey, version: int, outcome: Any, throttle_ms: int) -> None:
    if isinstance(outcome, list):
        if key in (ApiKey.FETCH, ApiKey.SHARE_FETCH):  # both begin with it
            put_into_fetch(outcome[0], throttle_ms)
        elif key == ApiKey.PRODUCE:
            outcome[:] = [with_produce_throttle_time(outcome[0], version, throttle_ms)]
    elif hasattr(outcome, "throttle_time_ms"):
        outcome.throttle_time_ms = max(outcome.throttle_time_ms, throttle_ms)


@types.coroutine
def timed(work: Coroutine[Any, Any, Any], request: _Request) -> Generator[Any, Any, Any]:
    """The coroutine's own time on the loop, without that in which it waits."""
    resume: Callable[[Any], Any] = work.send
    value: Any = None
    while True:
        began = perf_counter()
        try:
            waits_for = resume(value)
        except StopIteration as done:
            return done.value
        finally:
            request.spent_s += perf_counter() - began
        try:
            value = yield waits_for
            resume = work.send
        except BaseException as error:
            value, resume = error, work.throw

"""What runs before and after a handler, whichever API it answers: may they ask this, how much, and who did what.

In one place for decoded and raw handlers. Which hooks concern an API is asked once, when its route is made; a route
without hooks calls its handler directly, so an empty list costs a request nothing.
"""

from asyncio import CancelledError
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import structlog

from penstock.broker.registry import Answer, RequestContext
from penstock.replication import Promise

_GONE = memoryview(b"")
_log = structlog.get_logger(__name__)


class Hook:
    """One concern. What it does not override it leaves alone. It must not wait."""

    def concerns(self, answer: Answer) -> bool:
        """Whether it has to do with this API at all: what the handler `requires` and `audits` tells."""
        raise NotImplementedError

    def before(self, answer: Answer, context: RequestContext, request: Any) -> None:
        """`request` is decoded, or the bytes of its body where the handler reads these itself. A Refusal raised here is
        answered as one of the handler's own, or ends the connection where the response has no place for it.
        """

    def after(self, answer: Answer, context: RequestContext, request: Any, outcome: Any) -> None:
        """`outcome` is the response before it is encoded (it may be given a throttle time), the chunks of a raw
        handler, or the exception that the handler or an earlier hook raised. A raw `request` that was answered later is
        empty: its buffer has another request by then.
        """


def around(hooks: Sequence[Hook], answer: Answer, call: Callable[..., Any]) -> Callable[..., Any]:
    """The handler's `call` with those hooks around it that concern it."""
    concerned = tuple(hook for hook in hooks if hook.concerns(answer))
    if not concerned:
        return call

    def hooked(*asked: Any) -> Any:
        context: RequestContext = asked[-1]
        request = asked[0][asked[1] :] if answer.is_raw else asked[0]
        try:
            for hook in concerned:
                hook.before(answer, context, request)
            outcome = call(*asked)
        except (Exception, CancelledError) as error:
            _after(concerned, answer, context, request, error)
            raise
        kept = _GONE if answer.is_raw else request
        if isinstance(outcome, Coroutine):
            return _run(outcome, concerned, answer, context, kept)
        if isinstance(outcome, Promise) and not outcome.done():
            # Before the connection's own callback, which encodes what the hooks may still change.
            outcome.add_done_callback(lambda done: _after(concerned, answer, context, kept, settled(done)))
            return outcome
        is_settled = isinstance(outcome, Promise)
        _after(concerned, answer, context, request, settled(outcome) if is_settled else outcome)
        return outcome

    return hooked


async def _run(
    work: Coroutine[Any, Any, Any], hooks: Sequence[Hook], answer: Answer, context: RequestContext, request: Any
) -> Any:
    try:
        outcome = await work
    except (Exception, CancelledError) as error:
        _after(hooks, answer, context, request, error)
        raise
    if isinstance(outcome, Promise):  # the ordered part of a raw handler, with the rest to come
        outcome.add_done_callback(lambda done: _after(hooks, answer, context, request, settled(done)))
    else:
        _after(hooks, answer, context, request, outcome)
    return outcome


def settled(done: Promise[Any]) -> Any:
    """What a promise came to: its value, or the exception."""
    if done.cancelled():
        return CancelledError()
    return done.exception() or done.result()


def _after(hooks: Sequence[Hook], answer: Answer, context: RequestContext, request: Any, outcome: Any) -> None:
    """What a hook fails at is said, and keeps neither the other hooks nor the answer."""
    for hook in hooks:
        try:
            hook.after(answer, context, request, outcome)
        except Exception as error:
            _log.error("hook failed", hook=type(hook).__name__, api=answer.key.name, exc_info=error)

"""What is made of an answer that may be there already, or comes later."""

from collections.abc import Callable
from typing import Any, TypeVar

from penstock.errors import Refusal
from penstock.replication import Promise

T = TypeVar("T")


def then(first: Promise[Any], go_on: Callable[[Any], T]) -> Promise[T | Refusal]:
    """A promise of what `go_on` makes of the first one's value, be that a Refusal; raised Refusals are values too."""
    second: Promise[T | Refusal] = Promise()

    def settle(done: Promise[Any]) -> None:
        if second.done():
            return
        if done.cancelled():
            second.cancel()
            return
        try:
            second.set_result(go_on(done.result()))
        except Refusal as refusal:
            second.set_result(refusal)
        except Exception as error:
            second.set_exception(error)

    first.add_done_callback(settle)
    return second

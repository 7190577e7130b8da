"""An event loop whose time is virtual and whose processes can be killed or stopped like real ones.

Ordinary asyncio code runs on it unchanged: tasks, futures, timeouts. Nothing waits: when no callback is ready the clock
jumps to the next timer. Every callback runs in a context, and a context may have an owner, the simulated process; tasks
pass theirs on to whatever they start. A killed process's callbacks are never called, which is what kill -9 does: no
handler, no `finally`. A stopped one's are held, in order, until it goes on, as SIGSTOP does. When the story is over
`close` ends every task that is left, those of the killed among them: nothing of one world is left to the next.

Leans on one name that asyncio keeps for those who write loops, `_set_running_loop`.
"""

import asyncio
import contextvars
import heapq
import sys
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from penstock.errors import Fatal, Refusal
from penstock.metastore import MetastoreError

_T = TypeVar("_T")

EXPECTED = (MetastoreError, Refusal, Fatal, TimeoutError, OSError)
"""What may make a task end in a world in which things fail; anything else is a bug."""

CANCELLED_AT_MOST = 20
"""More often than any task here waits once more after it was told to end."""


class Owner:
    """A simulated process, as far as the loop cares."""

    def __init__(self) -> None:
        self.is_dead = False
        self.is_paused = False
        self.held: list[Handle] = []


OWNER: contextvars.ContextVar[Owner | None] = contextvars.ContextVar("owner", default=None)
WORLD = contextvars.Context()
"""The context of what belongs to no process: the network, the store, clients, faults."""


class Handle:
    __slots__ = ("args", "at", "callback", "context", "is_cancelled", "owner")

    def __init__(self, at: float, callback: Callable[..., Any], args: tuple[Any, ...], context: Any) -> None:
        self.at = at
        self.callback = callback
        self.args = args
        self.context = context if context is not None else contextvars.copy_context()
        self.owner: Owner | None = self.context.get(OWNER)
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True
        self.callback, self.args = _nothing, ()

    def cancelled(self) -> bool:
        return self.is_cancelled

    def when(self) -> float:
        return self.at


class SimulatedLoop:
    def __init__(self) -> None:
        self._itself: Any = self
        """asyncio asks for an AbstractEventLoop; this has what tasks and futures use of one."""
        self._now_s = 1_000.0
        self._ready: deque[Handle] = deque()
        self._later: list[tuple[float, int, Handle]] = []
        self._sequence = 0
        self._tasks: dict[asyncio.Task[Any], None] = {}
        """In the order of their beginnings."""
        self._never: list[Handle] = []
        """Callbacks of the killed."""
        self._paused: dict[Owner, None] = {}
        self.is_over = False
        self.steps = 0
        self.thread_delay_s: Callable[[], float] = lambda: 0.0
        """How long it takes a thread to begin, and what it has done to be known."""
        self.connect: Callable[[Callable[[], Any], str, int], Coroutine[Any, Any, Any]]
        self.failure: BaseException | None = None
        """What stops the run: an invariant that does not hold, or a task that nobody expected to fail."""

    # What asyncio asks of a loop ----------------------------------------------------------------------------------

    def time(self) -> float:
        return self._now_s

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def call_soon(self, callback: Callable[..., Any], *args: Any, context: Any = None) -> Any:
        handle = Handle(self._now_s, callback, args, context)
        self._ready.append(handle)
        return handle

    def call_later(self, delay: float, callback: Callable[..., Any], *args: Any, context: Any = None) -> Any:
        return self.call_at(self._now_s + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any, context: Any = None) -> Any:
        handle = Handle(when, callback, args, context)
        self._sequence += 1
        heapq.heappush(self._later, (when, self._sequence, handle))
        return handle

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.Future(loop=self._itself)

    def create_task(self, coro: Any, *, name: Any = None, context: Any = None) -> "asyncio.Task[Any]":
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=self._itself, name=name, context=context)
        self._tasks[task] = None
        task.add_done_callback(self._noted)
        return task

    async def create_connection(self, make: Callable[[], Any], host: str, port: int) -> Any:
        return await self.connect(make, host, port)

    def run_in_executor(self, _executor: Any, work: Callable[..., _T], *args: Any) -> "asyncio.Future[_T]":
        """A thread's work is done whole, a moment later, and told of another moment later: others come in between."""
        done: asyncio.Future[_T] = self.create_future()
        self.call_later(self.thread_delay_s(), self._work, done, work, args)
        return done

    def _work(self, done: "asyncio.Future[Any]", work: Callable[..., Any], args: tuple[Any, ...]) -> None:
        try:
            told, what = done.set_result, work(*args)
        except Exception as error:
            told, what = done.set_exception, error
        except BaseException as error:
            self.fail(error)
            return
        self.call_later(self.thread_delay_s(), _tell, done, told, what)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Told by the garbage collector, whenever it likes: `_noted` has seen it before."""

    def _noted(self, task: "asyncio.Task[Any]") -> None:
        """A process's task ended; what nobody could expect ends the run, whoever catches it."""
        self._tasks.pop(task, None)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, EXPECTED):
            self.fail(error)

    # What a simulation asks ---------------------------------------------------------------------------------------

    def spawn(self, work: Coroutine[Any, Any, _T]) -> "asyncio.Task[_T]":
        """A task of nobody's: one that fails ends the run."""
        task: asyncio.Task[_T] = asyncio.Task(work, loop=self._itself, context=WORLD.copy())
        self._tasks[task] = None
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.fail(error)

    def fail(self, error: BaseException) -> None:
        """The first failure is the one that counts; what comes of it, and of the end, does not."""
        if self.failure is None and not self.is_over:
            self.failure = error

    def run(self, *, until_s: float, is_enough: Callable[[], bool] | None = None) -> None:
        """Until that time, or `is_enough`, which is asked from time to time."""
        with self._running():
            self._run(until_s, is_enough)
        if self.failure is not None:
            raise self.failure

    @contextmanager
    def _running(self) -> Iterator[None]:
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=_nothing, finalizer=_nothing)
        asyncio._set_running_loop(self._itself)
        try:
            yield
        finally:
            asyncio._set_running_loop(None)
            sys.set_asyncgen_hooks(*hooks)

    def _run(self, until_s: float, is_enough: Callable[[], bool] | None) -> None:
        ready, later = self._ready, self._later
        while self.failure is None:
            if ready:
                handle = ready.popleft()
            elif later and later[0][0] <= until_s:
                when, _, handle = heapq.heappop(later)
                if handle.is_cancelled:
                    continue
                self._now_s = max(self._now_s, when)
            else:
                self._now_s = until_s
                return
            owner = handle.owner
            if owner is not None and (owner.is_dead or owner.is_paused):
                self._hold(handle, owner)
                continue
            self.steps += 1
            handle.context.run(handle.callback, *handle.args)
            if is_enough is not None and not self.steps & 63 and is_enough():
                return

    def _hold(self, handle: Handle, owner: Owner) -> None:
        if owner.is_dead:
            self._never.append(handle)
        else:
            owner.held.append(handle)
            self._paused[owner] = None

    def resume(self, owner: Owner) -> None:
        owner.is_paused = False
        self._paused.pop(owner, None)
        held, owner.held = owner.held, []
        self._ready.extend(held)

    def close(self) -> None:
        """End every task, in the order of their beginnings, as asyncio does when a program ends: each is cancelled
        until it is done. What is due happens, also to the killed and the stopped, for tasks may wait for it; no time
        passes.

        Coroutines are not just let go: those that wait within an asynchronous generator cannot be closed where they
        are, and the collector would say so whenever it came by.
        """
        self.is_over = True
        due = [*self._never, *(handle for owner in self._paused for handle in owner.held), *self._ready]
        self._later.clear()
        self._ready = deque(due)
        with self._running():
            for _ in range(CANCELLED_AT_MOST):
                left = [task for task in self._tasks if not task.done()]
                if not left:
                    return
                for task in left:
                    task.cancel()
                self._step_through()
        raise AssertionError(f"these do not end, however often they are cancelled: {left}")

    def reopen(self) -> None:
        """For what begins when all of what was before has ended."""
        self._ready, self._never, self._paused = deque(), [], {}
        self._later, self.is_over, self.failure = [], False, None

    def _step_through(self) -> None:
        while self._ready:
            handle = self._ready.popleft()
            try:
                handle.context.run(handle.callback, *handle.args)
            except Exception:
                pass  # nobody is there any more to whom it could matter


def _tell(done: "asyncio.Future[Any]", told: Callable[[Any], None], what: Any) -> None:
    if not done.done():
        told(what)


def _nothing(*_: Any) -> None:
    pass

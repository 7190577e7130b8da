"""A handler's call with its traces in the audit log: what was there before, what came of it, what is there now.

The answer waits until the event is on disk. Where the log takes nothing the request is refused before anything is done.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from penstock.access.audit import Asker, AuditLog, Changed, Event, Resource, Status, api_activity, in_events, shortened
from penstock.access.audit import shortened_value as shown
from penstock.access.authorizer import Authorizer
from penstock.broker.auditing.row import Outcome, Row, State, Subject
from penstock.broker.large_answers import as_said
from penstock.broker.registry import RequestContext
from penstock.errors import KafkaStorageError, Refusal, RequestTimedOut, UnknownServerError
from penstock.model import Clock
from penstock.replication import Promise

Call = Callable[[Any, RequestContext], Any]


class Audited:
    """One API's call, for an audit log that is kept."""

    def __init__(
        self,
        operation: str,
        row: Row,
        call: Call,
        *,
        log: AuditLog,
        state: State,
        authorizer: Authorizer,
        clock: Clock,
        timeout_s: Callable[[], float],
    ) -> None:
        self._operation = operation
        self._row = row
        self._call = call
        self._log = log
        self._state = state
        self._authorizer = authorizer
        self._clock = clock
        self._timeout_s = timeout_s

    async def __call__(self, request: Any, context: RequestContext) -> Any:
        row = self._row
        if row.is_brokers_own and context.caller.is_broker:
            return await _answer_of(self._call(request, context))
        takes = None if row.takes is None else row.takes(request)
        may_look = takes is None or self._authorizer.shows(context.caller.subject, takes)
        subjects = row.subjects(request, self._state) if may_look else ()
        before = _looked_at(subjects)
        try:
            self._log.require_room()
            response = await _answer_of(self._call(request, context))
            if getattr(request, "validate_only", False):
                return response
            said = as_said(response)
            resources = self._resources(request, said, subjects, before)
        except Refusal as refusal:
            self._log_refused(refusal, subjects, context)
            if isinstance(refusal, KafkaStorageError) and row.refused is not None:
                return row.refused(request, refusal)
            raise
        except Exception:
            # What is there now tells how far it came.
            resources = [_resource(subject, old, None, {}) for subject, old in zip(subjects, before, strict=True)]
            for event in self._events(UnknownServerError.code, resources, context):
                self._log.record(event)
            raise
        try:
            await self._written(self._events(getattr(said, "error_code", 0), resources, context))
        except Refusal as refusal:
            if row.refused is None:
                raise
            return row.refused(request, refusal)
        return response

    def _resources(
        self, request: Any, response: Any, subjects: Sequence[Subject], before: Sequence[Any]
    ) -> list[Resource]:
        row = self._row
        outcomes = row.outcomes(request, response, subjects)
        values = {} if row.values is None else row.values(request, response, subjects)
        if row.only_answered:
            pairs = [(subject, old) for subject, old in zip(subjects, before, strict=True) if subject.key in outcomes]
        else:
            pairs = list(zip(subjects, before, strict=True))
        return [_resource(subject, old, outcomes.get(subject.key), values) for subject, old in pairs]

    def _events(self, error_code: int, resources: Sequence[Resource], context: RequestContext) -> list[Event]:
        if not resources and not error_code:
            return []
        return [
            api_activity(
                _asker(context),
                operation=self._operation,
                version=context.api_version,
                activity=self._row.activity,
                resources=some,
                time_ms=self._clock.now(),
                error_code=error_code,
            )
            for some in in_events(resources)
        ]

    def _log_refused(self, refusal: Refusal, subjects: Sequence[Subject], context: RequestContext) -> None:
        resources = [Resource(subject.type, shortened(subject.name)) for subject in subjects]
        for event in self._events(refusal.code, resources, context):
            self._log.record_folded(event)

    async def _written(self, events: Sequence[Event]) -> None:
        """Return when what was changed is on disk. What was refused altogether may come in masses: it is folded, and
        nobody waits for it.
        """
        waiting: list[Promise[None]] = []
        for event in events:
            if event.status_id == Status.FAILURE:
                self._log.record_folded(event)
            else:
                waiting.append(self._log.record(event))
        try:
            async with asyncio.timeout(self._timeout_s()):
                for written in waiting:
                    await written
        except TimeoutError:
            raise RequestTimedOut("done, but not in the audit log yet, which cannot be written to") from None


async def _answer_of(outcome: Any) -> Any:
    """What a handler of any kind comes to."""
    return await outcome if isinstance(outcome, Coroutine | Promise) else outcome


def _looked_at(subjects: Sequence[Subject]) -> list[Any]:
    return [None if subject.look is None else subject.look() for subject in subjects]


def _resource(
    subject: Subject, before: Any, outcome: Outcome | None, values: Mapping[tuple[str, str], tuple[Any, Any]]
) -> Resource:
    code, message = outcome or (0, None)
    if subject.key in values:
        before, after = values[subject.key]
    elif subject.look is not None:
        after = subject.look()
    else:
        after = subject.asked
    return Resource(
        subject.type,
        shortened(subject.name),
        Changed(str(code) if code else "", shortened(message or ""), shown(before), shown(after)),
    )


def _asker(context: RequestContext) -> Asker:
    host, _, port = context.peer.rpartition(":")
    number = int(port) if port.isdigit() else 0
    return Asker(str(context.principal), host.strip("[]"), number, context.client_id or "")

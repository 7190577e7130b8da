"""Confluent's API: which request reads what, and which one changes what. Pure: a plan is carried out by the store."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from penstock.registry import decisions, records, refusals, schemas
from penstock.registry.compatibility import of_version
from penstock.registry.decisions import Decision, Given
from penstock.registry.records import SchemaValue, described
from penstock.registry.refusals import RegistryRefusal, schema_not_found, version_not_found
from penstock.registry.state import DEFAULT_LEVEL, DEFAULT_MODE, LEVEL, State
from penstock.registry.subjects import (
    ANY_CONTEXT,
    DEFAULT_CONTEXT,
    context_of,
    joined,
    split,
    whole_context,
    within,
)


class Raw(NamedTuple):
    """An answer that is a schema's own text."""

    text: str


class Reads(NamedTuple):
    answer: Callable[[State], Any]


class Writes(NamedTuple):
    decide: Callable[[State], Decision]


Plan = Reads | Writes
LISTED_MAX: Final = 10_000
"""Of a list, unless a request names its `limit`."""


class Asked:
    """One request: its path taken apart and decoded, and what it brings along."""

    def __init__(self, method: str, path: Sequence[str], query: Mapping[str, str], body: bytes) -> None:
        self.context = DEFAULT_CONTEXT
        path = [each for each in path if each]
        if path[:1] == ["contexts"] and len(path) > 2:
            self.context = path[1].strip(":") or DEFAULT_CONTEXT
            if not self.context.startswith("."):
                self.context = f".{self.context}"
            path = path[2:]
        self.method = method
        self.path = path
        self._query = query
        self._body = body

    def flag(self, name: str) -> bool:
        return self._query.get(name, "").lower() == "true"

    def text(self, name: str, default: str = "") -> str:
        return self._query.get(name, default)

    def number(self, name: str, default: int) -> int:
        text = self._query.get(name, "")
        return int(text) if text.isdecimal() and len(text) < 12 else default

    def subject(self, name: str) -> str:
        return within(self.context, name)

    def scope(self, name: str | None) -> str:
        """Of a config or a mode: the registry's, a whole context's, or a subject's."""
        if name is None:
            return whole_context(self.context)
        context, rest = split(name)
        return whole_context(context) if not rest else self.subject(name)

    def json(self, kind: type[Any]) -> Any:
        try:
            return msgspec.json.decode(self._body, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RegistryRefusal(422, f"The body cannot be read: {error}") from None

    def given(self) -> Given:
        given: Given = self.json(Given)
        return given

    def prefix(self) -> str:
        """Of subjects that are listed: those of all contexts, or of the one in the path."""
        given = self.text("subjectPrefix", ANY_CONTEXT if self.context == DEFAULT_CONTEXT else "")
        return "" if given == ANY_CONTEXT else joined(self.context, given) if split(given)[0] == "." else given

    def page(self, found: list[Any]) -> list[Any]:
        offset, limit = self.number("offset", 0), self.number("limit", LISTED_MAX) or LISTED_MAX
        return found[offset : offset + limit]


def plan(asked: Asked) -> Plan:
    """RegistryRefusal 404 where there is nothing of that name; 422 for what is no version, or no JSON."""
    found = _PLANS.get(asked.path[0] if asked.path else "", _nothing)(asked, asked.method, asked.path[1:])
    if found is None:
        raise RegistryRefusal(404, f"HTTP 404 Not Found: {asked.method} /{'/'.join(asked.path)}")
    return found


def _nothing(asked: Asked, method: str, _: list[str]) -> Plan | None:
    return Reads(lambda _: {}) if method == "GET" and not asked.path else None


# Schemas by id ------------------------------------------------------------------------------------------------------


def _schemas(asked: Asked, method: str, path: list[str]) -> Plan | None:
    match method, path:
        case "GET", []:
            return Reads(lambda state: _listed_schemas(state, asked))
        case "GET", ["types"]:
            return Reads(lambda _: list(schemas.TYPES))
        case "GET", ["ids", number]:
            return Reads(lambda state: _of_id(state, asked, number))
        case "GET", ["ids", number, "schema"]:
            return Reads(lambda state: Raw(_text(state, asked, _users(state, asked, number)[0])))
        case "GET", ["ids", number, "subjects"]:
            return Reads(lambda state: [each.subject for each in _users(state, asked, number, listed=True)])
        case "GET", ["ids", number, "versions"]:
            return Reads(lambda state: [
                {"subject": each.subject, "version": each.version}
                for each in _users(state, asked, number, listed=True)
            ])  # fmt: skip
    return None


def _listed_schemas(state: State, asked: Asked) -> list[dict[str, Any]]:
    found: list[SchemaValue] = []
    for subject in state.subjects(prefix=asked.prefix(), deleted=asked.flag("deleted")):
        versions = state.versions(subject, deleted=asked.flag("deleted"))
        found += versions[-1:] if asked.flag("latestOnly") else versions
    return [_version(state, asked, each) for each in asked.page(found)]


def _users(state: State, asked: Asked, number: str, *, listed: bool = False) -> list[SchemaValue]:
    """Those that have the id. For a list: without those deleted softly, unless they are asked for."""
    schema_id = int(number) if number.isdecimal() and len(number) < 12 else 0
    subject = asked.text("subject")
    context = asked.context if not subject else context_of(asked.subject(subject))
    every = state.users_of(context, schema_id)
    if not every:
        raise schema_not_found(schema_id)
    if listed:
        every = [each for each in every if not each.deleted or asked.flag("deleted")]
        if subject and split(asked.subject(subject))[1]:
            every = [each for each in every if each.subject == asked.subject(subject)]
        return list(asked.page(every))
    return every


def _of_id(state: State, asked: Asked, number: str) -> dict[str, Any]:
    value = _users(state, asked, number)[0]
    answer = described(value) | {"schema": _text(state, asked, value)}
    if asked.flag("fetchMaxId"):
        answer["maxId"] = state.ids_given[context_of(value.subject)]
    return answer


def _text(state: State, asked: Asked, value: SchemaValue) -> str:
    """`format=resolved`: with its references written out. Formats of other kinds of schemas are passed over."""
    return of_version(state, value).whole() if asked.text("format") == "resolved" else value.schema


# Subjects and versions ----------------------------------------------------------------------------------------------


def _subjects(asked: Asked, method: str, path: list[str]) -> Plan | None:
    shown = {"deleted": asked.flag("deleted"), "deleted_only": asked.flag("deletedOnly")}
    normalize, permanent = asked.flag("normalize"), asked.flag("permanent")
    subject = asked.subject(path[0]) if path else ""
    match method, path:
        case "GET", []:
            return Reads(lambda state: asked.page(state.subjects(prefix=asked.prefix(), **shown)))
        case "POST", [_]:
            given = asked.given()
            return Reads(lambda state: _version(state, asked, decisions.look_up(
                state, subject, given, normalize=normalize, deleted=asked.flag("deleted")
            )))  # fmt: skip
        case "DELETE", [_]:
            return Writes(lambda state: decisions.delete_subject(state, subject, permanent=permanent))
        case "GET", [_, "versions"]:
            return Reads(lambda state: asked.page([each.version for each in state.versions(subject, **shown)]))
        case "POST", [_, "versions"]:
            given = asked.given()
            return Writes(lambda state: decisions.register(state, subject, given, normalize=normalize))
    match method, path:
        case "GET", [_, "versions", number]:
            version = _number(number)
            return Reads(lambda state: _version(state, asked, _found(state, asked, subject, version)))
        case "GET", [_, "versions", number, "schema"]:
            version = _number(number)
            return Reads(lambda state: Raw(_text(state, asked, _found(state, asked, subject, version))))
        case "GET", [_, "versions", number, "referencedby"]:
            version = _number(number)
            return Reads(lambda state: _referring(state, _found(state, asked, subject, version)))
        case "DELETE", [_, "versions", number]:
            version = _number(number)
            return Writes(lambda state: decisions.delete_version(state, subject, version, permanent=permanent))
    return None


def _number(text: str) -> int | None:
    """Of a version; None for the latest."""
    if text in {"latest", "-1"}:
        return None
    if text.isdecimal() and len(text) < 12 and 0 < int(text) <= decisions.VERSION_MAX:
        return int(text)
    words = f"The specified version '{text}' is not a valid version id. Allowed values are between [1, 2^31-1] and the "
    raise RegistryRefusal(refusals.INVALID_VERSION, words + 'string "latest"')


def _found(state: State, asked: Asked, subject: str, version: int | None) -> SchemaValue:
    return state.version(subject, version, deleted=asked.flag("deleted"))


def _version(state: State, asked: Asked, value: SchemaValue) -> dict[str, Any]:
    answer = {"subject": value.subject, "version": value.version, "id": value.id} | described(value)
    return answer | {"schema": _text(state, asked, value)}


def _referring(state: State, value: SchemaValue) -> list[int]:
    return sorted({each.id for each in state.referring_to(value.subject, value.version)})


def _compatibility(asked: Asked, method: str, path: list[str]) -> Plan | None:
    if method != "POST" or path[:1] != ["subjects"] or len(path) not in {3, 4} or path[2] != "versions":
        return None
    subject, given = asked.subject(path[1]), asked.given()
    every = len(path) == 3
    version = None if every else _number(path[3])

    def answer(state: State) -> dict[str, Any]:
        against = None
        if not every and (version is not None or state.has(subject)):
            if not state.has(subject):
                raise version_not_found(version)
            against = state.version(subject, version)
        found = decisions.compared(
            state, subject, given, against=against, every=every, normalize=asked.flag("normalize")
        )
        return {"is_compatible": not found} | ({"messages": found} if asked.flag("verbose") else {})

    return Reads(answer)


# Config, mode, contexts ---------------------------------------------------------------------------------------------


def _config(asked: Asked, method: str, path: list[str]) -> Plan | None:
    return _setting(asked, method, path, records.CONFIG, {LEVEL: DEFAULT_LEVEL})


def _mode(asked: Asked, method: str, path: list[str]) -> Plan | None:
    return _setting(asked, method, path, records.MODE, {"mode": DEFAULT_MODE})


def _setting(asked: Asked, method: str, path: list[str], kind: str, usual: dict[str, Any]) -> Plan | None:
    if len(path) > 1:
        return None
    scope = asked.scope(path[0] if path else None)
    if method == "GET":

        def answer(state: State) -> dict[str, Any]:
            own = state.setting(kind, scope)
            if asked.flag("defaultToGlobal") or not scope:
                return usual | state.settings_for(kind, scope)
            if own is None:
                raise decisions.none_of_its_own(kind, scope)
            return own

        return Reads(answer)
    if method == "DELETE":
        return Writes(lambda state: _cleared(state, kind, scope, usual))
    if method == "PUT":
        given = asked.json(dict[str, Any])
        if kind == records.CONFIG:
            return Writes(lambda state: decisions.set_config(state, scope, given))
        return Writes(lambda state: decisions.set_mode(state, scope, given.get("mode"), force=asked.flag("force")))
    return None


def _cleared(state: State, kind: str, scope: str, usual: dict[str, Any]) -> Decision:
    decision = decisions.clear(state, kind, scope)
    return Decision(decision.records, usual | decision.answer)


def _contexts(_: Asked, method: str, path: list[str]) -> Plan | None:
    return Reads(lambda state: state.contexts()) if method == "GET" and not path else None


_PLANS: Final[dict[str, Callable[[Asked, str, list[str]], Plan | None]]] = {
    "schemas": _schemas,
    "subjects": _subjects,
    "compatibility": _compatibility,
    "config": _config,
    "mode": _mode,
    "contexts": _contexts,
}

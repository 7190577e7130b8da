"""All that the registry knows, as the records of its topic say it. Changed by `apply` and by nothing else. Pure."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from penstock.registry import records
from penstock.registry.records import SchemaValue
from penstock.registry.refusals import subject_not_found, version_not_found
from penstock.registry.subjects import context_of, whole_context

NORMALIZE: Final = "normalize"
LEVEL: Final = "compatibilityLevel"
DEFAULT_LEVEL: Final = "BACKWARD"
DEFAULT_MODE: Final = "READWRITE"


class State:
    def __init__(self) -> None:
        self._versions: dict[str, dict[int, SchemaValue]] = {}
        self._by_id: dict[tuple[str, int], dict[tuple[str, int], SchemaValue]] = {}
        self._ids: dict[tuple[str, bytes], int] = {}
        """By what a schema says, in each context."""
        self._settings: dict[str, dict[str, dict[str, Any]]] = {records.CONFIG: {}, records.MODE: {}}
        self.ids_given: dict[str, int] = {}
        """The highest, by context: ids of schemas that are gone are not given again."""

    # Records --------------------------------------------------------------------------------------------------------

    def apply(self, key: bytes, value: bytes | None) -> None:
        """What cannot be read is passed over, as are kinds of records that others may write."""
        try:
            which = records.read_key(key)
            match which.keytype:
                case records.SCHEMA if value is None:
                    self._forget(which.subject or "", which.version)
                case records.SCHEMA if value is not None:
                    self._learn(records.read_schema(value))
                case records.DELETE_SUBJECT if value is not None:
                    self._delete_subject(which.subject or "", int(records.read_fields(value)["version"]))
                case records.CONFIG | records.MODE:
                    self._set(which.keytype, which.subject or "", value)
                case records.NOOP if value is not None:
                    for context, highest in dict(records.read_fields(value).get("ids", {})).items():
                        self._given(context, int(highest))
        except (msgspec.DecodeError, RecursionError, KeyError, TypeError, ValueError):
            return

    def _learn(self, value: SchemaValue) -> None:
        self._forget(value.subject, value.version)
        context = context_of(value.subject)
        self._versions.setdefault(value.subject, {})[value.version] = value
        self._by_id.setdefault((context, value.id), {})[value.subject, value.version] = value
        self._ids[context, content_of(value)] = value.id
        self._given(context, value.id)

    def _forget(self, subject: str, version: int) -> None:
        versions = self._versions.get(subject, {})
        value = versions.pop(version, None)
        if value is None:
            return
        if not versions:
            del self._versions[subject]
        context = context_of(subject)
        users = self._by_id[context, value.id]
        del users[subject, version]
        if not users:
            del self._by_id[context, value.id]
            if self.id_of(context, value) == value.id:
                del self._ids[context, content_of(value)]

    def _delete_subject(self, subject: str, up_to: int) -> None:
        for version, value in list(self._versions.get(subject, {}).items()):
            if version <= up_to and not value.deleted:
                self._learn(msgspec.structs.replace(value, deleted=True))

    def _set(self, kind: str, subject: str, value: bytes | None) -> None:
        if value is None:
            self._settings[kind].pop(subject, None)
        else:
            fields = records.read_fields(value)
            fields.pop("subject", None)
            self._settings[kind][subject] = fields

    def _given(self, context: str, schema_id: int) -> None:
        self.ids_given[context] = max(self.ids_given.get(context, 0), schema_id)

    # Questions ------------------------------------------------------------------------------------------------------

    def subjects(self, *, prefix: str = "", deleted: bool = False, deleted_only: bool = False) -> list[str]:
        return [
            subject
            for subject in sorted(self._versions)
            if subject.startswith(prefix) and self._shown(subject, deleted=deleted, deleted_only=deleted_only)
        ]

    def versions(self, subject: str, *, deleted: bool = False, deleted_only: bool = False) -> list[SchemaValue]:
        """In order. SUBJECT_NOT_FOUND where there is none."""
        found = self._shown(subject, deleted=deleted, deleted_only=deleted_only)
        if not found:
            raise subject_not_found(subject)
        return found

    def has(self, subject: str, *, deleted: bool = False) -> bool:
        return bool(self._shown(subject, deleted=deleted))

    def _shown(self, subject: str, *, deleted: bool = False, deleted_only: bool = False) -> list[SchemaValue]:
        every = sorted(self._versions.get(subject, {}).items())
        return [value for _, value in every if (value.deleted if deleted_only else deleted or not value.deleted)]

    def version(self, subject: str, version: int | None, *, deleted: bool = False) -> SchemaValue:
        """None: the latest."""
        found = self.versions(subject, deleted=deleted)
        if version is None:
            return found[-1]
        for value in found:
            if value.version == version:
                return value
        raise version_not_found(version)

    def last_version(self, subject: str) -> int:
        """Those that are deleted softly count: their numbers are taken."""
        return max(self._versions.get(subject, {}), default=0)

    def users_of(self, context: str, schema_id: int, *, deleted: bool = True) -> list[SchemaValue]:
        """Under which subjects and versions a schema is registered."""
        found = self._by_id.get((context, schema_id), {})
        return [value for _, value in sorted(found.items()) if deleted or not value.deleted]

    def id_of(self, context: str, value: SchemaValue) -> int | None:
        return self._ids.get((context, content_of(value)))

    def referring_to(self, subject: str, version: int) -> list[SchemaValue]:
        """Live schemas that need this one."""
        return [
            value
            for value in self._live()
            if any(each.subject == subject and each.version == version for each in value.references)
        ]

    def contexts(self) -> list[str]:
        return sorted({".", *map(context_of, self._versions)})

    def _live(self) -> Iterator[SchemaValue]:
        for versions in self._versions.values():
            yield from (each for each in versions.values() if not each.deleted)

    def setting(self, kind: str, subject: str) -> dict[str, Any] | None:
        """What is set for this subject, or context, itself."""
        return self._settings[kind].get(subject)

    def settings_for(self, kind: str, subject: str) -> dict[str, Any]:
        """What holds for a subject: the registry's, its context's and its own, the nearer one first."""
        found: dict[str, Any] = {}
        for scope in ("", whole_context(context_of(subject)), subject):
            found |= self._settings[kind].get(scope, {})
        return found

    def level_of(self, subject: str) -> str:
        return str(self.settings_for(records.CONFIG, subject).get(LEVEL, DEFAULT_LEVEL))

    def mode_of(self, subject: str) -> str:
        """READONLY_OVERRIDE of the registry stands above all others."""
        if (self.setting(records.MODE, "") or {}).get("mode") == "READONLY_OVERRIDE":
            return "READONLY_OVERRIDE"
        return str(self.settings_for(records.MODE, subject).get("mode", DEFAULT_MODE))

    def sources_of(self, references: Iterable[records.Reference]) -> list[SchemaValue]:
        """What references lead to, directly and through others, each after those it needs."""
        found: list[SchemaValue] = []
        seen = set()

        def gather(needed: Iterable[records.Reference]) -> None:
            for each in needed:
                if (each.subject, each.version) not in seen:
                    seen.add((each.subject, each.version))
                    value = self.version(each.subject, each.version, deleted=True)
                    gather(value.references)
                    found.append(value)

        gather(references)
        return found


def content_of(value: SchemaValue) -> bytes:
    """Equal for schemas that say the same, which get the same id."""
    said = (value.schema_type, value.schema, value.references, value.metadata, value.rule_set)
    return hashlib.sha256(msgspec.json.encode(said, order="deterministic")).digest()

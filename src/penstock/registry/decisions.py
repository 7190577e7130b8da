"""What a request changes: it looks at the state, and says which records to write and what to answer. Pure.

Records are written together or not at all, and only if the state is still what was looked at.
"""

from typing import Any, NamedTuple

import msgspec

from penstock.registry import records, refusals
from penstock.registry.compatibility import LEVELS, messages
from penstock.registry.records import Record, Reference, SchemaValue
from penstock.registry.refusals import RegistryRefusal, not_permitted, schema_not_found
from penstock.registry.schemas import Parsed, parse
from penstock.registry.state import LEVEL, NORMALIZE, State
from penstock.registry.subjects import checked, context_of, joined, split

VERSION_MAX = 2**31 - 1
MODES = ("READWRITE", "READONLY", "READONLY_OVERRIDE", "IMPORT", "FORWARD")
READ_ONLY = ("READONLY", "READONLY_OVERRIDE", "FORWARD")


class Decision(NamedTuple):
    records: list[Record]
    answer: Any


class Given(msgspec.Struct, rename="camel"):
    """A schema as a request brings it. What else is in the request is passed over."""

    schema: str = ""
    schema_type: str | None = "AVRO"
    references: tuple[Reference, ...] | None = ()
    metadata: dict[str, Any] | None = None
    rule_set: dict[str, Any] | None = None
    id: int | None = None
    version: int | None = None


# Schemas ------------------------------------------------------------------------------------------------------------


def read(state: State, subject: str, given: Given, *, normalize: bool) -> tuple[SchemaValue, Parsed]:
    """What is given, as it would be kept under this subject; its version and id are not known yet."""
    kind = given.schema_type or "AVRO"
    references = tuple(_resolved(state, subject, each) for each in given.references or ())
    normalize = normalize or bool(state.settings_for(records.CONFIG, subject).get(NORMALIZE))
    texts = [each.schema for each in state.sources_of(references)]
    parsed = parse(kind, given.schema, texts, normalized=normalize)
    value = SchemaValue(subject, 0, 0, parsed.text, kind, references, given.metadata, given.rule_set)
    return value, parsed


def _resolved(state: State, subject: str, reference: Reference) -> Reference:
    """To a schema that is there, by its number. A plain name is one of the same context."""
    name = joined(context_of(subject), reference.subject) if split(reference.subject)[0] == "." else reference.subject
    try:
        version = state.version(name, reference.version if reference.version > 0 else None).version
    except RegistryRefusal as error:
        words = f'Invalid schema: no schema for the reference "{reference.name}": {error.message}'
        raise RegistryRefusal(refusals.INVALID_SCHEMA, words) from None
    return Reference(reference.name, name, version)


def registered_as(state: State, value: SchemaValue, *, deleted: bool = False) -> SchemaValue | None:
    """The version of its subject that says the same, the latest if there are several."""
    schema_id = state.id_of(context_of(value.subject), value)
    for each in reversed(state.versions(value.subject, deleted=deleted) if schema_id is not None else []):
        if each.id == schema_id:
            return each
    return None


def register(state: State, subject: str, given: Given, *, normalize: bool = False) -> Decision:
    subject = checked(subject)
    value, parsed = read(state, subject, given, normalize=normalize)
    context, is_import = context_of(subject), (given.id or 0) > 0
    if not is_import and state.has(subject) and (known := registered_as(state, value)) is not None:
        return Decision([], {"id": known.id})
    _check_mode(state, subject, is_import=is_import)
    earlier = state.versions(subject) if state.has(subject) else []
    known_id = state.id_of(context, value)
    if is_import:
        assert given.id is not None
        users = state.users_of(context, given.id)
        if users and known_id != given.id:
            raise not_permitted(f"Overwrite new schema with id {given.id} is not permitted.")
        schema_id, version = given.id, given.version or state.last_version(subject) + 1
        if not (0 < schema_id <= VERSION_MAX and 0 < version <= VERSION_MAX):
            raise not_permitted(f"No id and version: {schema_id}, {version}")
    else:
        found = messages(state, state.level_of(subject), value, parsed, earlier)
        if found:
            words = f'Schema being registered is incompatible with an earlier schema for subject "{subject}", details: '
            raise RegistryRefusal(refusals.INCOMPATIBLE, f"{words}[{', '.join(found)}]")
        schema_id = known_id if known_id is not None else state.ids_given.get(context, 0) + 1
        version = state.last_version(subject) + 1
    kept = msgspec.structs.replace(value, id=schema_id, version=version)
    written = [records.schema_record(kept)]
    if version <= state.last_version(subject):  # an import may take the place of a version whose id was the highest
        written.append(records.ids_record(state.ids_given))
    return Decision(written, {"id": schema_id})


def _check_mode(state: State, subject: str, *, is_import: bool = False, changes_only: bool = False) -> None:
    mode = state.mode_of(subject)
    if mode in READ_ONLY:
        raise not_permitted(f"Subject {subject} is in read-only mode")
    if is_import and mode != "IMPORT":
        raise not_permitted(f"Subject {subject} is not in import mode")
    if not is_import and not changes_only and mode == "IMPORT":
        raise not_permitted(f"Subject {subject} is in import mode: a schema is brought with its id")


def look_up(state: State, subject: str, given: Given, *, normalize: bool = False, deleted: bool = False) -> SchemaValue:
    """SCHEMA_NOT_FOUND where no version of the subject says the same."""
    subject = checked(subject)
    state.versions(subject, deleted=deleted)
    value, _ = read(state, subject, given, normalize=normalize)
    found = registered_as(state, value, deleted=deleted)
    if found is None:
        raise schema_not_found()
    return found


def compared(
    state: State, subject: str, given: Given, *, against: SchemaValue | None, every: bool, normalize: bool
) -> list[str]:
    """Why it may not follow one version of the subject, or (`every`) those that the subject's level names."""
    subject = checked(subject)
    value, parsed = read(state, subject, given, normalize=normalize)
    earlier = [] if against is None else [against]
    if every and state.has(subject):
        earlier = state.versions(subject)
    return messages(state, state.level_of(subject), value, parsed, earlier)


# Deleting -----------------------------------------------------------------------------------------------------------


def delete_version(state: State, subject: str, version: int | None, *, permanent: bool) -> Decision:
    subject = checked(subject)
    value = state.version(subject, version, deleted=version is not None)
    _check_mode(state, subject, changes_only=True)
    _check_references(state, [value])
    if permanent:
        if not value.deleted:
            words = (
                f"Subject '{subject}' Version {value.version} was not deleted first before being permanently deleted"
            )
            raise RegistryRefusal(refusals.VERSION_NOT_SOFT_DELETED, words)
        return Decision(
            [records.schema_gone(subject, value.version), records.ids_record(state.ids_given)], value.version
        )
    if value.deleted:
        words = f"Subject '{subject}' Version {value.version} was soft deleted; permanent=true deletes it for good"
        raise RegistryRefusal(refusals.VERSION_SOFT_DELETED, words)
    written = [records.schema_record(msgspec.structs.replace(value, deleted=True))]
    if len(state.versions(subject)) == 1:
        written += _settings_gone(state, subject)
    return Decision(written, value.version)


def delete_subject(state: State, subject: str, *, permanent: bool) -> Decision:
    subject = checked(subject)
    every = state.versions(subject, deleted=True)
    live = [each for each in every if not each.deleted]
    _check_mode(state, subject, changes_only=True)
    if permanent:
        if live:
            words = f"Subject '{subject}' was not deleted first (without permanent=true)"
            raise RegistryRefusal(refusals.SUBJECT_NOT_SOFT_DELETED, words)
        _check_references(state, every)
        written = [records.schema_gone(subject, each.version) for each in every]
        written += [records.subject_gone(subject), records.ids_record(state.ids_given)]
        return Decision(written, [each.version for each in every])
    if not live:
        words = f"Subject '{subject}' was soft deleted; permanent=true deletes it for good"
        raise RegistryRefusal(refusals.SUBJECT_SOFT_DELETED, words)
    _check_references(state, live)
    written = [records.subject_deleted(subject, live[-1].version), *_settings_gone(state, subject)]
    return Decision(written, [each.version for each in live])


def _check_references(state: State, values: list[SchemaValue]) -> None:
    for each in values:
        if state.referring_to(each.subject, each.version):
            words = f"One or more references exist to the schema {{subject={each.subject},version={each.version}}}."
            raise RegistryRefusal(refusals.REFERENCED, words)


def _settings_gone(state: State, subject: str) -> list[Record]:
    return [
        records.setting_record(kind, subject, None)
        for kind in (records.CONFIG, records.MODE)
        if state.setting(kind, subject) is not None
    ]


# Config and mode ----------------------------------------------------------------------------------------------------


def set_config(state: State, subject: str, given: dict[str, Any]) -> Decision:
    """`subject`: empty for the registry's own. Fields that are not given stay; null takes one away."""
    answer = given
    given = {LEVEL if name == "compatibility" else name: value for name, value in given.items()}
    level = given.get(LEVEL)
    if level is not None and level not in list(LEVELS):
        words = f"Invalid compatibility level. Valid values are {', '.join(LEVELS)}"
        raise RegistryRefusal(refusals.INVALID_COMPATIBILITY, words)
    _check_mode(state, subject, changes_only=True)
    fields = dict(state.setting(records.CONFIG, subject) or {})
    kept = {name: value for name, value in (fields | given).items() if value is not None}
    return Decision([records.setting_record(records.CONFIG, subject, kept)], answer)


def set_mode(state: State, subject: str, mode: Any, *, force: bool) -> Decision:
    if mode not in MODES:
        raise RegistryRefusal(refusals.INVALID_MODE, f"Invalid mode. Valid values are {', '.join(MODES)}")
    if mode == "IMPORT" and not force and state.mode_of(subject) != "IMPORT":
        prefix = subject if subject.endswith(":") else ""
        taken = state.has(subject, deleted=True) if subject and not prefix else bool(state.subjects(prefix=prefix))
        if taken:
            raise not_permitted("Cannot import since found existing subjects")
    return Decision([records.setting_record(records.MODE, subject, {"mode": mode})], {"mode": mode})


def clear(state: State, kind: str, subject: str) -> Decision:
    """Take a config or a mode away; the answer is what it was."""
    former = state.setting(kind, subject)
    if former is None and subject:
        raise none_of_its_own(kind, subject)
    written = [] if former is None else [records.setting_record(kind, subject, None)]
    return Decision(written, former or {})


def none_of_its_own(kind: str, subject: str) -> RegistryRefusal:
    if kind == records.MODE:
        words = f"Subject '{subject}' does not have subject-level mode configured"
        return RegistryRefusal(refusals.NO_MODE_OF_ITS_OWN, words)
    words = f"Subject '{subject}' does not have subject-level compatibility configured"
    return RegistryRefusal(refusals.NO_COMPATIBILITY_OF_ITS_OWN, words)

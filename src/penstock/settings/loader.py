"""From a file, the environment and the command line to a Config: who wins, what is unknown, what has no effect.

Precedence: default < file < PENSTOCK_* variables < --set. A name that neither Penstock nor Kafka has is an error with a
guess at what was meant; one that Kafka has and Penstock does not use is accepted and said. All problems are told at
once.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import structlog

from penstock.model.words import did_you_mean
from penstock.settings import client_metrics, group, topic  # noqa: F401  (the whole table, for names and synonyms)
from penstock.settings.batch_size import why_too_large
from penstock.settings.broker import BROKER_ID, LOG_DIR, LOG_DIRS, MESSAGE_MAX_BYTES, NODE_ID, QUEUED_MAX_REQUEST_BYTES
from penstock.settings.broker import SOCKET_REQUEST_MAX_BYTES as REQUEST_BYTES_MAX
from penstock.settings.broker_access import ALLOW_EVERYONE_IF_NO_ACL_FOUND, AUTHORIZER_CLASS_NAME, SUPER_USERS
from penstock.settings.broker_audit import PENSTOCK_AUDIT_DIR, PENSTOCK_AUDIT_TOPIC_ENABLE
from penstock.settings.config import Config
from penstock.settings.listeners import advertised_endpoints, inter_broker_listener
from penstock.settings.properties import parse_properties
from penstock.settings.references import resolve
from penstock.settings.refused import why_refused
from penstock.settings.sasl import check_sasl
from penstock.settings.setting import Scope, broker_row, own_name, settings_of
from penstock.settings.tls import check_tls
from penstock.settings.unused import is_unused

_log = structlog.get_logger(__name__)

VARIABLE_PREFIX = "PENSTOCK_"

# Not settings: read by commands and tests themselves, or put there by Kubernetes for a service that is called penstock.
_NOT_A_SETTING = re.compile(
    r"PENSTOCK_(CONFIG|BOOTSTRAP|PROFILE|DATA|SPARK_JARS|SERVICE_.*|PORT|PORT_\d+_.*|TESTS?_.*|KILLS(_SEED)?)"
)


class SettingsInvalid(ValueError):
    """The settings cannot be used; `problems` says all that is wrong with them, each with where it stands."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class _Given(NamedTuple):
    name: str
    text: str
    where: str


def load_settings(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, str] | None = None,
) -> Config:
    """The broker's settings. Raises SettingsInvalid (or OSError where the file cannot be read)."""
    table = settings_of(Scope.BROKER)
    problems: list[str] = []
    static: dict[str, str] = {}
    where: dict[str, str] = {}
    unused: set[str] = set()
    for given in _all_given(file, environment or {}, overrides or {}, problems):
        if (why := why_refused(given.name)) is not None:
            problems.append(f"{given.where}: {given.name} is not honoured: {why}")
        elif broker_row(given.name) is not None:
            # A secret's or a path's text is kept as it is; the table trims what it parses.
            where[given.name] = given.where
            try:
                static[given.name] = resolve(given.text, environment or {})
            except ValueError as problem:
                problems.append(f"{given.where}: {given.name}: {problem}")
        elif is_unused(given.name) and own_name(given.name) is None:
            unused.add(given.name)
        else:
            problems.append(f"{given.where}: there is no setting {given.name}{did_you_mean(given.name, table)}")
    for name, text in static.items():
        row = broker_row(name)
        assert row is not None
        try:
            row.parse(text)
        except ValueError as problem:
            problems.append(f"{where[name]}: {problem}")
    if problems:
        raise SettingsInvalid(problems)
    _agree_on_id(static)
    config = Config.for_broker(static)
    _check_together(config)
    if unused:
        config.unused = tuple(sorted(unused))
        _log.warning("settings without effect", settings=list(config.unused), reason="Penstock has no use for them")
    return config


def given_text(
    name: str, file: Path | None, environment: Mapping[str, str], overrides: Mapping[str, str]
) -> str | None:
    """What a setting is given as, whatever is wrong with it and with all others: for what must be known before they
    are checked.
    """
    try:
        given = list(_all_given(file, environment, overrides, []))
    except (SettingsInvalid, OSError):
        given = list(_all_given(None, environment, overrides, []))
    return next((each.text.strip() for each in reversed(given) if each.name == name), None)


def data_folders(config: Config) -> tuple[Path, ...]:
    """log.dirs, or log.dir where that is not set."""
    return tuple(Path(folder).absolute() for folder in config[LOG_DIRS] or config[LOG_DIR])


def broker_id_of(config: Config) -> int:
    """node.id, or broker.id where only that is set."""
    asked_for_former = BROKER_ID.name in config.static and NODE_ID.name not in config.static
    return config[BROKER_ID] if asked_for_former else config[NODE_ID]


def _all_given(
    file: Path | None, environment: Mapping[str, str], overrides: Mapping[str, str], problems: list[str]
) -> Iterator[_Given]:
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise SettingsInvalid([f"{file}: not a text file in UTF-8"]) from None
        for line in parse_properties(text):
            yield _Given(line.name, line.value, f"{file}:{line.number}")
    for variable, text in sorted(environment.items()):
        if variable.startswith(VARIABLE_PREFIX) and not _NOT_A_SETTING.fullmatch(variable):
            name = setting_name_of(variable)
            if name is None:
                wanted = _dotted(variable)
                problems.append(
                    f"{variable}: there is no setting {wanted}{did_you_mean(wanted, settings_of(Scope.BROKER))}"
                )
            else:
                yield _Given(name, text, variable)
    for name, text in overrides.items():
        yield _Given(name, text, f"--set {name}")


def _dotted(variable: str) -> str:
    return variable.removeprefix(VARIABLE_PREFIX).lower().replace("_", ".")


def setting_name_of(variable: str) -> str | None:
    """PENSTOCK_LOG_RETENTION_MS is log.retention.ms; PENSTOCK_HTTP_LISTENER is penstock.http.listener."""
    table = settings_of(Scope.BROKER)
    plain = _dotted(variable)
    for name in (plain, f"penstock.{plain}"):
        if name in table:
            return name
    return plain if broker_row(plain) or is_unused(plain) or why_refused(plain) else None


def _agree_on_id(static: dict[str, str]) -> None:
    """node.id and broker.id are one number under two names."""
    ids = {name: static[name].strip() for name in (NODE_ID.name, BROKER_ID.name) if name in static}
    if len({int(text) for text in ids.values()}) > 1:
        raise SettingsInvalid([f"node.id is {ids[NODE_ID.name]} and broker.id is {ids[BROKER_ID.name]}: set one"])
    number = next(iter(ids.values()), NODE_ID.type.format(NODE_ID.default))
    try:
        NODE_ID.parse(number)
    except ValueError as problem:
        raise SettingsInvalid([str(problem)]) from None
    if ids:
        static[NODE_ID.name] = static[BROKER_ID.name] = number


def _check_together(config: Config) -> None:
    problems: list[str] = []
    try:
        advertised_endpoints(config, hostname=lambda: "localhost")
        inter_broker_listener(config)
        check_tls(config)
        check_sasl(config)
    except ValueError as problem:
        problems.append(str(problem))
    if not config[AUTHORIZER_CLASS_NAME]:
        everybody = "is given without authorizer.class.name: everybody would be let do everything"
        if config[SUPER_USERS]:
            problems.append(f"super.users {everybody}")
        if config.static.get(ALLOW_EVERYONE_IF_NO_ACL_FOUND.name) and not config[ALLOW_EVERYONE_IF_NO_ACL_FOUND]:
            problems.append(f"allow.everyone.if.no.acl.found=false {everybody}")
    if config[PENSTOCK_AUDIT_TOPIC_ENABLE] and not config[PENSTOCK_AUDIT_DIR]:
        problems.append(
            "penstock.audit.topic.enable takes penstock.audit.dir: the log in files is what the topic copies"
        )
    if not data_folders(config):
        problems.append("log.dirs names no folder")
    elif len(set(data_folders(config))) < len(data_folders(config)):
        problems.append("log.dirs names a folder twice")
    if 0 <= config[QUEUED_MAX_REQUEST_BYTES] < config[REQUEST_BYTES_MAX]:
        problems.append(
            f"queued.max.request.bytes ({config[QUEUED_MAX_REQUEST_BYTES]}) is below socket.request.max.bytes "
            f"({config[REQUEST_BYTES_MAX]}): a request of that size could never be read"
        )
    if (too_large := why_too_large(MESSAGE_MAX_BYTES.name, config[MESSAGE_MAX_BYTES], config)) is not None:
        problems.append(too_large)
    if problems:
        raise SettingsInvalid(problems)

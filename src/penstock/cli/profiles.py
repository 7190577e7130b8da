"""Profiles: where a cluster is and how to log in to it, in a file, so that no command line carries a password.

A profile is a file of librdkafka properties, as `--config-file` takes them and as kcat's -F does. Those with a name are
NAME.properties in one folder; any other file is named by its path. Relative paths of certificates count from the file.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

import click

from penstock.cli.exits import Failure, NotFound
from penstock.cli.properties import parse_properties, write_properties
from penstock.model.words import did_you_mean

VARIABLE = "PENSTOCK_PROFILE"
SUFFIX = ".properties"
NAME_BYTES_MAX = 200
"""A file's name may have 255."""
BOOTSTRAP = "bootstrap.servers"

SECRETS = frozenset(
    {
        "sasl.password",
        "sasl.oauthbearer.client.secret",
        "sasl.oauthbearer.config",
        "ssl.key.password",
        "ssl.key.pem",
        "ssl.keystore.password",
    }
)
_FILES = ("ssl.ca.location", "ssl.certificate.location", "ssl.key.location", "ssl.keystore.location")
_CURRENT = "current-profile"


def folder() -> Path:
    """Where profiles with a name are: in $XDG_CONFIG_HOME, else ~/.config."""
    configured = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(configured) if Path(configured).is_absolute() else Path.home() / ".config") / "penstock"


def path_of(name: str) -> Path:
    """UsageError for what cannot be a file's name."""
    is_possible = name.isprintable() and "/" not in name and name.strip() == name and not name.startswith((".", "-"))
    if not name or not is_possible or len(name.encode()) > NAME_BYTES_MAX:
        raise click.UsageError(
            f"{name!r} cannot name a profile: it takes 1 to {NAME_BYTES_MAX} bytes without a slash, "
            "and begins with neither a dot, a dash nor a space"
        )
    return folder() / "profiles" / f"{name}{SUFFIX}"


def find(name_or_path: str) -> Path:
    """The file that is meant: of the profile with that name, or at that path, whose .properties may be left out."""
    if "/" not in name_or_path and (named := path_of(name_or_path)).exists():
        return named
    given = Path(name_or_path)
    for path in (given, given.with_name(f"{given.name}{SUFFIX}")) if given.name else ():
        if path.is_file():
            return path
    if "/" in name_or_path:
        raise NotFound(f"there is no profile at {name_or_path}")
    raise missing(name_or_path)


def missing(name: str) -> NotFound:
    return NotFound(
        f"there is no profile {name!r}.{did_you_mean(name, names(), sentence=True)}",
        hint="`penstock profile list` shows what exists, `penstock profile add` makes one.",
    )


def names() -> list[str]:
    found = (folder() / "profiles").glob(f"*{SUFFIX}")
    return sorted(path.name.removesuffix(SUFFIX) for path in found)


def read(path: Path) -> dict[str, str]:
    """Its properties. Failure where it has a secret that others on this machine may read."""
    with path.open(encoding="utf-8") as opened:
        mode = stat.S_IMODE(os.fstat(opened.fileno()).st_mode)
        found = parse_properties(opened.read(), path)
    if SECRETS & found.keys() and mode & 0o077:
        raise Failure(
            f"{path} holds a password, and others on this machine may read it (mode {mode:03o})",
            hint=f"chmod 600 '{path}' takes that from them; the password may be known by now.",
        )
    for name in _FILES:
        if name in found:
            found[name] = str(path.absolute().parent / found[name])
    return found


def write(path: Path, properties: Mapping[str, str], *, comment: str, replace: bool = False) -> None:
    """Whole or not at all, for the owner alone. FileExistsError unless it may be replaced."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_properties(path, properties, comment=comment, replace=replace)


def current() -> str | None:
    """The one that `penstock profile use` chose."""
    try:
        return (folder() / _CURRENT).read_text(encoding="utf-8").strip() or None
    except FileNotFoundError:
        return None


def choose(name: str | None) -> None:
    file = folder() / _CURRENT
    if name is None:
        file.unlink(missing_ok=True)
    else:
        file.write_text(f"{name}\n", encoding="utf-8")


def hidden(properties: Mapping[str, str]) -> dict[str, str]:
    """For showing: without what is secret."""
    return {name: "(hidden)" if name in SECRETS else value for name, value in properties.items()}

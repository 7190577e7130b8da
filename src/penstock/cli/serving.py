"""What `penstock up` does once its options are read: settings, log, node, banner, signals."""

import asyncio
import errno
import json
import os
import resource
import shlex
import shutil
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import structlog

from penstock.cli.exits import ExitCode, Failure
from penstock.cli.logging import configure_logging
from penstock.cli.web_child import WebChild
from penstock.errors import Fatal
from penstock.settings import (
    Config,
    Listener,
    SettingsInvalid,
    broker_id_of,
    data_folders,
    given_text,
    listeners,
    load_settings,
)
from penstock.settings.broker import (
    PENSTOCK_BOOTSTRAP_USERS_FILE,
    PENSTOCK_ETCD_ENDPOINTS,
    PENSTOCK_LOG_FORMAT,
    PENSTOCK_LOG_LEVEL,
    PENSTOCK_WORKERS,
)
from penstock.settings.listeners import PLAINTEXT

TEXT, JSON = "text", "json"

_log = structlog.get_logger(__name__)


def serve(file: Path | None, overrides: Mapping[str, str], *, banner: bool) -> ExitCode:
    """Where the log is to be JSON a program reads it, and what it cannot read is lost: so every line is, also those
    before the settings are checked, and the last one.
    """
    is_json = given_text(PENSTOCK_LOG_FORMAT.name, file, os.environ, overrides) == JSON
    configure_logging(form=JSON if is_json else TEXT, level="warning")  # until the settings say how
    if not is_json:
        return _serve_as_set(file, overrides, banner=banner)
    try:
        return _serve_as_set(file, overrides, banner=banner)
    except Failure as failure:
        _log.error("the broker cannot run", reason=failure.message, hint=failure.hint)
        return ExitCode(failure.exit_code)
    except Exception:
        _log.exception("ended by a bug: please report it")
        return ExitCode.FAILED


def _serve_as_set(file: Path | None, overrides: Mapping[str, str], *, banner: bool) -> ExitCode:
    config = load(file, overrides)
    is_single = config[PENSTOCK_WORKERS] == 1
    configure_logging(
        form=config[PENSTOCK_LOG_FORMAT],
        level=config[PENSTOCK_LOG_LEVEL],
        node=broker_id_of(config) if is_single and config[PENSTOCK_ETCD_ENDPOINTS] else None,
    )
    if not is_single:
        from penstock.cli.workers.serving import serve_workers  # noqa: PLC0415 - a broker by itself has no use for it

        return serve_workers(config, file, overrides, banner=banner)
    try:
        outcome = asyncio.run(_serve(config, banner=banner))
        _log.info("broker stopped")
        return outcome
    except OSError as error:
        raise start_failure(error, config) from error
    except Fatal as error:
        hint = "Stop that one, or take another folder with --data." if "in use" in str(error) else None
        raise Failure(f"the broker cannot run: {error}", hint=hint) from error


def load(file: Path | None, overrides: Mapping[str, str]) -> Config:
    try:
        return load_settings(file, os.environ, overrides)
    except SettingsInvalid as error:
        hint = "`penstock settings explain NAME` tells what a setting may be."
        raise Failure("the settings cannot be used:\n  " + "\n  ".join(error.problems), hint=hint) from error
    except OSError as error:
        raise Failure(f"cannot read {file}: {error.strerror}") from error


async def _serve(config: Config, *, banner: bool) -> ExitCode:
    stopping = Stopping(is_json=config[PENSTOCK_LOG_FORMAT] == JSON)
    running = asyncio.ensure_future(_run(config, banner=banner))
    stopping.listen(running)
    try:
        await running
    except asyncio.CancelledError:
        if not stopping.asked:
            raise
    return ExitCode.OK


async def _run(config: Config, *, banner: bool) -> None:
    from penstock.admin import addresses as told  # noqa: PLC0415 - after the log is configured
    from penstock.admin import memory, program  # noqa: PLC0415

    web = WebChild(config)
    try:
        async with program.running(config):
            folder = data_folders(config)[0]
            addresses = json.loads((folder / told.ADDRESSES_FILE).read_bytes())
            bound = listeners(config)
            name, first = nearest_listener(addresses["listeners"])
            login = is_secured(name, bound)
            web.start([first], profile=admin_profile(config), needs_login=login, pages=addresses["http"] or "")
            if config[PENSTOCK_LOG_FORMAT] == JSON:
                # A program reads these lines: no banner between them.
                _log.info("listening", listeners=addresses["listeners"], http=addresses["http"], folder=str(folder))
            elif banner:
                text = banner_text(addresses, folder, command_name(), bound, login_option(config), web.said)
                click.echo(text, err=True)
            memory.freeze_memory()
            try:
                await memory.keep_memory()
            finally:
                web.ask_to_stop()
    finally:
        web.stop()


class Stopping:
    """The first SIGINT or SIGTERM stops cleanly; a second SIGINT leaves at once, as a crash would."""

    def __init__(self, *, is_json: bool = False) -> None:
        self.asked = False
        self._is_json = is_json

    def listen(self, running: "asyncio.Future[None]") -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.on_signal, number, running)

    def on_signal(self, number: signal.Signals, running: "asyncio.Future[None]") -> None:
        if self.asked:
            if number is signal.SIGINT:
                self._tell_left()
                sys.stderr.flush()
                os._exit(ExitCode.INTERRUPTED)
            return
        self.asked = True
        _log.info("stopping", signal=number.name)
        # Whoever is one of several gets SIGTERM from their parent.
        if number is signal.SIGINT and sys.stderr.isatty() and not self._is_json:
            click.echo("\nStopping; Ctrl-C again does not wait.", err=True)
        running.cancel()

    def _tell_left(self) -> None:
        if self._is_json:
            _log.warning("left without a clean stop")
        else:
            click.echo("Left without a clean stop; the next start recovers the logs.", err=True)


def admin_profile(config: Config) -> Path | None:
    """The profile of the first user, if `penstock init` made it beside their keys."""
    from penstock.processes.secured import ADMIN  # noqa: PLC0415 - for a banner only

    users = config[PENSTOCK_BOOTSTRAP_USERS_FILE]
    profile = None if users is None else Path(users).with_name(f"{ADMIN}.properties")
    return None if profile is None or not profile.exists() else profile.with_suffix("")


def login_option(config: Config) -> str:
    """How commands log in here, by the profile of the first user."""
    profile = admin_profile(config)
    if profile is None:
        return "--profile PROFILE"
    relative = os.path.relpath(profile)
    return f"--profile {shlex.quote(str(profile) if relative.startswith('..') else relative)}"


def nearest_listener(told: Mapping[str, str]) -> tuple[str, str]:
    """Name and address of a listener that this machine reaches, as far as one can tell."""
    return next(((name, each) for name, each in told.items() if _is_near(each)), next(iter(told.items())))


def is_secured(name: str, bound: Sequence[Listener]) -> bool:
    return any(listener.name == name and listener.protocol != PLAINTEXT for listener in bound)


def banner_text(
    addresses: Mapping[str, object],
    folder: Path,
    command: str = "penstock",
    bound: Sequence[Listener] = (),
    login: str = "",
    web: str = "off",
) -> str:
    """What a person reads at the start. `bound` are the listeners, which clients may be told other addresses of;
    `login` is the option for those that ask who is there; `web` is where the web process is, or why there is none.
    """
    told = addresses["listeners"]
    assert isinstance(told, dict)
    name, first = nearest_listener(told)
    where = ", ".join(address if name == "PLAINTEXT" else f"{address} ({name})" for name, address in told.items())
    # What is printed shall work when it is typed: the default address needs no option.
    bootstrap = f" {login}" if is_secured(name, bound) else "" if first == "127.0.0.1:9092" else f" -b {first}"
    pages = str(addresses.get("http") or "")
    http = f"{pages if '://' in pages else f'http://{pages}'}/metrics" if pages else "off"
    return "\n".join(
        [
            _listening(told, where, bound),
            f"  data     {folder}",
            f"  metrics  {http}",
            f"  web      {web}",
            "Try, in another terminal:",
            f"  echo hello | {command} produce greetings{bootstrap}",
            f"  {command} consume greetings{bootstrap}",
            f"  {command} topic describe greetings{bootstrap}",
        ]
    )


def _listening(told: Mapping[str, str], where: str, bound: Sequence[Listener]) -> str:
    """What clients are told is only half of it where it is not what the broker listens on."""
    if any(listener.is_everywhere for listener in bound):
        return f"Penstock listens on every interface and tells clients {where}"
    addresses = [str(listener).partition("://")[2] for listener in bound]
    given = [told.get(listener.name, "") for listener in bound]
    # Port 0 is any: then what is told has the one that was taken.
    if any(one != other for one, other in zip(addresses, given, strict=True) if not one.endswith(":0")):
        return f"Penstock listens on {', '.join(addresses)} and tells clients {where}"
    return f"Penstock listens on {where}"


def _is_near(address: str) -> bool:
    """Whether it can be reached from this machine, whatever names clients elsewhere know."""
    return address.rpartition(":")[0] in ("localhost", "127.0.0.1", "[::1]")


def command_name() -> str:
    """How this program is called from where it was started: by its path where it is not on PATH, as under `make up`."""
    started_as = Path(sys.argv[0])
    found = shutil.which("penstock")
    if started_as.name != "penstock" or (found is not None and Path(found).samefile(started_as)):
        return "penstock"
    relative = os.path.relpath(started_as)
    return str(started_as) if relative.startswith("..") else relative


def start_failure(error: OSError, config: Config) -> Failure:
    # A name that does not resolve has a code of its own kind (socket.EAI_*), which is no errno.
    if error.errno == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror) or (error.errno or 0) < 0:
        return Failure(
            f"cannot listen: {error.strerror or error}",
            hint="The address is none of this machine's; 0.0.0.0 is every interface it has.",
        )
    if error.errno == errno.EADDRINUSE:
        return Failure(
            f"cannot listen: {error.strerror or error}",
            hint="Another program has the port, perhaps a Penstock or a Kafka that runs already.\n"
            "Take other ports with --port and --http-port; `ss -ltnp` shows who has which.",
        )
    if error.errno == errno.EACCES and error.filename is None:  # of a file it would be told which
        return Failure(
            f"cannot listen: {error.strerror or error}",
            hint="Ports below 1024 are root's, or of who is given CAP_NET_BIND_SERVICE.\n"
            "Take other ports with --port and --http-port.",
        )
    if error.errno in (errno.EMFILE, errno.ENFILE):
        files_max, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return Failure(
            f"the broker cannot run: {error}",
            hint=f"This process may open {files_max} files. Allow it more with `ulimit -n`, or with LimitNOFILE= in a\n"
            "systemd unit; where that is plenty, all of the machine's are used up (fs.file-max).",
        )
    folders = ", ".join(str(folder) for folder in data_folders(config))
    hint = f"The data folder is {folders}; --data names another."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Failure(f"not allowed: {error}", hint=hint)
    return Failure(f"the broker cannot run: {error}", hint=hint)

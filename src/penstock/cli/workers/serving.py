"""What `penstock up` does where penstock.workers is above 1: start them, watch over them, stop them together."""

import gc
import logging
import time
from collections.abc import Mapping
from pathlib import Path

import click
import structlog

from penstock.admin.systemd import MORE_TIME, READY, STOPPING, notify, status
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.serving import admin_profile, is_secured, nearest_listener
from penstock.cli.stopping import StopAsked, Stopping
from penstock.cli.web_child import WebChild
from penstock.cli.workers.plan import planned
from penstock.cli.workers.worker import Worker
from penstock.processes.child import ended_how
from penstock.processes.orphans import OrphanKiller
from penstock.processes.supervisor import Ended, NotStartedAgain, StartedAgain, Supervisor
from penstock.settings import Config, broker_id_of, listeners
from penstock.settings.broker import PENSTOCK_LOG_FORMAT

LOOK_EVERY_S = 0.1
TELL_EVERY_S = 10.0
PAUSE_MAX_S = 60.0

_log = structlog.get_logger(__name__)


def serve_workers(config: Config, file: Path | None, overrides: Mapping[str, str], *, banner: bool) -> ExitCode:
    gc.enable()  # a broker's start goes without; this process is none
    orphans = OrphanKiller()
    web = WebChild(config)
    workers = {plan.id: Worker(plan, file, overrides, orphans) for plan in planned(config)}

    def kill_all() -> None:
        for worker in workers.values():
            worker.kill()

    is_json = config[PENSTOCK_LOG_FORMAT] == "json"
    try:
        with Stopping(kill_all, what=f"{len(workers)} brokers", is_json=is_json) as stopping:
            try:
                _start(workers, stopping)
                if banner and not is_json:
                    first = broker_id_of(config)
                    click.echo(f"Penstock runs brokers {first} to {first + len(workers) - 1} here", err=True)
                _start_web(web, config, workers)
                _watch(workers, stopping)
            except StopAsked:
                pass
            finally:
                web.ask_to_stop()
                _stop(workers)
                web.stop()
    finally:
        orphans.close()
    return ExitCode.OK


def _start(workers: Mapping[int, Worker], stopping: Stopping) -> None:
    """Returns when all take connections. One that ends before that has a reason which the next start would have too."""
    for worker in workers.values():
        worker.launch()
    told_at_s = time.monotonic()
    while waited_for := [number for number, worker in workers.items() if not worker.is_started]:
        if time.monotonic() >= told_at_s + TELL_EVERY_S:  # they may wait for the metadata store, and say so
            told_at_s = time.monotonic()
            notify(status(f"waiting for brokers {waited_for}"), MORE_TIME)
        for number, worker in workers.items():
            if (code := worker.exit_code) is not None:
                raise Failure(f"broker {number} did not start: it {ended_how(code)}", hint="Its last words are above.")
        stopping.sleep(LOOK_EVERY_S)
    notify(READY, status("ready"))
    _log.info("all brokers are ready", brokers=list(workers))


def _start_web(web: WebChild, config: Config, workers: Mapping[int, Worker]) -> None:
    told = [each.addresses for each in workers.values()]
    name, _ = nearest_listener(told[0].listeners)
    web.start(
        [each.listeners[name] for each in told], profile=admin_profile(config),
        needs_login=is_secured(name, listeners(config)), pages=told[0].http or "",
    )  # fmt: skip


def _watch(workers: Mapping[int, Worker], stopping: Stopping) -> None:
    supervisor = Supervisor(workers, restarts=True, pause_max_s=PAUSE_MAX_S)
    while True:
        for news in supervisor.look():
            match news:
                case Ended(number, again_in_s):
                    code = workers[number].exit_code
                    # Whoever stops one by its pid means well: it is stopped cleanly, and comes back.
                    level = logging.INFO if code == ExitCode.OK else logging.ERROR
                    _log.log(level, "broker ended unasked", broker=number, how=ended_how(code), again_in_s=again_in_s)
                case StartedAgain(number):
                    _log.info("broker started again", broker=number, pid=workers[number].pid)
                case NotStartedAgain(number, error, again_in_s):
                    _log.error("broker not started again", broker=number, reason=str(error), again_in_s=again_in_s)
                case _:
                    pass
        stopping.sleep(LOOK_EVERY_S)


def _stop(workers: Mapping[int, Worker]) -> None:
    """All at once: each hands what it leads to brokers of other machines, and none to one that stops a moment later."""
    notify(STOPPING)
    running = {number: worker for number, worker in workers.items() if worker.is_running}
    for worker in running.values():
        worker.ask_to_stop()
    for number, worker in running.items():
        worker.wait()
        if worker.exit_code:
            _log.warning("broker did not stop cleanly", broker=number, how=ended_how(worker.exit_code))
    _log.info("all brokers stopped")

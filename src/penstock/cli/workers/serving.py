"""What `penstock up` does where penstock.workers is above 1: start them, watch over them, stop them together."""

import gc
import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import structlog

from penstock.admin.systemd import MORE_TIME, READY, STOPPING, notify, status
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.local.stopping import StopAsked, Stopping
from penstock.cli.local.watching import ended_how
from penstock.cli.workers.plan import planned
from penstock.cli.workers.worker import Worker
from penstock.settings import Config, broker_id_of
from penstock.settings.broker import PENSTOCK_LOG_FORMAT
from penstock.testing.orphans import GuardedProcesses

LOOK_EVERY_S = 0.1
TELL_EVERY_S = 10.0

_log = structlog.get_logger(__name__)


def serve_workers(config: Config, file: Path | None, overrides: Mapping[str, str], *, banner: bool) -> ExitCode:
    gc.enable()  # a broker's start goes without; this process is none
    guards = GuardedProcesses()
    workers = [Worker(plan, file, overrides, guards) for plan in planned(config)]

    def kill_all() -> None:
        for worker in workers:
            worker.kill()

    is_json = config[PENSTOCK_LOG_FORMAT] == "json"
    try:
        with Stopping(kill_all, what=f"{len(workers)} brokers", is_json=is_json) as stopping:
            try:
                _start(workers, stopping)
                if banner and not is_json:
                    first = broker_id_of(config)
                    click.echo(f"Penstock runs brokers {first} to {first + len(workers) - 1} here", err=True)
                _watch(workers, stopping)
            except StopAsked:
                pass
            finally:
                _stop(workers)
    finally:
        guards.close()
    return ExitCode.OK


def _start(workers: Sequence[Worker], stopping: Stopping) -> None:
    """Returns when all take connections. One that ends before that has a reason which the next start would have too."""
    for worker in workers:
        worker.launch()
    told_at_s = time.monotonic()
    while waited_for := [worker.id for worker in workers if not worker.is_ready]:
        if time.monotonic() >= told_at_s + TELL_EVERY_S:  # they may wait for the metadata store, and say so
            told_at_s = time.monotonic()
            notify(status(f"waiting for brokers {waited_for}"), MORE_TIME)
        for worker in workers:
            if (code := worker.exit_code) is not None:
                raise Failure(
                    f"broker {worker.id} did not start: it {ended_how(code)}", hint="Its last words are above."
                )
        stopping.sleep(LOOK_EVERY_S)
    notify(READY, status("ready"))
    _log.info("all brokers are ready", brokers=[worker.id for worker in workers])


def _watch(workers: Sequence[Worker], stopping: Stopping) -> None:
    while True:
        for worker in workers:
            if worker.due_s is not None:
                if worker.due_s <= time.monotonic():
                    _launch_again(worker)
            elif (code := worker.exit_code) is not None:
                # Whoever stops one by its pid means well: it is stopped cleanly, and comes back.
                level = logging.INFO if code == ExitCode.OK else logging.ERROR
                how, pause_s = ended_how(code), worker.put_off()
                _log.log(level, "broker ended unasked", broker=worker.id, how=how, again_in_s=pause_s)
        stopping.sleep(LOOK_EVERY_S)


def _launch_again(worker: Worker) -> None:
    try:
        worker.launch()
    except OSError as error:  # the machine has no memory or no process to spare; the others need not end for that
        _log.error("broker not started again", broker=worker.id, reason=str(error), again_in_s=worker.put_off())
    else:
        _log.info("broker started again", broker=worker.id, pid=worker.pid)


def _stop(workers: Sequence[Worker]) -> None:
    """All at once: each hands what it leads to brokers of other machines, and none to one that stops a moment later."""
    notify(STOPPING)
    running = [worker for worker in workers if worker.exit_code is None]
    for worker in running:
        worker.ask_to_stop()
    for worker in running:
        if code := worker.wait():
            _log.warning("broker did not stop cleanly", broker=worker.id, how=ended_how(code))
    _log.info("all brokers stopped")

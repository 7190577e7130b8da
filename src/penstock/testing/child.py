"""The process that testing/process.py starts: a broker that ends when its standard input does."""

import asyncio
import json
import os
import shutil
import signal
import sys
import threading

ORPHAN_STOP_TIMEOUT_S = 10.0


def main() -> None:
    orders = json.loads(sys.argv[1])
    finished = threading.Event()
    threading.Thread(target=_watch_lifeline, args=(finished, orders["remove"]), daemon=True).start()
    try:
        asyncio.run(_run(orders["settings"]))
    finally:
        finished.set()


async def _run(settings: dict[str, str]) -> None:
    import penstock.broker.lean  # noqa: F401, PLC0415 - before anything that imports structlog
    from penstock.admin import program  # noqa: PLC0415 - the lifeline is watched before the long import begins
    from penstock.settings import Config  # noqa: PLC0415

    running = asyncio.ensure_future(program.run(Config.for_broker(settings)))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
    try:
        await running
    except asyncio.CancelledError:
        pass  # a clean stop


def _watch_lifeline(finished: threading.Event, remove: str | None) -> None:
    """Stop when whoever started us is gone, and take the folder along: nobody else will."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    finished.wait(ORPHAN_STOP_TIMEOUT_S)
    if remove is not None:
        shutil.rmtree(remove, ignore_errors=True)
    os._exit(0)


if __name__ == "__main__":
    main()

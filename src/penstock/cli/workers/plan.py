"""What each worker has for itself, counted up from the one file of settings that all of them share."""

from itertools import combinations
from pathlib import Path

import msgspec

from penstock.cli.exits import Failure
from penstock.settings import Config, broker_id_of, data_folders
from penstock.settings.broker import (
    ADVERTISED_LISTENERS,
    BROKER_ID,
    LISTENERS,
    LOG_DIRS,
    NODE_ID,
    PENSTOCK_ETCD_ENDPOINTS,
    PENSTOCK_HTTP_LISTENER,
    PENSTOCK_WEB_LISTENER,
    PENSTOCK_WORKERS,
)
from penstock.settings.listeners import http_listener, listeners, parse_listener

PORT_MAX = 65_535


class WorkerPlan(msgspec.Struct, frozen=True):
    id: int
    folder: Path
    """The first of its data folders."""
    settings: dict[str, str]
    """Which win over the file's."""


def planned(config: Config) -> list[WorkerPlan]:
    """Raises Failure, in words, where the settings do not do for several."""
    count = config[PENSTOCK_WORKERS]
    if not config[PENSTOCK_ETCD_ENDPOINTS]:
        raise Failure(
            f"{PENSTOCK_WORKERS.name}={count} takes {PENSTOCK_ETCD_ENDPOINTS.name}: several brokers are a cluster",
            hint=f"`penstock up --brokers {count}` runs one on this machine, with an etcd of its own.",
        )
    for folder in data_folders(config):
        if (folder / "meta.properties").exists():
            raise Failure(
                f"{folder} holds the data of a single broker, and {PENSTOCK_WORKERS.name} is {count}",
                hint=f"While it is stopped, move all that is in it into {folder / _name(broker_id_of(config))}: "
                "the first worker goes on with it.",
            )
    _require_ports_apart(config)
    return [_worker(config, place) for place in range(count)]


def _require_ports_apart(config: Config) -> None:
    """Else one broker's second listener has the port of the next one's first, and whoever is later does not start."""
    count = config[PENSTOCK_WORKERS]
    bound = list(listeners(config))
    if http := http_listener(config):
        bound.append(http)
    for one, next_one in combinations(sorted((each for each in bound if each.port), key=lambda each: each.port), 2):
        share_a_host = one.host == next_one.host or one.is_everywhere or next_one.is_everywhere
        if share_a_host and next_one.port - one.port < count:
            raise Failure(
                f"{one.name} at {one.port} and {next_one.name} at {next_one.port} are too close: "
                f"each counts up {count} ports, one a broker",
                hint=f"Leave {count} between them, or more for more of {PENSTOCK_WORKERS.name} later.",
            )


def _worker(config: Config, place: int) -> WorkerPlan:
    number = broker_id_of(config) + place
    folders = [folder / _name(number) for folder in data_folders(config)]
    settings = {
        PENSTOCK_WORKERS.name: "1",
        NODE_ID.name: str(number),
        LISTENERS.name: _counted_up(config[LISTENERS], place),
        LOG_DIRS.name: ",".join(str(folder) for folder in folders),
    }
    if BROKER_ID.name in config.static:
        settings[BROKER_ID.name] = str(number)
    if advertised := config[ADVERTISED_LISTENERS]:
        settings[ADVERTISED_LISTENERS.name] = _counted_up(advertised, place)
    settings[PENSTOCK_WEB_LISTENER.name] = ""  # one for all of them
    if http := config[PENSTOCK_HTTP_LISTENER]:
        host, _, port = http.rpartition(":")
        settings[PENSTOCK_HTTP_LISTENER.name] = f"{host}:{_port(int(port), place)}"
    return WorkerPlan(number, folders[0], settings)


def _name(number: int) -> str:
    return f"broker-{number}"


def _counted_up(texts: tuple[str, ...], place: int) -> str:
    parsed = (parse_listener(text) for text in texts)
    return ",".join(str(listener._replace(port=_port(listener.port, place))) for listener in parsed)


def _port(first: int, place: int) -> int:
    """Port 0 is any free one, for every worker."""
    if first and first + place > PORT_MAX:
        raise Failure(f"there is no port {first + place}: {PENSTOCK_WORKERS.name} counts ports up from {first}")
    return first + place if first else 0

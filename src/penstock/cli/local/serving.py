"""What `penstock up --brokers N` does once its options are read: start all, say where they are, watch, stop all."""

from collections.abc import Mapping
from pathlib import Path

import click
import structlog

from penstock.cli.exits import ExitCode, Failure
from penstock.cli.local.banner import banner_text
from penstock.cli.local.cluster import SECURED_FOLDER, LocalCluster
from penstock.cli.local.plan import UpOptions, planned, settings_for_all
from penstock.cli.local.state import locked
from penstock.cli.local.watching import Watching
from penstock.cli.logging import configure_logging
from penstock.cli.serving import command_name, load
from penstock.cli.stopping import StopAsked, Stopping
from penstock.cli.web_child import WebChild
from penstock.processes.broker import BrokerFailed
from penstock.processes.etcd import EtcdFailed, EtcdMissing
from penstock.processes.secured import ADMIN
from penstock.settings.broker import PENSTOCK_LOG_FORMAT, PENSTOCK_LOG_LEVEL

LOOK_EVERY_S = 0.1

_log = structlog.get_logger(__name__)


def serve_cluster(wishes: UpOptions, file: Path | None, overrides: Mapping[str, str], *, banner: bool) -> ExitCode:
    configure_logging(form="text", level="warning")  # until the settings say how, for warnings about the settings
    config = load(file, overrides)
    configure_logging(form=config[PENSTOCK_LOG_FORMAT], level=config[PENSTOCK_LOG_LEVEL])
    settings = settings_for_all(config.static)
    with locked(wishes.folder):
        try:
            cluster = LocalCluster(wishes.folder, planned(wishes), settings)
        except EtcdMissing as missing:
            raise Failure(f"cannot start a cluster: {missing}") from missing
        try:
            web = WebChild(config)
            with Stopping(cluster.kill_all, what="the brokers, then etcd") as stopping, cluster.told():
                _run(cluster, stopping, web, restarts=wishes.restart, banner=banner)
        finally:
            cluster.close()
    return ExitCode.OK


def _run(cluster: LocalCluster, stopping: Stopping, web: WebChild, *, restarts: bool, banner: bool) -> None:
    try:
        cluster.start_all(launched=cluster.tell, waiting=stopping.waiting)
        cluster.tell()
        brokers, secured = cluster.state.brokers, cluster.secured is not None
        profile = cluster.folder / SECURED_FOLDER / ADMIN if secured else None
        web.start([each.address for each in brokers], profile=profile, needs_login=secured, pages=brokers[0].http)
        if banner:
            click.echo(banner_text(cluster, command_name(), web.said), err=True)
        watching = Watching(cluster, restarts=restarts)
        while True:
            watching.look()
            stopping.sleep(LOOK_EVERY_S)
    except StopAsked:
        pass
    except (BrokerFailed, EtcdFailed) as failed:
        raise Failure(
            f"the cluster did not start: {failed}", hint=f"Logs and data are in {cluster.folder}."
        ) from failed
    finally:
        web.ask_to_stop()
        _stop(cluster)
        web.stop()


def _stop(cluster: LocalCluster) -> None:
    """As `stop_all`, but one that does not stop in time is told of, and does not keep the others from stopping."""
    for number, broker in cluster.brokers.items():
        try:
            broker.stop()
        except BrokerFailed:
            _log.warning("broker killed, as it did not stop in time", broker=number, log=str(broker.log_path))
    cluster.etcd.stop()
    _log.info("cluster stopped", folder=str(cluster.folder))

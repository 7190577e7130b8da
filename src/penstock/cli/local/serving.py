"""What `penstock up --brokers N` does once its options are read: start all, say where they are, watch, stop all."""

from collections.abc import Mapping
from pathlib import Path

import click
import structlog

from penstock.cli.exits import ExitCode, Failure
from penstock.cli.local.banner import banner_text
from penstock.cli.local.cluster import LocalCluster
from penstock.cli.local.plan import Wishes, planned, settings_for_all
from penstock.cli.local.state import locked
from penstock.cli.local.stopping import StopAsked, Stopping
from penstock.cli.local.watching import Watching
from penstock.cli.logging import configure_logging
from penstock.cli.serving import command_name, load
from penstock.settings.broker import PENSTOCK_LOG_FORMAT, PENSTOCK_LOG_LEVEL
from penstock.testing.etcd import EtcdFailed, EtcdMissing
from penstock.testing.running import BrokerFailed

LOOK_EVERY_S = 0.1

_log = structlog.get_logger(__name__)


def serve_cluster(wishes: Wishes, file: Path | None, overrides: Mapping[str, str], *, banner: bool) -> ExitCode:
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
            with Stopping(cluster.kill_all, what="the brokers, then etcd") as stopping, cluster.told():
                _run(cluster, stopping, restarts=wishes.restart, banner=banner)
        finally:
            cluster.close()
    return ExitCode.OK


def _run(cluster: LocalCluster, stopping: Stopping, *, restarts: bool, banner: bool) -> None:
    try:
        _start(cluster, stopping)
        if banner:
            click.echo(banner_text(cluster, command_name()), err=True)
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
        _stop(cluster)


def _start(cluster: LocalCluster, stopping: Stopping) -> None:
    for member in cluster.etcd.members:
        cluster.etcd.launch(member)
    with stopping.waiting():
        cluster.etcd.wait_until_healthy(cluster.etcd.members)
    for broker in cluster.brokers.values():
        broker.launch()
    cluster.tell()
    with stopping.waiting():
        for broker in cluster.brokers.values():
            broker.wait_until_started()
        cluster.wait_until_complete()
    cluster.tell()


def _stop(cluster: LocalCluster) -> None:
    """Brokers one after the other, so that each finds somebody to hand over to while there is one; etcd last."""
    for number, broker in cluster.brokers.items():
        try:
            broker.stop()
        except BrokerFailed:
            _log.warning("broker killed, as it did not stop in time", broker=number, log=str(broker.log_path))
    cluster.etcd.stop()
    _log.info("cluster stopped", folder=str(cluster.folder))

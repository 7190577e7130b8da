"""What a person reads when a local cluster is up: where it is, and what to try."""

import shlex

from penstock.cli.local.cluster import SECURED_FOLDER, LocalCluster
from penstock.cli.local.state import data_option_for
from penstock.model.words import counted
from penstock.processes.secured import ADMIN

DEFAULT_FIRST = "127.0.0.1:9092"


def banner_text(cluster: LocalCluster, command: str = "penstock", web: str = "off") -> str:
    addresses = [broker.address for broker in cluster.state.brokers]
    # What is printed shall work when it is typed: defaults need no option.
    bootstrap = "" if addresses[0] == DEFAULT_FIRST else f" -b {addresses[0]}"
    if cluster.secured is not None:
        bootstrap = f" --profile {shlex.quote(str(cluster.folder / SECURED_FOLDER / ADMIN))}"
    data = data_option_for(cluster.folder)
    copies = min(len(addresses), 3)
    partition = f"  {command} local partition 2{data}" if cluster.state.networks is not None else None
    lines = [
        f"Penstock runs {counted(len(addresses), 'broker')} and {counted(len(cluster.state.etcd), 'etcd', '')} "
        f"{cluster.etcd.version}",
        f"  bootstrap  {','.join(addresses)}",
        f"  metrics    {', '.join(f'http://{b.http}/metrics' for b in cluster.state.brokers if b.http) or 'off'}",
        f"  web        {web}",
        f"  logs       {cluster.folder}/broker-N/broker.log, {cluster.folder}/etcd/etcdN/etcd.log",
        f"  security   {cluster.folder / SECURED_FOLDER}" if cluster.secured is not None else None,
        f"  settings   {cluster.folder}/broker-N/broker.properties",
        "Try, in another terminal:",
        f"  {command} topic create orders --partitions 3 --replication-factor {copies}{bootstrap}",
        f"  {command} cluster describe{bootstrap}",
        f"  {command} local status{data}",
        f"  {command} local kill {min(2, len(addresses))}{data}",
        f"  {command} local restart {min(2, len(addresses))}{data}",
        partition,
    ]
    return "\n".join(line for line in lines if line is not None)

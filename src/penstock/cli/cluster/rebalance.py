"""`penstock cluster rebalance`: as much on each broker as on any other, with the least copying."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.cluster.flow import PlanOptions, carry_out, plan_options
from penstock.cli.cluster.planning import rebalanced
from penstock.cli.cluster.reading import facts
from penstock.cli.exits import ExitCode
from penstock.cli.output import note


@click.command()
@plan_options
@client_options
def rebalance(wishes: PlanOptions, cluster: Cluster) -> ExitCode:
    """Even out replicas and leaders by count, and replicas by bytes, moving as few of them as that takes.

    After adding a broker this is what gives it work. No partition ends up on fewer machines or racks than before.

    \b
    penstock cluster rebalance                        show the plan
    penstock cluster rebalance --yes --throttle 50M   do it; when interrupted, the same again goes on
    """
    now = facts(cluster)
    if away := sorted({broker for each in now.partitions for broker in each.replicas} - now.brokers.keys()):
        note(f"brokers that are not there keep what they have: {', '.join(map(str, away))} (drain moves it)")
    moving = [each.key for each in now.partitions if each.is_moving]
    again = "penstock cluster rebalance --yes"
    return carry_out(cluster, rebalanced(now), wishes, under_way=moving, again=again)

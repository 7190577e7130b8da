"""`penstock cluster drain`: a broker that is to go, or is gone for good, keeps nothing any more."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.cluster.flow import PlanOptions, carry_out, plan_options
from penstock.cli.cluster.planning import NoPlace, drained
from penstock.cli.cluster.reading import facts
from penstock.cli.exits import ExitCode, Failure, NotFound
from penstock.cli.output import note


@click.command(no_args_is_help=True)
@click.argument("broker", type=click.IntRange(min=0))
@plan_options
@client_options
def drain(broker: int, wishes: PlanOptions, cluster: Cluster) -> ExitCode:
    """Move every replica off BROKER, to where partitions stay spread over machines and racks and brokers even.

    Nothing else moves. A broker that is down can be drained too: others have its records. Afterwards it can be stopped
    for good; `penstock cluster forget` frees its id for a new machine.

    \b
    penstock cluster drain 3                        show the plan
    penstock cluster drain 3 --yes --throttle 50M   do it; when interrupted, the same again goes on
    """
    now = facts(cluster)
    if broker not in now.brokers and not any(broker in each.replicas for each in now.partitions):
        raise NotFound(f"there is no broker {broker}; there are {', '.join(map(str, sorted(now.brokers)))}")
    try:
        moves = drained(now, {broker})
    except NoPlace as no_place:
        raise Failure(f"broker {broker} cannot be drained: {no_place}") from no_place
    moving = [each.key for each in now.partitions if broker in each.removing]
    again = f"penstock cluster drain {broker} --yes"
    outcome = carry_out(cluster, moves, wishes, under_way=moving, again=again)
    if wishes.yes and outcome is ExitCode.OK:
        note(f"broker {broker} keeps nothing any more: it can be stopped. Topics made later may use it while it runs.")
    return outcome

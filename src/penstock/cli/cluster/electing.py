"""ElectLeaders: the replica named first leads again."""

from collections.abc import Sequence

from penstock.cli.client import Cluster, refusal_text
from penstock.cli.cluster.planning.facts import Key
from penstock.client import place
from penstock.errors import ElectionNotNeeded


def elect_preferred(cluster: Cluster, keys: Sequence[Key]) -> dict[Key, str]:
    """What could not be done, and why."""
    with cluster.doing("elect leaders") as client:
        refused = client.elect_leaders([place(*key) for key in sorted(keys)]).refused
    return {key: refusal_text(each) for key, each in refused.items() if not isinstance(each, ElectionNotNeeded)}

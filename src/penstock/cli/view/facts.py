"""Which views a cluster has, as their settings say."""

from typing import NamedTuple

from penstock.cli.client import Cluster
from penstock.cli.topic.facts import topic_settings
from penstock.settings.topic import PENSTOCK_VIEW_FILTER, PENSTOCK_VIEW_OF


class ViewFact(NamedTuple):
    view: str
    of: str
    filter: str


def views(cluster: Cluster) -> list[ViewFact]:
    with cluster.doing("list topics") as client:
        names = sorted(client.list_topics())
    found = []
    for name, settings in topic_settings(cluster, names).items():
        values = {each.name: each.value or "" for each in settings}
        if source := values.get(PENSTOCK_VIEW_OF.name):
            found.append(ViewFact(name, source, values.get(PENSTOCK_VIEW_FILTER.name, "")))
    return found

"""ElectLeaders: the replica named first leads again."""

from collections.abc import Sequence
from itertools import groupby

from penstock.cli.asking import Brokers, require_ok
from penstock.cli.cluster.planning.facts import Key
from penstock.errors import ElectionNotNeeded, error_name
from penstock.wire.messages.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from penstock.wire.messages.elect_leaders_response import ElectLeadersResponse

PREFERRED = 0


def elect_preferred(brokers: Brokers, keys: Sequence[Key]) -> dict[Key, str]:
    """What could not be done, and why."""
    topics = [
        TopicPartitions(topic, [index for _, index in of_topic])
        for topic, of_topic in groupby(sorted(keys), key=lambda key: key[0])
    ]
    answer = brokers.ask(ElectLeadersRequest(PREFERRED, topics), ElectLeadersResponse, version_min=1)
    require_ok(answer.error_code, None, doing="elect leaders")
    return {
        (topic.topic, each.partition_id): f"{each.error_message or ''} ({error_name(each.error_code)})".strip()
        for topic in answer.replica_election_results
        for each in topic.partition_result
        if each.error_code not in (0, ElectionNotNeeded.code)
    }

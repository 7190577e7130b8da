"""Groups of the consumer protocol (KIP-848) as librdkafka uses them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import pytest
from confluent_kafka import Consumer
from tests.support.group_clients import (
    CONSUMER_PROTOCOL,
    fresh_name,
    group_consumer,
    read_together,
    topic_with_records,
    wait_for_shares,
)

WITHIN_S = 30.0


def new_consumer(bootstrap: str, group: str, *topics: str, **more: Any) -> AbstractContextManager[Consumer]:
    return group_consumer(bootstrap, group, *topics, **CONSUMER_PROTOCOL, **more)


@pytest.mark.parametrize("assignor", ["uniform", "range"])
def test_two_consumers_share_a_topic_and_the_one_that_stays_takes_over(bootstrap: str, assignor: str) -> None:
    topic, group = topic_with_records(bootstrap, "shared", 400), fresh_name("group")
    with new_consumer(bootstrap, group, topic, group_remote_assignor=assignor) as first:
        with new_consumer(bootstrap, group, topic, group_remote_assignor=assignor) as second:
            shares = wait_for_shares([first, second], 2, 2)
            assert shares[0] | shares[1] == {0, 1, 2, 3}
        assert wait_for_shares([first], 4) == [{0, 1, 2, 3}]
        (numbers,) = read_together([first], 200)
        assert set(numbers) <= set(range(400))

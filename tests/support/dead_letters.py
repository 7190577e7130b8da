"""What tests of dead letters have in common."""

from __future__ import annotations

from typing import cast

from confluent_kafka import Message
from tests.support.clients import read_to_end
from tests.support.faults import eventually
from tests.support.shares import earliest

from penstock.client import Change, Client, NewTopic, Resource, ResourceType

Headers = list[tuple[str, bytes | None]]


def group_of(client: Client, group: str, **values: str) -> None:
    """Settings of a group, as these are named: double underscores for dots."""
    changes = [(name.replace("__", "."), Change.SET, value) for name, value in values.items()]
    client.alter_configs({Resource(ResourceType.GROUP, group): changes}).all()


def make_topic(client: Client, name: str, partitions: int = 1, replicas: int = -1, **settings: str) -> None:
    told = {key.replace("__", "."): value for key, value in settings.items()}
    client.create_topics([NewTopic(name, partitions, replicas, settings=told)]).all()
    eventually(lambda: name in client.list_topics(), f"{name} is known")


def make_dead_letter_topic(client: Client, name: str, partitions: int = 1, replicas: int = -1, **settings: str) -> None:
    make_topic(client, name, partitions, replicas, errors__deadletterqueue__group__enable="true", **settings)


def make_queue(client: Client, name: str, partitions: int = 1, replicas: int = -1, **settings: str) -> None:
    """A topic, a group of its name that begins with its first record, and `dlq.` of that name for what it gives up."""
    make_topic(client, name, partitions, replicas)
    earliest(client, name)
    group_of(client, name, errors__deadletterqueue__topic__name=f"dlq.{name}", **settings)


def dead_letters(bootstrap: str, topic: str, partitions: int = 1) -> list[Message]:
    return [each for index in range(partitions) for each in read_to_end(bootstrap, topic, index)]


def headers_of(message: Message) -> dict[str, str]:
    return {name: (value or b"").decode() for name, value in cast("Headers", message.headers() or [])}


def origins(letters: list[Message]) -> list[tuple[str, int, int]]:
    """Topic, partition and offset that each says it is from."""
    found = [headers_of(each) for each in letters]
    return sorted(
        (each["__dlq.errors.topic"], int(each["__dlq.errors.partition"]), int(each["__dlq.errors.offset"]))
        for each in found
    )

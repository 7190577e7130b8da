"""A topic with something of everything, and a view of it, for clients to read."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from confluent_kafka import Message, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import WITHIN_S, fresh_name, make_topic, until_decided

EU = "header.region = 'eu' and size < 400"
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


def make_view(bootstrap: str, source: str, text: str = EU) -> str:
    name = fresh_name(f"view-of-{source}")
    settings = {"penstock.view.of": source, "penstock.view.filter": text}
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(name, config=settings)])[name].result(WITHIN_S)
    return name


def fill(bootstrap: str, topic: str, seed: int, codecs: Sequence[str] = CODECS) -> None:
    """Records of three regions, and without one, in transactions that are committed and aborted, with every codec."""
    chance = random.Random(seed)
    for codec in codecs:
        settings = {"bootstrap.servers": bootstrap, "compression.type": codec, "linger.ms": 20}
        producer = Producer({**settings, "transactional.id": f"{topic}-{codec}"})
        producer.init_transactions(WITHIN_S)
        for number in range(6):
            producer.begin_transaction()
            for _ in range(chance.randint(1, 40)):
                region = chance.choice(["eu", "us", "asia", None])
                producer.produce(
                    topic,
                    b"%d" % number + b"x" * chance.choice([10, 500]),
                    key=chance.choice(["a", "b", "c"]),
                    headers=[] if region is None else [("region", region)],
                    partition=0,
                )
            if chance.random() < 0.5:
                producer.commit_transaction(WITHIN_S)
            else:
                assert producer.flush(WITHIN_S) == 0
                producer.abort_transaction(WITHIN_S)
    until_decided(bootstrap, topic, 0)


def viewed_topic(bootstrap: str, *, seed: int = 1, codecs: Sequence[str] = CODECS, **configs: Any) -> tuple[str, str]:
    """The topic and its view."""
    topic = make_topic(bootstrap, "viewed", **configs)
    view = make_view(bootstrap, topic)
    fill(bootstrap, topic, seed, codecs)
    return topic, view


def is_shown(message: Message) -> bool:
    """By EU."""
    headers: Any = message.headers() or ()
    size = len(message.key() or b"") + len(message.value() or b"")
    return dict(headers).get("region") == b"eu" and size < 400

"""DescribeConfigs, AlterConfigs, IncrementalAlterConfigs, ListConfigResources."""

from __future__ import annotations

from typing import Any

from tests.conformance.table import Ask, Body, Given, Situation, Step, Topic, Until, situation

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = 0, 1, 2, 3
CHANGED = {"retention.ms": "60000", "cleanup.policy": "compact", "max.message.bytes": "5000"}


def resource(name: str = "$orders", kind: int = TOPIC, **more: Any) -> Body:
    return {"resource_type": kind, "resource_name": name, **more}


def describe(*resources: Body, **more: Any) -> Body:
    return {"resources": [{"configuration_keys": None, **each} for each in resources], **more}


def describing(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("DescribeConfigs", name, Topic("orders", 1, CHANGED), *steps, versions=versions)


def some(*keys: str, name: str = "$orders", kind: int = TOPIC) -> Body:
    return resource(name, kind, configuration_keys=list(keys))


DESCRIBE_CONFIGS = [
    describing("all settings of a topic", describe(resource())),
    describing("synonyms", describe(resource(), include_synonyms=True)),
    describing("documentation", describe(resource(), include_documentation=True), versions=(3, 4)),
    describing("some settings", describe(some("retention.ms", "segment.bytes"))),
    describing(
        "some settings with synonyms",
        describe(some("retention.ms", "segment.bytes", "segment.ms"), include_synonyms=True),
    ),
    describing("a setting that does not exist", describe(some("no.such.setting"))),
    describing("an empty list of settings", describe(some())),
    describing("unknown topic", describe(resource("$missing"))),
    describing("a topic name that is not valid", describe(resource("a b"))),
    describing("an empty topic name", describe(resource(""))),
    describing("a topic twice", describe(resource(), resource())),
    describing("a broker", describe(resource("1", BROKER))),
    describing("a broker with synonyms", describe(resource("1", BROKER), include_synonyms=True), versions=(4, 4)),
    describing("all brokers", describe(resource("", BROKER))),
    describing("another broker", describe(resource("2", BROKER))),
    describing("a broker that is no number", describe(resource("one", BROKER))),
    describing("the loggers of another broker", describe(resource("2", BROKER_LOGGER))),
    describing("the loggers of no broker", describe(resource("", BROKER_LOGGER))),
    describing("a group", describe(resource("$group", GROUP))),
    describing("an empty group", describe(resource("", GROUP))),
    describing("client metrics", describe(resource("$metrics", CLIENT_METRICS))),
    describing("empty client metrics", describe(resource("", CLIENT_METRICS))),
    describing("a type that does not exist", describe(resource("x", 77))),
    describing("type zero", describe(resource("x", 0))),
    describing("nothing", describe()),
    describing("a good and an unknown topic", describe(some("retention.ms"), resource("$missing"))),
]


def changed(name: str = "$orders") -> Ask:
    """The settings that are not defaults, seen afterwards."""
    body = describe(some("retention.ms", "cleanup.policy", "max.message.bytes", "segment.bytes", name=name))
    return Ask(body, api="DescribeConfigs", version=2)


def alter(*resources: Body, validate_only: bool = False) -> Body:
    return {"resources": list(resources), "validate_only": validate_only}


def to(name: str = "$orders", kind: int = TOPIC, **settings: str | None) -> Body:
    configs = [{"name": key.replace("_", "."), "value": value} for key, value in settings.items()]
    return resource(name, kind, configs=configs)


def altering(name: str, *steps: Step | Body) -> Situation:
    return situation("AlterConfigs", name, Topic("orders", 1, CHANGED), *steps)


ALTER_CONFIGS = [
    altering("a setting replaces all others", alter(to(segment_bytes="2000000")), changed()),
    altering("no settings", alter(to()), changed()),
    altering("validate only", alter(to(segment_bytes="2000000"), validate_only=True), changed()),
    altering("a setting that does not exist", alter(to(no_such_setting="1")), changed()),
    altering("a setting that is no number", alter(to(retention_ms="soon")), changed()),
    altering("a setting out of range", alter(to(retention_ms="-2")), changed()),
    altering("a setting without a value", alter(to(retention_ms=None)), changed()),
    altering("unknown topic", alter(to("$missing", retention_ms="1000"))),
    altering("a topic name that is not valid", alter(to("a b", retention_ms="1000"))),
    altering("an empty topic name", alter(to("", retention_ms="1000"))),
    situation(
        "AlterConfigs",
        "a topic twice",
        Topic("orders", 1, CHANGED),
        alter(to(retention_ms="1000"), to(retention_ms="2000")),
        changed(),
        versions=(1, 1),
        patience_s=8.0,
    ),
    altering(
        "a good and an unknown topic", alter(to(retention_ms="1000"), to("$missing", retention_ms="1")), changed()
    ),
    altering(
        "a setting twice",
        alter(resource(configs=[{"name": "retention.ms", "value": "1"}, {"name": "retention.ms", "value": "2"}])),
        changed(),
    ),
    altering("a broker's fixed setting", alter(to("1", BROKER, node_id="5"))),
    altering("another broker", alter(to("7", BROKER, log_retention_ms="1000"), validate_only=True)),
    altering("a broker that is no number", alter(to("one", BROKER, log_retention_ms="1000"))),
    altering("broker loggers", alter(to("1", BROKER_LOGGER, root="INFO"))),
    altering("a type that does not exist", alter(to("x", 77, a="1"))),
    altering("type zero", alter(to("x", 0, a="1"))),
    altering("nothing", alter()),
]


def step(name: str, operation: int, value: str | None = None) -> Body:
    return {"name": name, "config_operation": operation, "value": value}


def changes(*steps: Body, name: str = "$orders", kind: int = TOPIC) -> Body:
    return resource(name, kind, configs=list(steps))


def stepping(name: str, *steps: Step | Body, alone: bool = False) -> Situation:
    return situation("IncrementalAlterConfigs", name, Topic("orders", 1, CHANGED), *steps, alone=alone)


def _lists_one(answer: Body) -> bool:
    return len(answer["results"][0]["configs"]) == 1


INCREMENTAL = [
    stepping("set", alter(changes(step("segment.bytes", SET, "2000000"))), changed()),
    stepping("set what is set", alter(changes(step("retention.ms", SET, "99"))), changed()),
    stepping("delete", alter(changes(step("retention.ms", DELETE))), changed()),
    stepping("delete with a value", alter(changes(step("retention.ms", DELETE, "60000"))), changed()),
    stepping("delete what is not set", alter(changes(step("segment.bytes", DELETE))), changed()),
    stepping("append", alter(changes(step("cleanup.policy", APPEND, "delete"))), changed()),
    stepping("append what is there", alter(changes(step("cleanup.policy", APPEND, "compact"))), changed()),
    stepping(
        "subtract",
        alter(changes(step("cleanup.policy", APPEND, "delete"))),
        alter(changes(step("cleanup.policy", SUBTRACT, "compact"))),
        changed(),
    ),
    stepping("subtract what is not there", alter(changes(step("cleanup.policy", SUBTRACT, "delete"))), changed()),
    stepping("subtract the last", alter(changes(step("cleanup.policy", SUBTRACT, "compact"))), changed()),
    stepping("append to no list", alter(changes(step("retention.ms", APPEND, "1"))), changed()),
    stepping("append nothing", alter(changes(step("cleanup.policy", APPEND, None))), changed()),
    stepping(
        "two settings", alter(changes(step("retention.ms", DELETE), step("segment.bytes", SET, "3000000"))), changed()
    ),
    stepping("validate only", alter(changes(step("segment.bytes", SET, "2000000")), validate_only=True), changed()),
    stepping(
        "validate only of what is wrong", alter(changes(step("segment.bytes", SET, "x")), validate_only=True), changed()
    ),
    stepping("an operation that does not exist", alter(changes(step("retention.ms", 9, "1"))), changed()),
    stepping("a setting that does not exist", alter(changes(step("no.such.setting", SET, "1"))), changed()),
    stepping("delete a setting that does not exist", alter(changes(step("no.such.setting", DELETE))), changed()),
    stepping("a setting that is no number", alter(changes(step("retention.ms", SET, "soon"))), changed()),
    stepping("a setting out of range", alter(changes(step("retention.ms", SET, "-2"))), changed()),
    stepping("a segment too small", alter(changes(step("segment.bytes", SET, "100"))), changed()),
    stepping(
        "batches larger than any request",
        alter(changes(step("max.message.bytes", SET, "2147483647")), validate_only=True),
    ),
    stepping("set to nothing", alter(changes(step("retention.ms", SET, None))), changed()),
    stepping(
        "a setting twice", alter(changes(step("retention.ms", SET, "1"), step("retention.ms", DELETE))), changed()
    ),
    stepping("unknown topic", alter(changes(step("retention.ms", SET, "1"), name="$missing"))),
    stepping("a topic name that is not valid", alter(changes(step("retention.ms", SET, "1"), name="a b"))),
    stepping(
        "a topic twice",
        alter(changes(step("retention.ms", SET, "1")), changes(step("retention.ms", SET, "2"))),
        changed(),
    ),
    stepping(
        "a good and an unknown topic",
        alter(changes(step("retention.ms", SET, "1")), changes(step("retention.ms", SET, "1"), name="$missing")),
        changed(),
    ),
    stepping("a broker's fixed setting", alter(changes(step("node.id", SET, "5"), name="1", kind=BROKER))),
    stepping(
        "a broker's setting checked only",
        alter(changes(step("log.retention.ms", SET, "999999999"), name="1", kind=BROKER), validate_only=True),
    ),
    stepping(
        "a broker's setting that is no number",
        alter(changes(step("log.retention.ms", SET, "soon"), name="1", kind=BROKER)),
    ),
    stepping(
        "a broker's setting that does not exist",
        alter(changes(step("no.such.setting", SET, "x"), name="1", kind=BROKER), validate_only=True),
        alter(changes(step("no.such.setting", SET, " x"), name="1", kind=BROKER)),
        Until("DescribeConfigs", 4, describe(some("no.such.setting", name="1", kind=BROKER)), _lists_one),
        Ask(
            describe(some("no.such.setting", name="1", kind=BROKER), include_synonyms=True),
            api="DescribeConfigs",
            version=4,
        ),
        alter(changes(step("no.such.setting", APPEND, "y"), name="1", kind=BROKER)),
        alter(changes(step("no.such.setting", DELETE), name="1", kind=BROKER)),
        alone=True,
    ),
    stepping(
        "min.insync.replicas of one broker",
        alter(changes(step("min.insync.replicas", SET, "2"), name="1", kind=BROKER), validate_only=True),
    ),
    stepping(
        "min.insync.replicas of all brokers",
        alter(changes(step("min.insync.replicas", SET, "1"), name="", kind=BROKER), validate_only=True),
        alter(changes(step("min.insync.replicas", DELETE), name="", kind=BROKER), validate_only=True),
    ),
    stepping(
        "a broker's setting without effect",
        alter(
            changes(step("sasl.kerberos.min.time.before.relogin", SET, "58000"), name="1", kind=BROKER),
            validate_only=True,
        ),
        alter(changes(step("num.io.threads", SET, "some"), name="1", kind=BROKER), validate_only=True),
    ),
    stepping(
        "another broker",
        alter(changes(step("log.retention.ms", SET, "1000"), name="7", kind=BROKER), validate_only=True),
    ),
    stepping(
        "a broker that is no number", alter(changes(step("log.retention.ms", SET, "1000"), name="one", kind=BROKER))
    ),
    stepping("a type that does not exist", alter(changes(step("a", SET, "1"), name="x", kind=77))),
    stepping("type zero", alter(changes(step("a", SET, "1"), name="x", kind=0))),
    stepping(
        "a group's setting out of range",
        alter(changes(step("consumer.session.timeout.ms", SET, "1"), name="$group", kind=GROUP)),
    ),
    stepping(
        "a group's setting that does not exist",
        alter(changes(step("no.such.setting", SET, "1"), name="$group", kind=GROUP)),
    ),
    stepping(
        "a setting of an empty group",
        alter(changes(step("consumer.session.timeout.ms", SET, "50000"), name="", kind=GROUP)),
    ),
    stepping(
        "client metrics that do not exist",
        alter(changes(step("no.such.setting", SET, "1"), name="$metrics", kind=CLIENT_METRICS)),
    ),
    stepping(
        "client metrics without a name", alter(changes(step("interval.ms", SET, "1000"), name="", kind=CLIENT_METRICS))
    ),
    *(
        stepping(
            f"a client metrics interval of {text}",
            alter(changes(step("interval.ms", SET, text), name="$metrics", kind=CLIENT_METRICS)),
        )
        for text in ("bbb", "1", "99999999999")
    ),
    stepping("nothing", alter()),
]


def listing(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation(
        "ListConfigResources", name, Topic("orders", 1, CHANGED), Topic("plain"), *steps, versions=versions
    )


def of(*kinds: int) -> Body:
    return {"resource_types": list(kinds)}


_METRICS = {
    "resource_type": CLIENT_METRICS,
    "resource_name": "$metrics",
    "configs": [step("interval.ms", SET, "60000")],
}
_GROUP = {
    "resource_type": GROUP,
    "resource_name": "$group",
    "configs": [step("consumer.session.timeout.ms", SET, "50000")],
}

LIST_CONFIG_RESOURCES = [
    listing("everything", of()),
    listing("topics", of(TOPIC), versions=(1, 1)),
    listing("brokers", of(BROKER), versions=(1, 1)),
    listing("broker loggers", of(BROKER_LOGGER), versions=(1, 1)),
    listing("client metrics", of(CLIENT_METRICS), versions=(1, 1)),
    listing("groups", of(GROUP), versions=(1, 1)),
    listing("topics and brokers", of(TOPIC, BROKER), versions=(1, 1)),
    listing("one type twice", of(TOPIC, TOPIC), versions=(1, 1)),
    listing("a type that does not exist", of(77), versions=(1, 1)),
    listing("type zero", of(0), versions=(1, 1)),
    listing("client metrics that were set", Given("IncrementalAlterConfigs", 1, alter(_METRICS)), of(CLIENT_METRICS)),
    listing("a group that was set", Given("IncrementalAlterConfigs", 1, alter(_GROUP)), of(GROUP), versions=(1, 1)),
]

SITUATIONS = [*DESCRIBE_CONFIGS, *ALTER_CONFIGS, *INCREMENTAL, *LIST_CONFIG_RESOURCES]

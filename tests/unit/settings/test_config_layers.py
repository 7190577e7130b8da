"""Whose value counts, how changes reach holders, and how a value is explained."""

import gc

import pytest

from penstock.errors import InvalidConfig, InvalidRequest
from penstock.settings import (
    Config,
    Source,
    SynonymText,
    check_broker,
    check_client_metrics,
    check_group,
    check_topic,
)
from penstock.settings import broker as b
from penstock.settings import topic as t
from penstock.settings.batch_size import batch_bytes_max
from penstock.settings.group import CONSUMER_SESSION_TIMEOUT_MS, SHARE_AUTO_OFFSET_RESET


def test_without_anything_set_the_default_counts() -> None:
    broker = Config.for_broker()
    assert broker[b.NUM_PARTITIONS] == 1
    assert broker.for_topic()[t.RETENTION_MS] == 7 * 24 * 3_600_000


def test_a_topic_takes_what_it_does_not_set_from_the_broker() -> None:
    broker = Config.for_broker({"log.segment.bytes": "2000000", "min.insync.replicas": "2"})
    topic = broker.for_topic({"min.insync.replicas": "1"})
    assert topic[t.SEGMENT_BYTES] == 2_000_000
    assert topic[t.MIN_INSYNC_REPLICAS] == 1


@pytest.mark.parametrize(
    ("static", "retention_ms"),
    [
        ({"log.retention.hours": "2"}, 7_200_000),
        ({"log.retention.hours": "2", "log.retention.minutes": "3"}, 180_000),
        ({"log.retention.hours": "2", "log.retention.minutes": "3", "log.retention.ms": "4"}, 4),
        ({"log.retention.ms": "-1", "log.retention.hours": "2"}, -1),
        ({"log.retention.hours": "-1"}, -1),
        ({"log.retention.minutes": "-1"}, -1),
    ],
)
def test_the_finer_unit_of_retention_wins(static: dict[str, str], retention_ms: int) -> None:
    assert Config.for_broker(static).for_topic()[t.RETENTION_MS] == retention_ms


def test_roll_and_flush_follow_the_same_rule() -> None:
    topic = Config.for_broker({"log.roll.hours": "1", "log.flush.scheduler.interval.ms": "250"}).for_topic()
    assert topic[t.SEGMENT_MS] == 3_600_000
    assert topic[t.FLUSH_MS] == 250


def test_dynamic_settings_beat_static_ones_and_a_brokers_own_beat_the_clusters() -> None:
    broker = Config.for_broker({"log.retention.ms": "1"})
    broker.replace_dynamic(cluster={"log.retention.ms": "2"}, broker={})
    assert broker[b.LOG_RETENTION_MS] == 2
    broker.replace_dynamic(cluster={"log.retention.ms": "2"}, broker={"log.retention.ms": "3"})
    assert broker[b.LOG_RETENTION_MS] == 3
    broker.replace_dynamic(cluster={}, broker={})
    assert broker[b.LOG_RETENTION_MS] == 1


def test_holders_of_a_topics_settings_see_changes_at_every_level() -> None:
    broker = Config.for_broker()
    topic = broker.for_topic({"retention.ms": "5"})
    assert (topic[t.RETENTION_MS], topic[t.MAX_MESSAGE_BYTES]) == (5, 1_048_588)
    topic.replace_overrides({})
    broker.replace_dynamic(cluster={"message.max.bytes": "777"}, broker={})
    assert (topic[t.RETENTION_MS], topic[t.MAX_MESSAGE_BYTES]) == (604_800_000, 777)


def test_whoever_works_something_out_from_settings_can_tell_that_they_changed() -> None:
    broker = Config.for_broker()
    topic = broker.for_topic()
    seen = topic.version
    topic.replace_overrides({"retention.ms": "1"})
    assert topic.version > seen
    seen = topic.version
    broker.replace_dynamic(cluster={}, broker={"message.max.bytes": "777"})
    assert topic.version > seen and broker.version > 0


def test_a_topic_answers_for_the_brokers_settings_too() -> None:
    topic = Config.for_broker({"log.cleaner.threads": "4"}).for_topic()
    assert topic[b.LOG_CLEANER_THREADS] == 4


def test_what_another_version_stored_is_left_out_and_not_fatal() -> None:
    topic = Config.for_broker().for_topic({"retention.ms": "soon", "from.the.future": "1", "flush.ms": "9"})
    assert topic[t.RETENTION_MS] == 604_800_000
    assert dict(topic.overrides) == {"flush.ms": "9"}


def test_a_broker_forgets_topics_that_nobody_holds() -> None:
    broker = Config.for_broker()
    kept = broker.for_topic()
    for _ in range(100):
        broker.for_topic({"retention.ms": "1"})
    gc.collect()
    assert list(broker._below) == [kept]


def test_an_override_is_explained_with_all_that_lies_below_it() -> None:
    broker = Config.for_broker({"log.segment.bytes": "2000000"})
    broker.replace_dynamic(cluster={"log.segment.bytes": "3000000"}, broker={"log.segment.bytes": "4000000"})
    explained = broker.for_topic({"segment.bytes": "5000000"}).explain(t.SEGMENT_BYTES)
    assert (explained.value, explained.source, explained.read_only) == ("5000000", Source.TOPIC, False)
    assert explained.synonyms == (
        SynonymText("segment.bytes", "5000000", Source.TOPIC),
        SynonymText("log.segment.bytes", "4000000", Source.DYNAMIC_BROKER),
        SynonymText("log.segment.bytes", "3000000", Source.DYNAMIC_DEFAULT_BROKER),
        SynonymText("log.segment.bytes", "2000000", Source.STATIC_BROKER),
        SynonymText("log.segment.bytes", "1073741824", Source.DEFAULT),
    )


def test_like_kafka_the_list_of_synonyms_begins_at_the_first_name_in_it() -> None:
    """log.retention.ms has no default, so a topic that inherits log.retention.hours is explained without synonyms."""
    explained = Config.for_broker({"log.retention.hours": "2"}).for_topic().explain(t.RETENTION_MS)
    assert (explained.value, explained.source, explained.synonyms) == ("7200000", Source.DEFAULT, ())


def test_synonyms_of_another_unit_follow_the_one_that_counts() -> None:
    explained = (
        Config.for_broker({"log.retention.hours": "2", "log.retention.ms": "5"}).for_topic().explain(t.RETENTION_MS)
    )
    assert [(step.name, step.source) for step in explained.synonyms] == [
        ("log.retention.ms", Source.STATIC_BROKER),
        ("log.retention.hours", Source.STATIC_BROKER),
        ("log.retention.hours", Source.DEFAULT),
    ]


def test_a_broker_setting_says_whether_it_takes_a_restart() -> None:
    broker = Config.for_broker({"log.cleaner.threads": "2"})
    assert not broker.explain(b.LOG_CLEANER_THREADS).read_only
    assert broker.explain(b.LOG_DIRS).read_only
    assert broker.explain(b.LOG_DIRS).value is None


def test_the_cluster_default_knows_of_its_own_layer_only() -> None:
    broker = Config.for_broker({"log.retention.ms": "1"})
    broker.replace_dynamic(cluster={"log.retention.ms": "2"}, broker={"log.retention.ms": "3"})
    explained = broker.explain_cluster_default(b.LOG_RETENTION_MS)
    assert explained.value == "2"
    assert explained.synonyms == (SynonymText("log.retention.ms", "2", Source.DYNAMIC_DEFAULT_BROKER),)


def test_internal_settings_are_listed_only_when_set() -> None:
    broker = Config.for_broker()
    assert t.INTERNAL_SEGMENT_BYTES not in broker.for_topic().settings()
    assert t.INTERNAL_SEGMENT_BYTES in broker.for_topic({"internal.segment.bytes": "100"}).settings()


def test_a_groups_setting_without_a_broker_synonym_is_explained_by_its_default() -> None:
    group = Config.for_broker().for_group({"consumer.session.timeout.ms": "50000"})
    assert group.explain(SHARE_AUTO_OFFSET_RESET).synonyms == (
        SynonymText("share.auto.offset.reset", "latest", Source.DEFAULT),
    )
    assert group.explain(CONSUMER_SESSION_TIMEOUT_MS).source is Source.GROUP


def test_for_broker_refuses_unknown_names_and_bad_values() -> None:
    with pytest.raises(ValueError, match=r"log\.retention\.msx is no broker setting"):
        Config.for_broker({"log.retention.msx": "1"})
    with pytest.raises(ValueError, match=r"num\.partitions: '0' is not allowed"):
        Config.for_broker({"num.partitions": "0"})


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"retention.mss": "1"}, r"retention\.mss is no topic setting; did you mean retention\.ms"),
        ({"retention.ms": "-2"}, "must be at least -1"),
        ({"min.compaction.lag.ms": "100", "max.compaction.lag.ms": "50"}, "is above max.compaction.lag.ms"),
        ({"penstock.schedule.delay.ms": "51", "penstock.schedule.max.ms": "50"}, "is above penstock.schedule.max.ms"),
        ({"penstock.schedule.max.ms": "9223372036854775807"}, "must be between 1 and"),
        ({"remote.storage.enable": "true"}, "no cold tier"),
        ({"max.message.bytes": "104857600"}, "leaves 104726528 for a batch"),
        ({"local.retention.ms": "100", "retention.ms": "50"}, r"local\.retention\.ms \(100\) is above"),
        ({"local.retention.bytes": "-1", "retention.bytes": "50"}, "is above"),
    ],
)
def test_settings_a_topic_cannot_have_are_invalid_config(overrides: dict[str, str], words: str) -> None:
    with pytest.raises(InvalidConfig, match=words):
        check_topic(overrides, Config.for_broker())


def test_batches_may_be_as_large_as_a_request_allows_and_a_limit_from_before_is_let_be() -> None:
    broker = Config.for_broker({"socket.request.max.bytes": "8388608"})
    large = {"max.message.bytes": str(batch_bytes_max(broker))}
    check_topic(large, broker)
    larger = {"max.message.bytes": str(batch_bytes_max(broker) + 1)}
    with pytest.raises(InvalidConfig, match=r"socket\.request\.max\.bytes"):
        check_topic(larger, broker, before=large)
    check_topic({**larger, "retention.ms": "5"}, broker, before=larger)
    with pytest.raises(InvalidRequest, match=r"socket\.request\.max\.bytes"):
        check_broker({"message.max.bytes": larger["max.message.bytes"]}, broker, cluster_wide=True)
    check_broker({"message.max.bytes": large["max.message.bytes"]}, broker, cluster_wide=True)


def test_a_conflict_with_what_the_broker_gives_counts_too() -> None:
    broker = Config.for_broker({"log.cleaner.max.compaction.lag.ms": "50"})
    with pytest.raises(InvalidConfig):
        check_topic({"min.compaction.lag.ms": "51"}, broker)
    assert check_topic({"min.compaction.lag.ms": "50"}, broker)[t.MIN_COMPACTION_LAG_MS] == 50


def test_a_groups_settings_stay_within_the_brokers_bounds() -> None:
    broker = Config.for_broker()
    assert check_group({"consumer.session.timeout.ms": "50000"}, broker)[CONSUMER_SESSION_TIMEOUT_MS] == 50_000
    for overrides in (
        {"consumer.session.timeout.ms": "60001"},
        {"consumer.session.timeout.ms": "44999"},
        {"streams.num.standby.replicas": "3"},
        {"share.delivery.count.limit": "11"},
        {"share.auto.offset.reset": "by_duration:P"},
        {"consumer.session.timeout": "1"},
    ):
        with pytest.raises(InvalidConfig):
            check_group(overrides, broker)
    assert check_group({"share.auto.offset.reset": "by_duration:P1DT2H"}, broker)


def test_a_metrics_subscription_is_refused_as_kafka_refuses_it() -> None:
    check_client_metrics({"metrics": "*", "interval.ms": "100", "match": "client_id=.*,client_software_name=x"})
    for overrides in ({"interval.ms": "99"}, {"interval.ms": "3600001"}, {"x": "y"}):
        with pytest.raises(InvalidRequest):
            check_client_metrics(overrides)
    for text in ("bbb", "", "99999999999"):
        with pytest.raises(InvalidConfig):
            check_client_metrics({"interval.ms": text})
    for match in ("foo=bar", "client_id=[", "client_id", "client_id=a=b"):
        with pytest.raises(InvalidConfig):
            check_client_metrics({"match": match})


def test_only_live_broker_settings_can_be_changed_while_it_runs() -> None:
    check_broker(
        {"log.retention.ms": "5", "leader.replication.throttled.rate": "1000"}, Config.for_broker(), cluster_wide=True
    )
    for changes in ({"log.dirs": "/x"}, {"log.retention.ms": "soon"}, {"ssl.key.password": "x"}):
        with pytest.raises(InvalidRequest):
            check_broker(changes, Config.for_broker(), cluster_wide=False)


def test_kafkas_settings_without_effect_are_kept_and_shown_but_are_no_part_of_the_table() -> None:
    check_broker(
        {"sasl.kerberos.min.time.before.relogin": "58000", "num.io.threads": "4"},
        Config.for_broker(),
        cluster_wide=False,
    )
    broker = Config.for_broker()
    assert "num.io.threads" not in {row.name for row in broker.settings()}
    broker.replace_dynamic(cluster={"num.io.threads": "4"}, broker={"num.io.threads": "8"})
    shown = {row.name: broker.explain(row) for row in broker.settings()}["num.io.threads"]
    assert (shown.value, shown.source, shown.read_only) == ("8", Source.DYNAMIC_BROKER, False)
    assert shown.synonyms == (
        SynonymText("num.io.threads", "8", Source.DYNAMIC_BROKER),
        SynonymText("num.io.threads", "4", Source.DYNAMIC_DEFAULT_BROKER),
    )


def test_a_name_that_nobody_knows_is_kept_and_listed_with_its_value_hidden_as_in_kafka() -> None:
    check_broker({"cleanup.policy": "delete", "my.plugin.key": " x "}, Config.for_broker(), cluster_wide=False)
    broker = Config.for_broker()
    broker.replace_dynamic(cluster={}, broker={"my.plugin.key": " x "})
    shown = {row.name: broker.explain(row) for row in broker.settings()}["my.plugin.key"]
    assert (shown.value, shown.source, shown.sensitive) == (None, Source.DYNAMIC_BROKER, True)
    assert shown.synonyms == (SynonymText("my.plugin.key", None, Source.DYNAMIC_BROKER),)


def test_a_name_with_a_mistake_in_it_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    broker = Config.for_broker()
    for _ in range(2):
        broker.replace_dynamic(cluster={"log.retention.mss": "5"}, broker={})
    assert capsys.readouterr().out.count("log.retention.ms'") == 1


@pytest.mark.parametrize(
    "changes", [{"num.io.threads": "some"}, {"ssl.client.auth": "required"}, {"authorizer.class.name": "Mine"}]
)
def test_a_setting_without_effect_is_checked_and_never_about_security(changes: dict[str, str]) -> None:
    with pytest.raises(InvalidRequest):
        check_broker(changes, Config.for_broker(), cluster_wide=False)

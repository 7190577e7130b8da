"""Kafka's own command-line tools, from its jars: the Java client at the newest version of every API."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.support import java
from tests.support.clients import make_topic, read_to_end

TOPICS = "org.apache.kafka.tools.TopicCommand"
CONFIGS = "kafka.admin.ConfigCommand"
OFFSETS = "org.apache.kafka.tools.GetOffsetShell"
CONSOLE_PRODUCER = "org.apache.kafka.tools.ConsoleProducer"
CONSOLE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
PRODUCER_PERFORMANCE = "org.apache.kafka.tools.ProducerPerformance"
LOG_DIRS = "org.apache.kafka.tools.LogDirsCommand"
DELETE_RECORDS = "org.apache.kafka.tools.DeleteRecordsCommand"
API_VERSIONS = "org.apache.kafka.tools.BrokerApiVersionsCommand"
FEATURES = "org.apache.kafka.tools.FeatureCommand"


def tool(main_class: str, bootstrap: str, *arguments: str, stdin: str | None = None) -> str:
    return java.run(main_class, "--bootstrap-server", bootstrap, *arguments, stdin=stdin).stdout


def test_topic_command_manages_a_topic(bootstrap: str) -> None:
    topic = f"{make_topic(bootstrap, 'java-topic')}-by-tool"
    made = tool(TOPICS, bootstrap, "--create", "--topic", topic, "--partitions", "2", "--config", "retention.ms=5000")
    assert f"Created topic {topic}." in made
    assert topic in tool(TOPICS, bootstrap, "--list").splitlines()
    tool(TOPICS, bootstrap, "--alter", "--topic", topic, "--partitions", "3")
    described = tool(TOPICS, bootstrap, "--describe", "--topic", topic)
    assert re.search(r"PartitionCount: 3\s+ReplicationFactor: 1\s+Configs:.*retention.ms=5000", described)
    assert len(re.findall(r"Partition: \d+\s+Leader: \d+", described)) == 3
    tool(TOPICS, bootstrap, "--delete", "--topic", topic)


def test_config_command_changes_and_describes_settings(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "java-config")
    entity = ("--entity-type", "topics", "--entity-name", topic)
    added = tool(
        CONFIGS, bootstrap, *entity, "--alter", "--add-config", "retention.ms=60000,cleanup.policy=[compact,delete]"
    )
    assert "Completed updating config" in added
    described = tool(CONFIGS, bootstrap, *entity, "--describe")
    assert "retention.ms=60000" in described
    assert "cleanup.policy=compact,delete" in described
    tool(CONFIGS, bootstrap, *entity, "--alter", "--delete-config", "retention.ms")
    assert "retention.ms=60000" not in tool(CONFIGS, bootstrap, *entity, "--describe")


def test_config_command_leaves_bad_settings_to_the_broker(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "java-bad-config")
    entity = ("--entity-type", "topics", "--entity-name", topic)
    arguments = ("--bootstrap-server", bootstrap, *entity, "--alter", "--add-config", "no.such=1")
    refused = java.run(CONFIGS, *arguments, check=False)
    assert refused.returncode != 0
    assert "InvalidConfigurationException" in refused.stdout + refused.stderr


def test_config_command_describes_the_broker(bootstrap: str) -> None:
    entity = ("--entity-type", "brokers", "--entity-name", "1", "--all")
    described = tool(CONFIGS, bootstrap, *entity, "--describe")
    assert re.search(r"^\s*log\.retention\.hours=168 ", described, re.MULTILINE)


def test_console_producer_and_consumer_pass_records(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "java-console")
    parse = ("--reader-property", "parse.key=true", "--reader-property", "key.separator=:")
    tool(CONSOLE_PRODUCER, bootstrap, "--topic", topic, *parse, stdin="a:one\nb:two\nc:three\n")
    show = ("--formatter-property", "print.key=true", "--formatter-property", "print.offset=true")
    place = ("--partition", "0", "--offset", "1", "--max-messages", "2", "--timeout-ms", "60000")
    read = tool(CONSOLE_CONSUMER, bootstrap, "--topic", topic, *show, *place)
    assert read.splitlines() == ["Offset:1\tb\ttwo", "Offset:2\tc\tthree"]


def test_get_offset_shell_lists_offsets(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "java-offsets", partitions=2)
    tool(CONSOLE_PRODUCER, bootstrap, "--topic", topic, stdin="one\ntwo\nthree\n")

    def offsets(time: str) -> dict[str, int]:
        lines = tool(OFFSETS, bootstrap, "--topic", topic, "--time", time).splitlines()
        return {line.split(":")[1]: int(line.split(":")[2] or -1) for line in lines}

    assert offsets("earliest") == {"0": 0, "1": 0}
    assert sum(offsets("latest").values()) == 3
    assert max(offsets("max-timestamp").values()) >= 0
    assert offsets("-4") == {"0": 0, "1": 0}


def test_producer_performance_writes_all_its_records(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "java-perf")
    load = ("--num-records", "20000", "--record-size", "200", "--throughput", "-1")
    said = tool(PRODUCER_PERFORMANCE, bootstrap, "--topic", topic, *load, "--command-property", "compression.type=lz4")
    assert "20000 records sent" in said
    assert len(read_to_end(bootstrap, topic)) == 20_000


def test_log_dirs_command_shows_sizes(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "java-dirs")
    tool(CONSOLE_PRODUCER, bootstrap, "--topic", topic, stdin="one\n")
    said = tool(LOG_DIRS, bootstrap, "--describe", "--topic-list", topic)
    (broker,) = json.loads(said.splitlines()[-1])["brokers"]
    (folder,) = broker["logDirs"]
    (partition,) = folder["partitions"]
    assert (partition["partition"], partition["offsetLag"], folder["error"]) == (f"{topic}-0", 0, None)
    assert partition["size"] > 60


def test_delete_records_command_trims(bootstrap: str, tmp_path: Path) -> None:
    topic = make_topic(bootstrap, "java-trim")
    tool(CONSOLE_PRODUCER, bootstrap, "--topic", topic, stdin="one\ntwo\nthree\n")
    wanted = {"partitions": [{"topic": topic, "partition": 0, "offset": 2}], "version": 1}
    file = tmp_path / "trim.json"
    file.write_text(json.dumps(wanted))
    said = tool(DELETE_RECORDS, bootstrap, "--offset-json-file", str(file))
    assert "low_watermark: 2" in said
    assert [each.value() for each in read_to_end(bootstrap, topic, start=2)] == [b"three"]


def test_broker_api_versions_command_understands_every_range(bootstrap: str) -> None:
    said = tool(API_VERSIONS, bootstrap)
    assert bootstrap in said
    assert re.search(r"Produce\(0\): 0 to 13 \[usable: 13\]", said)
    assert re.search(r"Fetch\(1\): 4 to 18 \[usable: 18\]", said)
    assert "UNKNOWN" not in said


def test_feature_command_describes(bootstrap: str) -> None:
    said = tool(FEATURES, bootstrap, "describe")
    assert re.search(r"Feature: metadata.version\s", said)

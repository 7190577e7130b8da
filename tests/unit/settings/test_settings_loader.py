"""From file, environment and command line to settings: precedence, quirks of Kafka's names, and what is refused."""

from pathlib import Path

import pytest

from penstock.settings import Config, SettingsInvalid, broker_id_of, data_folders, load_settings
from penstock.settings import broker as b
from penstock.settings.batch_size import BESIDE_A_BATCH
from penstock.settings.properties import parse_properties


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "server.properties"
    file.write_text(text)
    return file


def test_the_command_line_beats_the_environment_beats_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, "num.partitions=2\nlog.segment.bytes=2000000\nfetch.max.bytes=4096\n")
    config = load_settings(
        file, {"PENSTOCK_NUM_PARTITIONS": "3", "PENSTOCK_LOG_SEGMENT_BYTES": "3000000"}, {"num.partitions": "4"}
    )
    assert config[b.NUM_PARTITIONS] == 4
    assert config[b.LOG_SEGMENT_BYTES] == 3_000_000
    assert config[b.FETCH_MAX_BYTES] == 4096


def test_variables_name_penstocks_own_settings_without_saying_penstock_twice() -> None:
    config = load_settings(None, {"PENSTOCK_HTTP_LISTENER": ":0", "PENSTOCK_PENSTOCK_OPEN_FILES_MAX": "64"})
    assert config[b.PENSTOCK_HTTP_LISTENER] == ":0"
    assert config[b.PENSTOCK_OPEN_FILES_MAX] == 64


def test_variables_of_others_and_of_kubernetes_are_left_alone() -> None:
    load_settings(
        None,
        {
            "PATH": "/bin",
            "PENSTOCK_SERVICE_HOST": "10.0.0.1",
            "PENSTOCK_SERVICE_PORT": "9092",
            "PENSTOCK_SPARK_JARS": "where the pipelines find their jars",
            "PENSTOCK_KILLS": "3",
            "PENSTOCK_PORT": "tcp://10.0.0.1:9092",
            "PENSTOCK_PORT_9092_TCP": "tcp://10.0.0.1:9092",
            "PENSTOCK_CONFIG": "/etc/penstock.properties",
        },
    )


def test_an_unknown_name_is_an_error_that_guesses_what_was_meant(tmp_path: Path) -> None:
    file = written(tmp_path, "# a comment\nlog.retention.hour=2\n")
    with pytest.raises(SettingsInvalid) as refused:
        load_settings(file, {"PENSTOCK_NUM_PARTITION": "3"}, {"listener": "x"})
    problems = refused.value.problems
    assert len(problems) == 3
    assert any(f"{file}:2" in p and "did you mean log.retention.hours" in p for p in problems)
    assert any("PENSTOCK_NUM_PARTITION" in p and "num.partitions" in p for p in problems)
    assert any("--set listener" in p and "listeners" in p for p in problems)


def test_every_bad_value_is_told_at_once_with_its_place(tmp_path: Path) -> None:
    file = written(tmp_path, "num.partitions=0\nnode.id=x\n")
    with pytest.raises(SettingsInvalid) as refused:
        load_settings(file)
    assert [p.partition(": ")[0] for p in refused.value.problems] == [f"{file}:1", f"{file}:2"]


def test_settings_that_only_kafka_uses_are_accepted_and_listed(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "process.roles=broker,controller\nnode.id=7\ncontroller.quorum.voters=7@localhost:9093\n"
        "listeners=PLAINTEXT://:9092,CONTROLLER://:9093\ncontroller.listener.names=CONTROLLER\n"
        "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT\n"
        "num.network.threads=3\nzookeeper.connect=localhost:2181\n",
    )
    config = load_settings(file)
    assert config[b.NODE_ID] == 7
    assert config.unused == (
        "controller.quorum.voters",
        "num.network.threads",
        "process.roles",
        "zookeeper.connect",
    )


def test_the_last_of_two_equal_names_in_a_file_counts(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path, "num.partitions=2\nnum.partitions=3\n"))[b.NUM_PARTITIONS] == 3


@pytest.mark.parametrize("name", ["node.id", "broker.id"])
def test_node_id_and_broker_id_are_one_number(name: str) -> None:
    config = load_settings(overrides={name: "5"})
    assert (config[b.NODE_ID], config[b.BROKER_ID]) == (5, 5)


def test_whichever_name_is_set_gives_the_number() -> None:
    assert broker_id_of(Config.for_broker()) == 1
    assert broker_id_of(Config.for_broker({"node.id": "5"})) == 5
    assert broker_id_of(Config.for_broker({"broker.id": "6"})) == 6


def test_node_id_and_broker_id_must_not_differ() -> None:
    with pytest.raises(SettingsInvalid, match=r"node\.id is 1 and broker\.id is 2"):
        load_settings(overrides={"node.id": "1", "broker.id": "2"})
    with pytest.raises(SettingsInvalid, match="must be at least 0"):
        load_settings(overrides={"broker.id": "-1"})


def test_log_dirs_wins_over_log_dir(tmp_path: Path) -> None:
    one, two, three = tmp_path / "1", tmp_path / "2", tmp_path / "3"
    assert data_folders(load_settings(overrides={"log.dir": str(one)})) == (one,)
    both = load_settings(overrides={"log.dir": str(one), "log.dirs": f"{two}, {three}"})
    assert data_folders(both) == (two, three)
    with pytest.raises(SettingsInvalid, match="a folder twice"):
        load_settings(overrides={"log.dirs": f"{two},{two}"})


def test_request_memory_smaller_than_a_request_is_refused() -> None:
    with pytest.raises(SettingsInvalid, match="could never be read"):
        load_settings(overrides={"queued.max.request.bytes": "1000"})
    load_settings(overrides={"queued.max.request.bytes": "-1"})


@pytest.mark.parametrize(
    "overrides",
    [
        {"message.max.bytes": "104857600"},  # as large as a request, which holds more than a batch
        {"socket.request.max.bytes": "1048576"},  # below the default of message.max.bytes
    ],
)
def test_batches_that_no_request_could_bring_are_refused_in_words(overrides: dict[str, str]) -> None:
    with pytest.raises(SettingsInvalid, match=r"message\.max\.bytes \(\d+\) is more than fits a request"):
        load_settings(overrides=overrides)
    most = (100 << 20) - BESIDE_A_BATCH
    assert load_settings(overrides={"message.max.bytes": str(most)})[b.MESSAGE_MAX_BYTES] == most


def test_a_file_that_is_not_text_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "noise"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsInvalid, match="not a text file"):
        load_settings(file)


def test_properties_are_read_as_java_reads_them() -> None:
    lines = parse_properties(
        "# comment\n! comment too\n\na=1\nb : 2\nc 3\n  d=\\\n   4\ne=x\\ty\\u0041\nf\ng\\:h=i\nwin=C:\\\\dir\n"
    )
    assert [(line.name, line.value) for line in lines] == [
        ("a", "1"),
        ("b", "2"),
        ("c", "3"),
        ("d", "4"),
        ("e", "x\tyA"),
        ("f", ""),
        ("g:h", "i"),
        ("win", "C:\\dir"),
    ]
    assert [line.number for line in lines] == [4, 5, 6, 7, 9, 10, 11, 12]

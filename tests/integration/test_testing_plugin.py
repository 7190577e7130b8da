"""penstock.testing: the fixtures, the two modes, and that nothing is left behind whatever happens."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

import penstock.testing
from penstock.testing import BrokerFailed, RunningBroker
from penstock.testing.plugin import BrokerFactory

GONE_TIMEOUT_S = 120


def write(bootstrap: str, *values: str) -> None:
    producer = Producer({"bootstrap.servers": bootstrap})
    for value in values:
        producer.produce("t", value=value, partition=0)
    assert producer.flush(60) == 0


def read(bootstrap: str, count: int) -> list[bytes | None]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "g", "enable.auto.commit": False})
    try:
        consumer.assign([TopicPartition("t", 0, 0)])
        records = [consumer.poll(60) for _ in range(count)]
        return [record.value() for record in records if record is not None]
    finally:
        consumer.close()


def test_a_fresh_broker_takes_records(penstock_broker: RunningBroker) -> None:
    write(penstock_broker.bootstrap, "a", "b")
    assert read(penstock_broker.bootstrap, 2) == [b"a", b"b"]
    with urllib.request.urlopen(f"{penstock_broker.http_url}/health") as answer:
        assert answer.status == 200


@pytest.mark.penstock(mode="thread")
def test_a_broker_in_a_thread_takes_records(penstock_broker: RunningBroker) -> None:
    assert penstock_broker.pid == os.getpid()
    write(penstock_broker.bootstrap, "a")
    assert read(penstock_broker.bootstrap, 1) == [b"a"]


@pytest.mark.penstock(settings={"num.partitions": 3})
def test_a_marker_gives_settings(penstock_broker: RunningBroker) -> None:
    write(penstock_broker.bootstrap, "a")
    metadata = Producer({"bootstrap.servers": penstock_broker.bootstrap}).list_topics(timeout=60)
    assert len(metadata.topics["t"].partitions) == 3


def test_a_factory_gives_several_with_settings_of_their_own(penstock_broker_factory: BrokerFactory) -> None:
    first, second = penstock_broker_factory(num_partitions=2), penstock_broker_factory({"num.partitions": "4"})
    assert first.bootstrap != second.bootstrap
    for broker, partitions in ((first, 2), (second, 4)):
        write(broker.bootstrap, "a")
        metadata = Producer({"bootstrap.servers": broker.bootstrap}).list_topics(timeout=60)
        assert len(metadata.topics["t"].partitions) == partitions


@pytest.mark.parametrize("mode", ["process", "thread"])
def test_a_restart_keeps_data_and_address(penstock_broker_factory: BrokerFactory, mode: str) -> None:
    broker = penstock_broker_factory(mode=mode)
    before = broker.bootstrap
    write(broker.bootstrap, "a")
    broker.restart()
    assert broker.bootstrap == before
    write(broker.bootstrap, "b")
    assert read(broker.bootstrap, 2) == [b"a", b"b"]


def test_what_was_acknowledged_survives_a_kill(penstock_broker: RunningBroker) -> None:
    write(penstock_broker.bootstrap, "a")
    penstock_broker.kill()
    assert not penstock_broker.is_running
    penstock_broker.restart()
    assert read(penstock_broker.bootstrap, 1) == [b"a"]


def test_a_stopped_broker_is_stopped_and_may_be_stopped_again(penstock_broker: RunningBroker) -> None:
    penstock_broker.stop()
    penstock_broker.stop()
    assert not penstock_broker.is_running


@pytest.mark.parametrize("mode", ["process", "thread"])
def test_a_broker_that_cannot_start_says_why(mode: str) -> None:
    with (
        pytest.raises(BrokerFailed, match=r"num\.partitions"),
        penstock.testing.broker({"num.partitions": "none"}, mode=mode),
    ):
        pass


@pytest.mark.parametrize("mode", ["process", "thread"])
def test_a_misspelt_setting_is_told_with_a_guess_and_without_a_traceback(mode: str) -> None:
    with pytest.raises(BrokerFailed) as told, penstock.testing.broker(num_partition=3, mode=mode):
        pass
    assert "num.partition; did you mean num.partitions?" in str(told.value)
    assert "Traceback" not in str(told.value) and "--set" not in str(told.value)


def test_settings_that_only_kafka_has_a_use_for_are_accepted(penstock_broker_factory: BrokerFactory) -> None:
    assert penstock_broker_factory(num_io_threads=8).is_running


@pytest.mark.parametrize("mode", ["process", "thread"])
def test_a_broker_logs_to_its_own_file(pytester_run: "PytestRun", mode: str) -> None:
    outcome = pytester_run(
        "import structlog\n"
        "def test_it(penstock_broker, capfd):\n"
        "    assert 'broker ready' in penstock_broker.log_tail()\n"
        "    structlog.get_logger('mine').debug('a line of the test')\n"
        "    penstock_broker.restart()\n"
        "    out, err = capfd.readouterr()\n"
        "    assert 'a line of the test' in out and 'broker' not in out + err\n",
        ini=f"penstock_mode = {mode}\n",
    )
    assert outcome.returncode == 0, outcome.stdout


def test_a_line_of_settings_without_a_value_is_a_usage_error(pytester_run: "PytestRun") -> None:
    outcome = pytester_run("def test_it(penstock_broker): ...\n", ini="penstock_settings =\n    num.partitions\n")
    assert "penstock_settings wants NAME=VALUE a line, not 'num.partitions'" in outcome.stdout


@pytest.mark.parametrize("mode", ["process", "thread"])
def test_nothing_is_left_when_the_block_ends_with_an_error(mode: str) -> None:
    with pytest.raises(ZeroDivisionError), penstock.testing.broker(mode=mode) as broker:
        raise ZeroDivisionError
    assert (broker.is_running, broker.data_dir.parent.exists()) == (False, False)


async def test_an_asyncio_program_may_have_one_too() -> None:
    async with penstock.testing.async_broker() as broker:
        write(broker.bootstrap, "a")
    assert (broker.is_running, broker.data_dir.parent.exists()) == (False, False)


def test_a_broker_ends_with_a_test_run_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import penstock.testing, time\n"
        "with penstock.testing.broker() as broker:\n"
        "    print(broker.pid, broker.data_dir, flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        pid, data_dir = run.stdout.readline().split()
        assert Path(f"/proc/{pid}").exists()
        run.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + GONE_TIMEOUT_S
    while _is_alive(pid) or Path(data_dir).parent.exists():
        assert time.monotonic() < deadline, "the broker outlived the test run"
        time.sleep(0.05)


def _is_alive(pid: str) -> bool:
    """Whether the process still runs; a zombie that nobody has collected yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_failing_test_shows_the_end_of_the_log(pytester_run: "PytestRun") -> None:
    outcome = pytester_run("def test_it(penstock_broker):\n    assert False\n")
    assert outcome.returncode == 1
    assert "log of the broker at 127.0.0.1:" in outcome.stdout


def test_ini_settings_and_mode_apply_to_all(pytester_run: "PytestRun") -> None:
    outcome = pytester_run(
        "import os\n"
        "def test_it(penstock_broker, penstock_session_broker):\n"
        "    assert penstock_broker.settings['num.partitions'] == '7'\n"
        "    assert penstock_session_broker.settings['num.partitions'] == '7'\n"
        "    assert penstock_broker.pid == os.getpid()\n",
        ini="penstock_mode = thread\npenstock_settings =\n    num.partitions=7\n",
    )
    assert outcome.returncode == 0, outcome.stdout


def test_a_run_without_a_broker_imports_nothing_of_it(pytester_run: "PytestRun") -> None:
    outcome = pytester_run(
        "import sys\n"
        "def test_it():\n"
        "    heavy = ('penstock.broker', 'penstock.testing.running', 'confluent_kafka', 'structlog', 'asyncio')\n"
        "    assert [name for name in heavy if name in sys.modules] == []\n",
        without=("asyncio", "anyio", "xdist", "randomly", "hypothesispytest", "timeout", "schemathesis"),
    )
    assert outcome.returncode == 0, outcome.stdout


class PytestRun:
    """A pytest run of its own on one file, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(
        self, source: str, *, ini: str = "", without: tuple[str, ...] = ()
    ) -> "subprocess.CompletedProcess[str]":
        (self._folder / "test_it.py").write_text(source)
        (self._folder / "pytest.ini").write_text(f"[pytest]\n{ini}")
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"-pno:{name}" for name in without)],
            capture_output=True, text=True, cwd=self._folder, timeout=120, check=False,
        )  # fmt: skip


@pytest.fixture
def pytester_run(tmp_path: Path) -> PytestRun:
    return PytestRun(tmp_path)

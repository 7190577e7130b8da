"""`penstock log ...` on the data folder of a stopped broker: nothing changes without --yes, nothing is lost with it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.command import Outcome, Penstock
from tests.support.logs import ORDERS_0, TOPIC_ID, StillClock, fill

from penstock.log import FilePool, LogFolder, PartitionLog
from penstock.log.file_pool import names_in
from penstock.log.recovery import ExpectedLog
from penstock.model import TopicId, TopicPartition
from penstock.settings import Config

CONFIG = Config.for_broker({}).for_topic({"internal.segment.bytes": "4096"})
Run = Callable[..., Outcome]


@pytest.fixture
def penstock(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Penstock:
    return Penstock("nowhere:1", monkeypatch, capfd)


def start(path: Path, *, knows: bool = True) -> LogFolder:
    """As a broker does; `knows` whether the metadata has the topic."""

    def find(partition: TopicPartition, topic_id: TopicId) -> ExpectedLog | None:
        return ExpectedLog(CONFIG) if knows and topic_id == TOPIC_ID else None

    folder = LogFolder(path, cluster_id="c", node_id=1, pool=FilePool(64), clock=StillClock())
    folder.open_all(find)
    return folder


def make_log(path: Path, batches: int = 100) -> PartitionLog:
    folder = start(path)
    log = folder.create(ORDERS_0, TOPIC_ID, CONFIG)
    fill(log, batches, value_bytes=100)
    log.high_watermark = log.end_offset
    assert folder.close()
    return log


def set_aside(path: Path) -> str:
    """A log whose topic a start does not know."""
    make_log(path)
    start(path, knows=False).close()
    (name,) = (name for name in names_in(path) if name.endswith("-stray"))
    return name


def damage(path: Path, log: PartitionLog, *, segment: int) -> int:
    """A batch in the middle; the broker finds it at its next start, since it is told to read all."""
    base = log.segments[segment].base_offset
    with open(path / "orders-0" / f"{base:020d}.log", "r+b") as file:
        file.seek(80)
        file.write(b"????")
    (path / "orders-0" / "penstock-damaged").write_text("a reader met it\n")
    return base


def open_again(path: Path) -> PartitionLog:
    folder = start(path)
    log = folder.logs[ORDERS_0]
    folder.close()
    return log


def test_nothing_to_tell(tmp_path: Path, penstock: Run) -> None:
    make_log(tmp_path)
    told = penstock("log", "list", "--data", str(tmp_path))
    assert (told.code, told.out) == (0, "") and "nothing was set aside" in told.err


def test_a_log_that_was_set_aside_is_listed_and_removed(tmp_path: Path, penstock: Run) -> None:
    name = set_aside(tmp_path)
    (row,) = json.loads(penstock("log", "list", "--json", "--data", str(tmp_path)).out)
    assert (row["partition"], row["state"], row["folder"]) == ("orders-0", "set aside", str(tmp_path / name))
    assert "orders-0" in penstock("log", "list", "--data", str(tmp_path)).out

    planned = penstock("log", "remove-stray", "orders-0", "--data", str(tmp_path))
    assert planned.code == 0 and "would remove" in planned.out and (tmp_path / name).exists()
    assert penstock("log", "remove-stray", name, "--yes", "--data", str(tmp_path)).code == 0
    assert not (tmp_path / name).exists()
    assert penstock("log", "remove-stray", name, "--yes", "--data", str(tmp_path)).code == 4


def test_programs_are_told_what_is_done_with_what_was_set_aside(tmp_path: Path, penstock: Run) -> None:
    folder = str(tmp_path / set_aside(tmp_path))
    for command, name in (("remove-stray", "--all"), ("restore-stray", "orders-0")):
        told = json.loads(penstock("log", command, name, "--json", "--data", str(tmp_path)).out)
        (row,) = told if isinstance(told, list) else [told]
        assert (row["partition"], row["folder"], row["done"]) == ("orders-0", folder, False)
    assert Path(folder).exists()
    done = json.loads(penstock("log", "restore-stray", "orders-0", "--yes", "--json", "--data", str(tmp_path)).out)
    assert done["done"] and not Path(folder).exists()
    start(tmp_path, knows=False).close()
    (removed,) = json.loads(penstock("log", "remove-stray", "--all", "--yes", "--json", "--data", str(tmp_path)).out)
    assert removed["done"] and not Path(removed["folder"]).exists()


def test_all_that_was_set_aside_is_removed_when_asked_for(tmp_path: Path, penstock: Run) -> None:
    set_aside(tmp_path)
    assert penstock("log", "remove-stray", "orders-0", "--all", "--data", str(tmp_path)).code == 2
    assert penstock("log", "remove-stray", "--all", "--yes", "--data", str(tmp_path)).code == 0
    assert not [name for name in names_in(tmp_path) if "orders" in name]


def test_a_log_that_was_set_aside_comes_back(tmp_path: Path, penstock: Run) -> None:
    name = set_aside(tmp_path)
    planned = penstock("log", "restore-stray", "orders-0", "--data", str(tmp_path))
    assert planned.code == 0 and "would restore" in planned.out and (tmp_path / name).exists()
    assert penstock("log", "restore-stray", "orders-0", "--yes", "--data", str(tmp_path)).code == 0
    log = open_again(tmp_path)
    assert (log.end_offset, log.health.offline_reason) == (100, None)


def test_a_log_is_not_restored_over_another(tmp_path: Path, penstock: Run) -> None:
    set_aside(tmp_path)
    make_log(tmp_path, 5)
    told = penstock("log", "restore-stray", "orders-0", "--yes", "--data", str(tmp_path))
    assert told.code == 1 and "has orders-0 already" in told.err


def test_a_damaged_log_goes_on_with_what_is_sound(tmp_path: Path, penstock: Run) -> None:
    log = make_log(tmp_path)
    cut = damage(tmp_path, log, segment=2)
    before = {path.name: path.read_bytes() for path in (tmp_path / "orders-0").glob("*.log")}
    assert open_again(tmp_path).health.offline_reason is not None
    (row,) = json.loads(penstock("log", "list", "--json", "--data", str(tmp_path)).out)
    assert (row["partition"], row["state"]) == ("orders-0", "damaged")

    planned = penstock("log", "accept-loss", "orders-0", "--data", str(tmp_path))
    assert f"offsets 0 to {cut - 1} are sound and kept" in planned.out and "checksum" in planned.out
    told = json.loads(penstock("log", "accept-loss", "orders-0", "--json", "--data", str(tmp_path)).out)
    assert (told["start_offset"], told["end_offset"], told["set_aside"], told["done"]) == (0, cut, None, False)
    assert "checksum" in told["damage"]
    assert open_again(tmp_path).health.offline_reason is not None
    done = penstock("log", "accept-loss", "orders-0", "--yes", "--data", str(tmp_path))
    assert done.code == 0 and "the damaged log is in" in done.out
    after = open_again(tmp_path)
    assert (after.start_offset, after.end_offset, after.health.offline_reason) == (0, cut, None)
    (aside,) = tmp_path.glob("*-stray")
    assert {path.name: path.read_bytes() for path in aside.glob("*.log")} == before


def test_a_log_without_its_first_segment_goes_on_with_the_rest(tmp_path: Path, penstock: Run) -> None:
    log = make_log(tmp_path)
    (tmp_path / "orders-0" / f"{0:020d}.log").unlink()
    assert open_again(tmp_path).health.offline_reason is not None
    assert penstock("log", "accept-loss", "orders-0", "--yes", "--data", str(tmp_path)).code == 0
    after = open_again(tmp_path)
    assert (after.start_offset, after.end_offset) == (log.segments[1].base_offset, 100)
    assert after.health.offline_reason is None


@pytest.mark.parametrize("is_there", [True, False])
def test_a_damaged_or_missing_log_begins_empty_when_asked_for(tmp_path: Path, penstock: Run, is_there: bool) -> None:
    make_log(tmp_path)
    if not is_there:
        (tmp_path / "orders-0").rename(tmp_path / "elsewhere")
        (row,) = json.loads(penstock("log", "list", "--json", "--data", str(tmp_path)).out)
        assert row["state"] == "damaged" and "records up to 100" in row["reason"]
    planned = penstock("log", "accept-loss", "orders-0", "--empty", "--data", str(tmp_path))
    assert planned.code == 0 and "nothing is kept" in planned.out
    done = penstock("log", "accept-loss", "orders-0", "--empty", "--yes", "--json", "--data", str(tmp_path))
    told = json.loads(done.out)
    assert told["done"] and told["end_offset"] is None and (told["set_aside"] is not None) == is_there
    folder = start(tmp_path)
    assert not folder.lost and not folder.logs
    assert folder.create(ORDERS_0, TOPIC_ID, CONFIG).health.offline_reason is None
    folder.close()


def test_a_folder_in_use_and_one_that_is_none_are_refused(tmp_path: Path, penstock: Run) -> None:
    folder = start(tmp_path)
    for arguments in (("list",), ("remove-stray", "--all", "--yes"), ("accept-loss", "orders-0", "--yes")):
        told = penstock("log", *arguments, "--data", str(tmp_path))
        assert told.code == 1 and "in use by another broker" in told.err
    folder.close()
    told = penstock("log", "list", "--data", str(tmp_path / "nowhere"))
    assert told.code == 1 and "is no data folder" in told.err

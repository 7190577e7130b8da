"""Which data folders a broker may start with."""

from pathlib import Path

import pytest

from penstock.errors import Fatal
from penstock.log.folders.folder_set import folder_id, require_first_folder, require_known_folders
from penstock.log.folders.identity import claim, read_identity


def a_folder(path: Path) -> str:
    """A data folder of broker 1; its id."""
    path.mkdir()
    return folder_id(claim(path, cluster_id="c1", node_id=1))


def check(
    paths: list[Path], registered: list[str], *, accepted: tuple[str, ...] = (), is_old: bool = False
) -> list[str]:
    folders = () if is_old else tuple(registered)
    return require_known_folders(paths, broker_id=1, first=registered[0], folders=folders, accepted=accepted)


def test_the_folders_that_it_had_are_taken_in_any_order_after_the_first(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b", "c")]
    ids = [a_folder(path) for path in paths]
    assert check([paths[0], paths[2], paths[1]], ids) == []


def test_an_empty_folder_in_the_place_of_one_it_had_is_refused_until_somebody_gives_that_up(tmp_path: Path) -> None:
    """A disk that is not mounted, or was replaced."""
    first, second = tmp_path / "a", tmp_path / "b"
    ids = [a_folder(first), "gone"]
    second.mkdir()
    with pytest.raises(Fatal) as refused:
        check([first, second], ids)
    words = str(refused.value)
    assert f"{second} is no data folder yet" in words and "its data folder gone is not there" in words
    assert f"penstock.log.dirs.accept={second},gone" in words
    with pytest.raises(Fatal, match="its data folder gone is not there"):
        check([first, second], ids, accepted=(str(second),))  # said when it was added, and left in the file
    assert check([first, second], ids, accepted=(str(second), "gone")) == ["gone"]
    assert list(second.iterdir()) == []


def test_a_new_folder_is_taken_when_somebody_says_so(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "disk" / "broker-1"
    ids = [a_folder(first)]
    with pytest.raises(Fatal, match=f"start with penstock.log.dirs.accept={second}$"):
        check([first, second], ids)
    assert check([first, second], ids, accepted=(str(second),)) == []
    assert check([first, second], ids, accepted=(str(tmp_path / "disk"),)) == [], "of all workers at once"


def test_a_folder_left_out_is_missed_until_somebody_gives_it_up(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    ids = [a_folder(first), a_folder(second)]
    with pytest.raises(Fatal, match="what only a missing folder had is lost then"):
        check([first], ids)
    assert check([first], ids, accepted=(ids[1],)) == [ids[1]]


def test_a_folder_that_was_given_up_does_not_come_back_by_itself(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    ids = [a_folder(first)]
    former = a_folder(second)
    with pytest.raises(Fatal, match=f"is a data folder \\({former}\\) it was not using"):
        check([first, second], ids)


def test_the_first_folder_keeps_its_place(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    ids = [a_folder(first), a_folder(second)]
    with pytest.raises(Fatal, match=r"not the first of log\.dirs any more"):
        check([second, first], ids, accepted=tuple(ids))


def test_what_an_older_version_registered_is_no_reason_to_refuse_folders_of_the_broker(tmp_path: Path) -> None:
    first, second, third = (tmp_path / name for name in ("a", "b", "c"))
    ids = [a_folder(first), a_folder(second)]
    assert check([first, second], ids, is_old=True) == []
    with pytest.raises(Fatal, match="is no data folder yet"):
        check([first, second, third], ids, is_old=True)


def test_a_broker_that_stands_alone_does_not_start_without_the_folder_of_its_metadata(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    require_first_folder([first, second])
    a_folder(second)
    with pytest.raises(Fatal, match="The first one holds the metadata"):
        require_first_folder([first, second])
    a_folder(first)
    require_first_folder([first, second])


def test_a_folder_of_an_old_kafka_gets_an_id_that_stays(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text("version=1\ncluster.id=c1\nnode.id=1\n")
    claimed = claim(tmp_path, cluster_id="c1", node_id=1)
    found = read_identity(tmp_path)
    assert found is not None and found.directory_id == claimed.directory_id
    assert found.is_adopted and not found.is_id_new

"""Jars are fetched once, checked, and never half there."""

import hashlib
from pathlib import Path

import pytest

from penstock.pipelines.jars import (
    LOCKED,
    Jar,
    by_maven,
    fetch_missing,
    from_repository,
    jar_folder,
    jar_paths,
    missing,
)
from penstock.pipelines.problems import PipelineProblem

BYTES = b"a jar"
ONE = Jar("org.example.deep", "thing_2.13", "1.2.3", hashlib.sha256(BYTES).hexdigest(), "a test")


def quiet(_jar: Jar) -> None:
    pass


@pytest.fixture
def repository(tmp_path: Path) -> str:
    place = tmp_path / "repository" / "org" / "example" / "deep" / "thing_2.13" / "1.2.3"
    place.mkdir(parents=True)
    (place / "thing_2.13-1.2.3.jar").write_bytes(BYTES)
    return (tmp_path / "repository").as_uri()


def test_a_missing_jar_is_fetched_and_told(tmp_path: Path, repository: str) -> None:
    told: list[Jar] = []
    assert fetch_missing(tmp_path / "jars", from_repository(repository), jars=[ONE], tell=told.append) == 1
    assert told == [ONE] and jar_paths(tmp_path / "jars", [ONE])[0].read_bytes() == BYTES
    assert [path.name for path in (tmp_path / "jars").iterdir()] == ["thing_2.13-1.2.3.jar"]


def test_a_jar_that_is_there_is_not_fetched_again(tmp_path: Path, repository: str) -> None:
    fetch_missing(tmp_path / "jars", from_repository(repository), jars=[ONE], tell=quiet)

    def refuse(jar: Jar, _folder: Path) -> None:
        raise AssertionError(f"fetched {jar.coordinate} again")

    assert fetch_missing(tmp_path / "jars", refuse, jars=[ONE], tell=quiet) == 0


def test_a_damaged_jar_counts_as_missing(tmp_path: Path, repository: str) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / ONE.file_name).write_bytes(BYTES[:-1])
    assert missing(tmp_path / "jars", [ONE]) == [ONE]
    fetch_missing(tmp_path / "jars", from_repository(repository), jars=[ONE], tell=quiet)
    assert missing(tmp_path / "jars", [ONE]) == []


def test_other_bytes_under_the_same_version_are_refused_and_leave_nothing(tmp_path: Path, repository: str) -> None:
    other = Jar(ONE.group, ONE.artifact, ONE.version, "0" * 64, "a test")
    with pytest.raises(PipelineProblem, match="not the jar that was locked"):
        fetch_missing(tmp_path / "jars", from_repository(repository), jars=[other], tell=quiet)
    assert list((tmp_path / "jars").iterdir()) == []


def test_a_repository_without_the_jar_says_which_address_failed(tmp_path: Path) -> None:
    with pytest.raises(PipelineProblem, match=r"org/example/deep/thing_2.13/1.2.3/thing_2.13-1.2.3.jar"):
        fetch_missing(tmp_path / "jars", from_repository(tmp_path.as_uri()), jars=[ONE], tell=quiet)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(PipelineProblem, match="not the address of a Maven repository"):
        from_repository("/somewhere")


def test_without_maven_the_way_without_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PipelineProblem, match="--repository URL"):
        by_maven(ONE, tmp_path)


def test_a_session_without_jars_is_told_to_run_setup(tmp_path: Path) -> None:
    with pytest.raises(PipelineProblem, match="penstock pipeline setup"):
        jar_paths(tmp_path)


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"PENSTOCK_SPARK_JARS": "/jars", "XDG_CACHE_HOME": "/cache", "HOME": "/home/ada"}, "/jars"),
        ({"XDG_CACHE_HOME": "/cache", "HOME": "/home/ada"}, "/cache/penstock/spark-jars"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/home/ada"}, "/home/ada/.cache/penstock/spark-jars"),
        ({"HOME": "/home/ada"}, "/home/ada/.cache/penstock/spark-jars"),
    ],
)
def test_the_folder_is_the_chosen_one_or_in_the_cache(environment: dict[str, str], folder: str) -> None:
    assert jar_folder(environment) == Path(folder)


def test_every_locked_jar_has_a_whole_digest_and_a_name_of_its_own() -> None:
    assert all(len(bytes.fromhex(jar.sha256)) == 32 for jar in LOCKED)
    assert len({jar.file_name for jar in LOCKED}) == len(LOCKED)

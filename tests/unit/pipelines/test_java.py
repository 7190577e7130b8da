"""Which Java is taken, and what is said where there is none."""

from pathlib import Path

import pytest

from penstock.pipelines.java import find_java, major_version
from penstock.pipelines.problems import PipelineProblem


def a_java(folder: Path, says: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    program = folder / "bin" / "java"
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("said", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_392"', 8),
        ('openjdk version "21" 2023-09-19', 21),
        ("The operation couldn't be completed. Unable to locate a Java Runtime.", None),
    ],
)
def test_the_major_version_is_read(said: str, major: int | None) -> None:
    assert major_version(said) == major


def test_java_home_wins_over_the_path(tmp_path: Path) -> None:
    new = a_java(tmp_path / "new", 'openjdk version "21.0.1"')
    old = a_java(tmp_path / "old", 'java version "1.8.0_392"')
    found = find_java({"JAVA_HOME": str(new), "PATH": f"{old}/bin:/bin:/usr/bin"})
    assert (found.program, found.major) == (new / "bin" / "java", 21)


def test_no_java_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(PipelineProblem, match="no java on the path") as caught:
        find_java({"PATH": str(tmp_path)})
    assert "apt-get install" in str(caught.value)


def test_an_old_java_is_refused_by_its_version(tmp_path: Path) -> None:
    old = a_java(tmp_path, 'java version "1.8.0_392"')
    with pytest.raises(PipelineProblem, match=r"17 or newer; .* is 8"):
        find_java({"PATH": f"{old}/bin"})

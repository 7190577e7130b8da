"""Fragments become a section of the changelog."""

from pathlib import Path

import pytest
from tools.changelog import MARK, main


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "README.md").write_text("How fragments work.")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n{MARK}\n## 0.1.0 (2026-11-18)\n\nThe first one.\n")
    return tmp_path


def test_fragments_are_moved_above_the_last_release(repository: Path) -> None:
    (repository / "changes" / "moon.fixed.md").write_text("The moon rises.\nEvery night.\n")
    (repository / "changes" / "tide.added.md").write_text("Tides.\n")
    main(["0.2.0", "2027-01-01"], root=repository)
    assert (repository / "CHANGELOG.md").read_text() == (
        f"# Changes\n\n{MARK}\n## 0.2.0 (2027-01-01)\n\n### Added\n\n- Tides.\n\n"
        "### Fixed\n\n- The moon rises.\n  Every night.\n\n## 0.1.0 (2026-11-18)\n\nThe first one.\n"
    )
    assert [path.name for path in (repository / "changes").iterdir()] == ["README.md"]


def test_a_release_without_fragments_is_refused(repository: Path) -> None:
    main(["--check"], root=repository)
    before = (repository / "CHANGELOG.md").read_text()
    with pytest.raises(SystemExit, match="no fragments"):
        main(["0.2.0", "2027-01-01"], root=repository)
    assert (repository / "CHANGELOG.md").read_text() == before


@pytest.mark.parametrize(("name", "text", "said"), [("moon.md", "x", "name it"), ("moon.fixed.md", " ", "is empty")])
def test_a_fragment_that_is_not_well_formed_is_named(repository: Path, name: str, text: str, said: str) -> None:
    (repository / "changes" / name).write_text(text)
    with pytest.raises(SystemExit, match=f"{name}: {said}"):
        main(["--check"], root=repository)


def test_the_fragments_of_this_repository_are_well_formed() -> None:
    main(["--check"])

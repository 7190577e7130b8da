"""What several handlers' tests are tried on."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.partitions import Make, SomePartitions


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    """Partitions of one topic, so many and with such settings."""
    made: list[SomePartitions] = []

    def making(count: int = 1, **settings: str) -> SomePartitions:
        named = {name.replace("_", "."): value for name, value in settings.items()}
        made.append(SomePartitions(tmp_path / str(len(made)), count, named))
        return made[-1]

    yield making
    for each in made:
        await each.close()

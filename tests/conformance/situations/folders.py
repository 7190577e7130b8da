"""AlterReplicaLogDirs, on brokers of one data folder: who is refused how.

Moves themselves are judged by Kafka's tool in tests/integration/test_folder_moves.py.
"""

from __future__ import annotations

from typing import Any

from tests.conformance.table import Ask, Body, Made, Situation, Step, Topic, situation

HERE = Made(lambda saved: saved["folders"][0]["log_dir"])
NOWHERE = "/no/such/folder"

folders = Ask({"topics": []}, api="DescribeLogDirs", version=4, save={"folders": "results"})


def to(path: Any, *partitions: int, topic: str = "$orders") -> Body:
    return {"path": path, "topics": [{"name": topic, "partitions": list(partitions)}]}


def moving(name: str, *dirs: Body) -> Situation:
    steps: list[Step | Body] = [Topic("orders", 2), folders, {"dirs": list(dirs)}]
    return situation("AlterReplicaLogDirs", name, *steps)


SITUATIONS = [
    moving("to the folder it is in", to(HERE, 0, 1)),
    moving("to a folder that is none", to(NOWHERE, 0)),
    moving("to a folder by a relative path", to("kafka", 0)),
    moving("to a folder without a name", to("", 0)),
    moving("an unknown partition", to(HERE, 0, 9)),
    moving("a partition below zero", to(HERE, -1)),
    moving("an unknown topic", to(HERE, 0, topic="$missing")),
    moving("an unknown topic to a folder that is none", to(NOWHERE, 0, topic="$missing")),
    moving("a topic whose name is too long for a copy", to(HERE, 0, topic="x" * 249)),
    moving("a topic name that is not valid", to(HERE, 0, topic="a b")),
    moving("one partition named twice", to(NOWHERE, 0), to(HERE, 0)),
    moving("two folders", to(HERE, 0), to(NOWHERE, 1)),
    moving("a topic without partitions", to(HERE)),
    moving("a folder without topics", {"path": NOWHERE, "topics": []}),
    moving("nothing"),
]

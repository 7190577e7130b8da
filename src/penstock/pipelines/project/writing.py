"""The project's files, filled in and written; nothing that exists is written over."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template

from penstock.pipelines.jars import jar_paths
from penstock.pipelines.problems import PipelineProblem

FILES = {
    "spark-pipeline.yml": "spark-pipeline.yml.txt",
    "conf/spark-defaults.conf": "spark-defaults.conf.txt",
    "transformations/orders.py": "orders.py.txt",
    "transforms.py": "transforms.py.txt",
    "tests/test_transforms.py": "test_transforms.py.txt",
    "README.md": "README.md.txt",
}


@dataclass(frozen=True)
class ProjectOptions:
    folder: Path
    bootstrap: str = "127.0.0.1:9092"
    topic: str = "orders"

    @property
    def name(self) -> str:
        return re.sub(r"\W+", "_", self.folder.resolve().name).strip("_").lower() or "pipeline"


def write_project(options: ProjectOptions) -> list[Path]:
    """Writes the project and says which files it has."""
    folder = options.folder.resolve()
    taken = [name for name in FILES if (folder / name).exists()]
    if taken:
        raise PipelineProblem(f"{folder} has {', '.join(taken)} already", hint="Name another folder.")
    values = {
        "name": options.name,
        "bootstrap": options.bootstrap,
        "topic": options.topic,
        "folder": str(folder),
        "jars": ",".join(str(path.resolve()) for path in jar_paths()),
    }
    written = []
    for name, template in FILES.items():
        text = resources.files(__package__).joinpath("files", template).read_text(encoding="utf-8")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(Template(text).substitute(values), encoding="utf-8")
        written.append(path)
    # A schema of this catalog is a folder, and spark-pipelines wants its schema to exist.
    (folder / "warehouse" / options.name).mkdir(parents=True, exist_ok=True)
    return written

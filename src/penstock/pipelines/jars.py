"""The jars that jobs give to Spark: a locked list, fetched once into a folder, each checked by its SHA-256.

Spark's own way (spark.jars.packages) resolves at every start, through whatever the resolver finds; a list that is
locked gives every machine the same bytes, and a started job never waits for a network.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from penstock.pipelines.problems import PipelineProblem

FOLDER_VARIABLE = "PENSTOCK_SPARK_JARS"
_CHUNK_BYTES = 1 << 20
_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Jar:
    group: str
    artifact: str
    version: str
    sha256: str
    purpose: str

    @property
    def file_name(self) -> str:
        return f"{self.artifact}-{self.version}.jar"

    @property
    def coordinate(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def path_in_repository(self) -> str:
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.file_name}"


# One set that is known to work together with PySpark 4.1.1: docs/adr/0025-spark-and-its-jars.md.
LOCKED: tuple[Jar, ...] = (
    Jar(
        "org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.1.1",
        "9c1ce986f548e6b1dcb0e2dfe2f253a0bc58f2232a32a0c9c6c674dd25a8570c", 'format("kafka")',
    ),
    Jar(
        "org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.0.0",
        "f2be3b76f9e6cbe63379d4e4e0dc14f59dbf056ae2ad16ff15ac108004c86767", 'format("kafka")',
    ),
    Jar(
        "org.apache.kafka", "kafka-clients", "3.9.1",
        "7568b998572d256f0b7bc0afdc1b7a2588b8b08415c62ce314c864a6851ae9d9", 'format("kafka")',
    ),
    Jar(
        "org.apache.commons", "commons-pool2", "2.12.1",
        "5273c8bc8c0dca2211175c0d27efbd7228efae99689aac001a8e1ef8e872e9ef", 'format("kafka")',
    ),
    Jar(
        "org.apache.iceberg", "iceberg-spark-runtime-4.1_2.13", "1.12.0",
        "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82", "Iceberg tables",
    ),
    Jar(
        "org.xerial", "sqlite-jdbc", "3.50.3.0",
        "a3f53a2aa15ae9425a9e793bbe9c8e5288febeb4b65ef5c1a4e80d4c2045cf08", "the embedded Iceberg catalog",
    ),
)  # fmt: skip

Fetch = Callable[[Jar, Path], None]
"""Puts a jar into a folder under its file name."""


def jar_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where jobs look for the jars: PENSTOCK_SPARK_JARS, else penstock/spark-jars in the user's cache folder."""
    chosen = environment.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    # The XDG specification says that a relative path is to be ignored.
    cache = environment.get("XDG_CACHE_HOME", "")
    base = Path(cache) if cache.startswith("/") else Path(environment.get("HOME", "~")).expanduser() / ".cache"
    return base / "penstock" / "spark-jars"


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def missing(folder: Path, jars: Sequence[Jar] = LOCKED) -> list[Jar]:
    """What is not there, or not what was locked."""
    return [jar for jar in jars if not _is_whole(folder / jar.file_name, jar)]


def _is_whole(path: Path, jar: Jar) -> bool:
    return path.is_file() and sha256_of(path) == jar.sha256


def jar_paths(folder: Path | None = None, jars: Sequence[Jar] = LOCKED) -> list[Path]:
    """The jars for a session. Only their names are looked at: 70 MB of hashing at every start would be felt."""
    folder = jar_folder() if folder is None else folder
    paths = [folder / jar.file_name for jar in jars]
    absent = [path.name for path in paths if not path.is_file()]
    if absent:
        raise PipelineProblem(
            f"the jars for Spark are not in {folder}: {', '.join(absent)}",
            hint=f"Run once: penstock pipeline setup. Another folder is named by {FOLDER_VARIABLE}.",
        )
    return paths


def fetch_missing(folder: Path, fetch: Fetch, *, jars: Sequence[Jar] = LOCKED, tell: Callable[[Jar], None]) -> int:
    """Bring what is missing, tell of each, and say how many came. Half-fetched files never get a jar's name."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    wanted = missing(folder, jars)
    for jar in wanted:
        tell(jar)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".fetching-") as half:
            fetch(jar, Path(half))
            came = Path(half) / jar.file_name
            if not came.is_file():
                raise PipelineProblem(f"{jar.coordinate} was fetched without an error, and yet there is no jar")
            actual = sha256_of(came)
            if actual != jar.sha256:
                raise PipelineProblem(
                    f"{jar.coordinate} is not the jar that was locked: SHA-256 {actual} instead of {jar.sha256}",
                    hint="The repository gives out something else under this version: do not use it. Try another one\n"
                    "with --repository URL.",
                )
            came.chmod(0o644)
            came.replace(folder / jar.file_name)
    return len(wanted)


def by_maven(jar: Jar, folder: Path) -> None:
    """Through Maven, with whatever repositories and mirrors its settings name."""
    program = shutil.which("mvn")
    if program is None:
        raise PipelineProblem(
            "fetching the jars needs Maven, and there is no mvn on the path",
            hint="On Debian or Ubuntu: sudo apt-get install maven. On macOS: brew install maven. Or give the address\n"
            "of a Maven repository, which needs no Maven: penstock pipeline setup --repository URL.",
        )
    command = [program, "-q", "-B", "-Dstyle.color=never", "dependency:copy", f"-Dartifact={jar.coordinate}"]
    done = subprocess.run(
        [*command, f"-DoutputDirectory={folder}"], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise PipelineProblem(f"Maven could not fetch {jar.coordinate}", hint=_last_lines(done.stdout + done.stderr))


def _last_lines(said: str, count: int = 6) -> str:
    lines = [line.removeprefix("[ERROR] ") for line in said.splitlines() if line.strip() not in ("", "[ERROR]")]
    return "\n".join(lines[:count])


def from_repository(url: str) -> Fetch:
    """Straight from a Maven repository's address: http, https or file."""
    if urllib.parse.urlsplit(url).scheme not in ("http", "https", "file"):
        raise PipelineProblem(f"{url} is not the address of a Maven repository: it begins with http, https or file")

    def fetch(jar: Jar, folder: Path) -> None:
        address = f"{url.rstrip('/')}/{jar.path_in_repository}"
        try:
            with (
                urllib.request.urlopen(address, timeout=_TIMEOUT_S) as answer,
                (folder / jar.file_name).open("wb") as out,
            ):
                shutil.copyfileobj(answer, out, _CHUNK_BYTES)
        except (urllib.error.URLError, OSError) as error:
            raise PipelineProblem(f"could not fetch {address}: {error}") from error

    return fetch

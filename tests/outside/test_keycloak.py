"""Keycloak gives the tokens: docs/operate/security/oidc.md, step by step. Started by `make test-outside`, which fetches
Keycloak from Maven.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from confluent_kafka import KafkaError, Producer
from tests.support import java
from tests.support.command import PATIENT
from tests.support.faults import eventually
from tests.support.kafka import free_ports
from tests.support.secured import environment, secured_broker

from penstock.processes.secured import SecureFolder
from penstock.settings.properties import parse_properties

VERSION: Final = "26.4.0"
FETCHED: Final = Path(__file__).parents[2] / ".cache" / "outside"
HOME: Final = FETCHED / f"keycloak-{VERSION}"
PAGE: Final = (Path(__file__).parents[2] / "docs" / "operate" / "security" / "oidc.md").read_text()
PASSWORD, SECRET = "of-keycloaks-administrator", "of-the-service"
READY_S = 300.0
WITHIN_S = 120.0


def blocks(language: str) -> list[str]:
    section = PAGE.partition("## With Keycloak, step by step")[2].partition("\n## ")[0]
    return [re.sub(r"^   ", "", text, flags=re.M) for text in re.findall(rf"```{language}\n(.*?)```", section, re.S)]


def fetched() -> Path:
    if not HOME.exists():
        mvn = shutil.which("mvn")
        assert mvn is not None, "no mvn on the path"
        artifact = f"-Dartifact=org.keycloak:keycloak-quarkus-dist:{VERSION}:zip"
        subprocess.run(
            [mvn, "-q", "dependency:copy", artifact, f"-DoutputDirectory={FETCHED}"], check=True, timeout=900
        )
        with zipfile.ZipFile(FETCHED / f"keycloak-quarkus-dist-{VERSION}.zip") as archive:
            archive.extractall(FETCHED)
        for script in (HOME / "bin").glob("*.sh"):
            script.chmod(0o755)
    return HOME


class Keycloak:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._home = fetched()
        (self.port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {
            **os.environ,
            "KC_BOOTSTRAP_ADMIN_USERNAME": "admin",
            "KC_BOOTSTRAP_ADMIN_PASSWORD": PASSWORD,
            "KEYCLOAK_PASSWORD": PASSWORD,
            "ORDERS_SECRET": SECRET,
            "PATH": f"{self._home / 'bin'}:{Path(java.java()).parent}:{os.environ['PATH']}",
            "HOME": str(folder),  # where kcadm.sh keeps its session
        }

    def __enter__(self) -> Keycloak:
        options = ["start-dev", "--db=dev-mem", "--http-host=127.0.0.1", f"--http-port={self.port}"]
        with (self._folder / "keycloak.log").open("wb") as log:
            self._process = subprocess.Popen(
                [str(self._home / "bin" / "kc.sh"), *options, "--http-management-port=0", "--cache=local"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environment, start_new_session=True,
            )  # fmt: skip
        try:
            eventually(self._is_up, "Keycloak answers", within_s=READY_S)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, 9)  # the script and its Java, in a group of their own
        self._process.wait()

    def _is_up(self) -> bool:
        assert self._process.poll() is None, (self._folder / "keycloak.log").read_text()
        try:
            with urllib.request.urlopen(f"{self.url}/realms/master", timeout=10) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def run(self, commands: str) -> None:
        script = "set -e\n" + commands.replace("https://login.example", self.url)
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, check=False, timeout=300, env=self._environment
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def keycloak(tmp_path: Path) -> Iterator[Keycloak]:
    with Keycloak(tmp_path) as running:
        for commands in blocks("sh")[:2]:
            running.run(commands)
        yield running


def options(keycloak: Keycloak) -> list[str]:
    (settings,) = blocks("properties")
    found = [
        f"{line.name}={line.value}"
        for line in parse_properties(settings.replace("https://login.example", keycloak.url))
    ]
    return [part for each in found for part in ("--set", each)]


def test_a_service_logs_in_as_the_page_says(keycloak: Keycloak, tmp_path: Path) -> None:
    with secured_broker(tmp_path / "secured", *options(keycloak)) as made:
        (grant,) = (text for text in blocks("sh") if text.startswith("penstock"))
        for command in ("penstock topic create orders", grant.strip()):
            as_admin(made, command)

        def outcome(topic: str) -> KafkaError | None:
            (program,) = blocks("python")
            told: list[KafkaError | None] = []
            producer: Producer = eval(here(program, made, keycloak), {"Producer": Producer, "orders_secret": SECRET})
            producer.produce(topic, b"x", on_delivery=lambda error, _: told.append(error))
            assert producer.flush(WITHIN_S) == 0
            return told[0]

        assert outcome("orders") is None
        refused = outcome("others")
        assert refused is not None and refused.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED


def here(program: str, made: SecureFolder, keycloak: Keycloak) -> str:
    settings = parse_properties(made.settings.read_text())
    (listeners,) = (line.value for line in settings if line.name == "listeners")
    address = listeners.partition(",")[0].rpartition("/")[2]
    program = program.replace("broker1.example.com:9093", address).replace('"ca.pem"', repr(str(made.authority)))
    return program.replace("https://login.example", keycloak.url)


def as_admin(made: SecureFolder, command: str) -> None:
    words = command.split()[1:]
    login = ("--profile", str(made.certificate_profile), *PATIENT)
    done = subprocess.run(
        [sys.executable, "-m", "penstock.cli", *words, *login],
        capture_output=True, text=True, check=False, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr

"""Judges of TLS that CI has no time for: a scanner, and a client in Go. Started by `make test-outside`, which fetches
both.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import WITHIN_S, make_topic
from tests.support.secured import secured_broker
from tests.support.tls import Certificates, broker_of_three_listeners

FRANZ_GO = Path(__file__).parent / "franz_go"
FETCHED = Path(__file__).parents[2] / ".cache" / "outside"
SSLYZE = "sslyze==6.3.1"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def ports(certificates: Certificates) -> Iterator[dict[str, int]]:
    with broker_of_three_listeners(certificates) as (_, ports):
        yield ports


def test_franz_go_reads_what_it_wrote(certificates: Certificates, ports: dict[str, int]) -> None:
    topic = make_topic(f"127.0.0.1:{ports['PLAINTEXT']}", "by-franz-go")
    own = certificates.file("client")
    run_franz_go(f"127.0.0.1:{ports['MUTUAL']}", topic, str(certificates.authority), str(own))


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_franz_go_logs_in_over_tls(tmp_path: Path, mechanism: str) -> None:
    mechanisms = "sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512"
    with secured_broker(tmp_path / "secured", "--set", mechanisms) as made:
        login = json.loads(made.confluent.read_text())
        admin = AdminClient(login)
        admin.create_topics([NewTopic("by-franz-go", 1)])["by-franz-go"].result(WITHIN_S)
        user, password = login["sasl.username"], login["sasl.password"]
        run_franz_go(login["bootstrap.servers"], "by-franz-go", str(made.authority), mechanism, user, password)


def run_franz_go(*arguments: str) -> None:
    go = shutil.which("go")
    assert go is not None, "no go on the path"
    done = subprocess.run(
        [go, "run", ".", *arguments], cwd=FRANZ_GO, capture_output=True, text=True, check=False, timeout=500
    )
    assert (done.returncode, done.stdout) == (0, "from franz-go\n"), done.stderr


def sslyze() -> Path:
    program = FETCHED / "sslyze" / "bin" / "sslyze"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", str(FETCHED / "sslyze")], check=True)
        subprocess.run([str(program.with_name("pip")), "install", "-q", SSLYZE], check=True, timeout=500)
    return program


def test_sslyze_finds_nothing_weak(ports: dict[str, int], tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    subprocess.run(
        [str(sslyze()), "--json_out", str(told), f"localhost:{ports['SSL']}"],
        capture_output=True, check=False, timeout=WITHIN_S, env={**os.environ, "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    (scanned,) = json.loads(told.read_text())["server_scan_results"]
    found: dict[str, Any] = {name: each["result"] for name, each in scanned["scan_result"].items() if each["result"]}
    for old in ("ssl_2_0", "ssl_3_0", "tls_1_0", "tls_1_1"):
        assert found[f"{old}_cipher_suites"]["accepted_cipher_suites"] == [], old
    spoken = {
        each["cipher_suite"]["name"]
        for version in ("tls_1_2", "tls_1_3")
        for each in found[f"{version}_cipher_suites"]["accepted_cipher_suites"]
    }
    assert len(spoken) == 6
    assert all("GCM" in name or "POLY1305" in name for name in spoken), spoken
    assert all("ECDHE" in name for name in spoken if "_WITH_" in name), spoken
    assert not found["heartbleed"]["is_vulnerable_to_heartbleed"]
    assert not found["openssl_ccs_injection"]["is_vulnerable_to_ccs_injection"]
    assert not found["session_renegotiation"]["is_vulnerable_to_client_renegotiation_dos"]
    assert not found["tls_compression"]["supports_compression"]
    assert found["tls_fallback_scsv"]["supports_fallback_scsv"]
    assert "NOT_VULNERABLE" in found["robot"]["robot_result"]

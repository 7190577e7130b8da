"""`penstock audit verify` asks whoever knows how far a log reaches: the broker that runs, or the store of one that does
not.
"""

from pathlib import Path

import pytest
from tests.support.clients import make_topic
from tests.support.command import Penstock
from tests.support.kafka import free_ports
from tests.support.tls import Certificates

from penstock.access.audit.files import files_in
from penstock.processes.broker import RunningBroker
from penstock.testing import broker


def as_options(settings: dict[str, str]) -> list[str]:
    return [text for name, value in settings.items() for text in ("--set", f"{name}={value}")]


def stop_and_cut(running: RunningBroker, folder: Path) -> None:
    """Take the last line away, which the broker has told the store of."""
    running.stop()
    path = files_in(folder)[-1].path
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_cut_log_is_found_while_the_broker_runs_and_when_it_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], scheme: str
) -> None:
    (port,) = free_ports(1)
    settings = {
        "penstock.audit.dir": str(tmp_path / "audit"),
        "penstock.http.listener": f"{scheme}://127.0.0.1:{port}",
        **(Certificates(tmp_path / "tls").of_broker() if scheme == "https" else {}),
    }
    with broker(settings, mode="process", keep_data=False) as running:
        penstock = Penstock(running.bootstrap, monkeypatch, capfd)
        options = [*as_options(settings), "--set", f"log.dirs={running.data_dir}"]
        make_topic(running.bootstrap, "told")
        whole = penstock("audit", "verify", *options)
        assert whole.code == 0, whole
        assert "not compared" not in whole.err
        stop_and_cut(running, tmp_path / "audit")
        if scheme == "http":
            offline = penstock("audit", "verify", *options)
            assert offline.code == 1 and "the metadata store knows of line" in offline.out, offline
        running.start()
        told = penstock("audit", "verify", *options)
        assert told.code == 1 and "the broker found when it started" in told.out, told

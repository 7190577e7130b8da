"""`penstock audit ...` over files: what is shown, what is found, and what the exit code says."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tests.support.command import Outcome, Penstock

from penstock.access.audit import Activity, Asker, Chain, Changed, Event, Head, Resource, api_activity
from penstock.access.audit.events import login
from penstock.access.audit.files import AuditFiles, files_in
from penstock.cli.audit.tail import Follower

Run = Callable[..., Outcome]


@pytest.fixture
def penstock(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Penstock:
    return Penstock("nowhere:1", monkeypatch, capfd)


def created(name: str, *, user: str = "alice", time_ms: int = 1_000, error_code: int = 0) -> Event:
    return api_activity(
        Asker(f"User:{user}", "10.0.0.7", 1234, "tool"),
        operation="CreateTopics",
        version=7,
        activity=Activity.CREATE,
        resources=[Resource("topic", name, Changed(status_code=str(error_code) if error_code else ""))],
        time_ms=time_ms,
    )


def failed_login(user: str, *, time_ms: int) -> Event:
    asker = Asker(f"User:{user}", "10.6.6.6")
    return login(asker, mechanism="PLAIN", error_code=58, reason="wrong", time_ms=time_ms)


def write(folder: Path, broker_id: int, *events: Event, after: Head | None = None) -> Chain:
    files = AuditFiles(folder, broker_id)
    found = files.open()
    chain = Chain(f"audit-{broker_id}", after or found.head)
    first = chain.head.sequence + 1
    files.append([chain.link(event) for event in events], first=first, begins_file=False)
    files.close()
    return chain


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, 1, created("orders"), created("secrets", user="mallory", time_ms=3_000, error_code=29))
    write(tmp_path, 2, created("payments", time_ms=2_000), failed_login("mal\x1b[2Jlory", time_ms=4_000))
    return tmp_path


def names(outcome: Outcome) -> list[str]:
    events = [json.loads(line) for line in outcome.out.splitlines()]
    return [event["resources"][0]["name"] if "resources" in event else "login" for event in events]


def test_events_of_all_brokers_in_the_order_of_time(penstock: Run, folder: Path) -> None:
    assert names(penstock("audit", "search", "--dir", str(folder), "--json")) == [
        "orders",
        "payments",
        "secrets",
        "login",
    ]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--user", "alice"], ["orders", "payments"]),
        (["--user", "User:mallory"], ["secrets"]),
        (["--failed"], ["secrets", "login"]),
        (["--resource", "payments"], ["payments"]),
        (["--host", "10.6.6.6"], ["login"]),
        (["--api", "createtopics", "--since", "2000", "--until", "3000"], ["payments"]),
        (["--user", "nobody"], []),
    ],
)
def test_what_is_searched_for(penstock: Run, folder: Path, options: list[str], found: list[str]) -> None:
    outcome = penstock("audit", "search", "--dir", str(folder), "--json", *options)
    assert outcome.code == 0
    assert names(outcome) == found


def test_a_line_for_people_that_no_name_can_break(penstock: Run, folder: Path) -> None:
    outcome = penstock("audit", "search", "--dir", str(folder), "--failed")
    denied, login_line = outcome.out.splitlines()
    assert "denied  User:mallory  10.0.0.7  CreateTopics  topic secrets  error 29" in denied
    assert "failed" in login_line and "login by PLAIN" in login_line
    assert "\x1b" not in outcome.out and r"mal\x1b[2Jlory" in outcome.out


def test_the_newest(penstock: Run, folder: Path) -> None:
    assert names(penstock("audit", "tail", "--dir", str(folder), "-n", "2", "--json")) == ["secrets", "login"]


def test_what_comes_is_told_once(folder: Path) -> None:
    follower = Follower(folder)
    write(folder, 1, created("meanwhile", time_ms=5_000))
    assert len(list(follower.there())) == 5
    assert follower.more() == []
    write(folder, 1, created("later", time_ms=7_000))
    write(folder, 3, created("from-another", time_ms=6_000))
    assert [event["resources"][0]["name"] for event in follower.more()] == ["from-another", "later"]
    path = files_in(folder)[0].path
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"half":')
    assert follower.more() == []


def test_whole_logs(penstock: Run, folder: Path) -> None:
    outcome = penstock("audit", "verify", "--dir", str(folder))
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        "broker 1: whole; 2 lines in 1 file, 1 to 2",
        "broker 2: whole; 2 lines in 1 file, 1 to 2",
    ]
    assert "not compared with the metadata store" in outcome.err


def test_a_changed_line(penstock: Run, folder: Path) -> None:
    path = files_in(folder)[0].path
    path.write_bytes(path.read_bytes().replace(b"mallory", b"charlie"))
    outcome = penstock("audit", "verify", "--dir", str(folder))
    assert outcome.code == 1
    assert "broker 1: 1 problem" in outcome.out and f"{path.name}:2: the line was changed" in outcome.out
    first, second = json.loads(penstock("audit", "verify", "--dir", str(folder), "--json").out)
    assert (first["is_whole"], second["is_whole"]) == (False, True)


@pytest.fixture
def a_health_page() -> Iterator[tuple[str, dict[str, object]]]:
    """As a broker that is not well tells it."""
    page: dict[str, object] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(page).encode()
            self.send_response(503)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", page
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_cut_end_is_found_by_what_a_broker_knows(
    penstock: Run, folder: Path, a_health_page: tuple[str, dict[str, object]]
) -> None:
    url, page = a_health_page
    head = write(folder, 1, created("last")).head
    page["audit_heads"] = {"1": {"sequence": head.sequence, "hash": head.hash, "time": 0}}
    assert penstock("audit", "verify", "--dir", str(folder), "--health", url).code == 0
    path = files_in(folder)[0].path
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    outcome = penstock("audit", "verify", "--dir", str(folder), "--health", url)
    assert outcome.code == 1
    assert "the log ends at line 2; the metadata store knows of line 3" in outcome.out


def test_a_broker_that_does_not_answer_is_no_whole_log(
    penstock: Run, folder: Path, a_health_page: tuple[str, dict[str, object]]
) -> None:
    url, _ = a_health_page
    outcome = penstock("audit", "verify", "--dir", str(folder), "--health", url)
    assert outcome.code == 1
    assert "does not tell how far audit logs reach" in outcome.err


def test_where_there_is_no_log(penstock: Run, tmp_path: Path) -> None:
    assert penstock("audit", "verify", "--dir", str(tmp_path)).code == 4
    assert penstock("audit", "verify", "--dir", str(tmp_path / "nowhere")).code == 4
    assert penstock("audit", "verify").code == 2
    outcome = penstock("audit", "tail", "--set", "node.id=1")
    assert outcome.code == 1 and "penstock.audit.dir" in outcome.err

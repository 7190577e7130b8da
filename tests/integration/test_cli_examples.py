"""The examples and the README's commands do what they say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.command import PATIENT
from tests.support.faults import eventually
from tests.support.kafka import free_ports

from penstock.cli.cluster.etcd_health import HEALTHY, etcd_health
from penstock.processes.etcd import find_etcd
from penstock.testing import RunningBroker

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"
WITHIN_S = 300


def patient(program: str) -> str:
    """Ten seconds are for people; a machine that stalls may take longer."""
    return program.replace("(10)", "(120)")


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("first_record.py", "0 en hello\n1 fr bonjour\n2 de hallo\n"),
        ("with_aiokafka.py", "0 tick 0\n1 tick 1\n2 tick 2\n"),
    ],
)
def test_an_example_runs(script: str, printed: str, penstock_broker: RunningBroker) -> None:
    outcome = subprocess.run(
        [sys.executable, "-c", patient((EXAMPLES / script).read_text()), penstock_broker.bootstrap],
        capture_output=True, text=True, timeout=WITHIN_S, check=False,
    )  # fmt: skip
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout == printed


def test_the_pytest_example_passes(tmp_path: Path) -> None:
    example = tmp_path / "test_with_a_broker.py"
    example.write_text(patient((EXAMPLES / example.name).read_text()))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pyproject.toml", str(example)]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False, cwd=ROOT)
    assert outcome.returncode == 0, outcome.stdout
    assert "2 passed" in outcome.stdout


AS_TYPED = f"""set -e -o pipefail
penstock() {{ [ "$1" = settings ] && command penstock "$@" || command penstock "$@" {" ".join(PATIENT)}; }}
"""
"""Each command has more time than a person would give it, unless it asks no broker."""


def typed(lines: list[str], bootstrap: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """These commands, as somebody types them in a shell whose broker runs."""
    script = AS_TYPED + "\n".join(line for line in lines if "penstock up" not in line and "--follow" not in line)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    outcome = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=WITHIN_S, check=False, cwd=folder,
        env={**os.environ, "PATH": path, "PENSTOCK_BOOTSTRAP": bootstrap},
    )  # fmt: skip
    assert outcome.returncode == 0, outcome.stderr
    return outcome


def shell_lines(page: Path) -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text(), flags=re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


def test_the_readme_can_be_followed_from_its_first_record_to_its_program(
    penstock_broker: RunningBroker, tmp_path: Path
) -> None:
    readme = (ROOT / "README.md").read_text()
    greeted = [line for line in shell_lines(ROOT / "README.md") if "greetings" in line]
    assert typed(greeted, penstock_broker.bootstrap, tmp_path).stdout == "hello, world\n"
    program = readme.split("```python\n", 1)[1].split("```", 1)[0]
    assert "127.0.0.1:9092" in program
    command = [sys.executable, "-c", patient(program.replace("127.0.0.1:9092", penstock_broker.bootstrap))]
    for offset in (1, 2):  # somebody may run it again
        outcome = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)
        assert outcome.stdout == f"{offset} b'en' b'hello from Python'\n", outcome.stderr


def test_the_tutorials_can_be_typed_one_after_the_other(penstock_broker: RunningBroker, tmp_path: Path) -> None:
    tutorials = ROOT / "docs" / "tutorial"
    first = typed(shell_lines(tutorials / "first-steps.md"), penstock_broker.bootstrap, tmp_path)
    assert "ada\tone coffee" in first.stdout and '"value":"one more"' in first.stdout
    assert "4 records written to orders-copy" in first.stderr
    delivery = typed(shell_lines(tutorials / "delivery.md"), penstock_broker.bootstrap, tmp_path)
    assert "orders already exists" in delivery.stderr and "created invoices" in delivery.stdout
    assert "20 records written to orders" in delivery.stderr


def monitoring() -> tuple[str, str]:
    """What the page on monitoring says of metrics, and of alarms."""
    page = (ROOT / "docs" / "operate" / "monitoring.md").read_text()
    return page.split("## Metrics", 1)[1].split("A Prometheus job", 1)[0], page.split("## Alarms", 1)[1].split("\n## ")[
        0
    ]


def test_metrics_worth_a_look_exist() -> None:
    reference = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    table, _ = monitoring()
    named = re.findall(r"`((?:kafka|penstock|process)_[a-z_]+)`", table)
    assert len(named) > 20 and [name for name in named if f"`{name}`" not in reference] == []


def test_alarms_are_rules_over_metrics_and_labels_that_exist() -> None:
    reference = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    rows = re.findall(r"^\| `([a-z_]+)` \| \w+ \| ([a-z, ]*) \|", reference, flags=re.MULTILINE)
    labels = {name: {label.strip() for label in told.split(",") if label.strip()} for name, told in rows}
    _, alarms = monitoring()
    rules = re.findall(r"- alert: (\w+)\n +expr: (.*)\n", alarms)
    assert len(rules) > 10 and len({name for name, _ in rules}) == len(rules)
    for name, expression in rules:
        used = [each.removesuffix("_bucket") for each in re.findall(r"(?:kafka|penstock)_[a-z_]+", expression)]
        assert used or expression == 'up{job="penstock"} == 0', name
        known = {"instance", "le"}.union(*(labels[each] for each in used))
        by = {label.strip() for listed in re.findall(r"by \(([a-z, ]+)\)", expression) for label in listed.split(",")}
        assert by <= known, name


def test_the_three_members_on_the_page_of_etcd_become_a_cluster(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "operate" / "etcd.md").read_text()
    (written,) = re.findall(r"```sh\n(etcd --name .*?)```", page, flags=re.DOTALL)
    ports = {f"10.0.0.{member}:{port}": free_ports(1)[0] for member in (1, 2, 3) for port in (2379, 2380)}
    members = []
    try:
        for member in ("1", "2", "3"):
            command = written.replace("--name etcd2", f"--name etcd{member}").replace(
                "/var/lib/etcd", str(tmp_path / member)
            )
            options, initial, rest = command.partition("--initial-cluster ")
            peers, _, others = rest.partition(" ")
            options = options.replace("10.0.0.2:", f"10.0.0.{member}:")
            line = f"{options}{initial}{peers} {others}"
            for place, port in ports.items():
                line = line.replace(place, f"127.0.0.1:{port}")
            line = line.replace("etcd --name", f"exec {find_etcd()} --name", 1)
            with open(tmp_path / f"{member}.log", "wb") as log:
                members.append(subprocess.Popen(["bash", "-c", line], stdout=log, stderr=log))
        endpoints = [f"http://127.0.0.1:{ports[f'10.0.0.{member}:2379']}" for member in (1, 2, 3)]
        eventually(lambda: set(etcd_health(",".join(endpoints)).values()) == {HEALTHY}, "all three are healthy")
    finally:
        for process in members:
            process.kill()
            process.wait()


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda path: str(path.relative_to(ROOT)),
)  # fmt: skip
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []

"""Programs of the documentation's pages, run as they stand, and killed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.raw import RawClient, port_of

DOCS = Path(__file__).parents[2] / "docs"


def programs(page: str) -> dict[str, str]:
    """The last program below each heading of a page of docs/."""
    found = {}
    for section in (DOCS / page).read_text().split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        for program in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            found[heading] = program
    return found


@contextmanager
def running(program: str, bootstrap: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    path = folder / "program.py"
    path.write_text(
        program.replace("127.0.0.1:9092", bootstrap).replace(
            '"enable.auto.commit": False,', '"enable.auto.commit": False, "heartbeat.interval.ms": 200,'
        )
    )
    (group,) = re.findall(r'"group.id": "(.*)"', program)
    with open(folder / "program.log", "ab") as log:
        process = subprocess.Popen([sys.executable, str(path)], stdout=log, stderr=log, env=os.environ)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        show_out(bootstrap, group)


def show_out(bootstrap: str, group: str) -> None:
    """A dead member would hold its partitions until its session ends, and a session so short that the test need not
    wait for that would end on a busy machine while the program lives.
    """
    with RawClient(port_of(bootstrap)) as client:
        (described,) = client.request("DescribeGroups", 5, {"groups": [group]})["groups"]
        members = [{"member_id": member["member_id"]} for member in described["members"]]
        left = client.request("LeaveGroup", 4, {"group_id": group, "members": members})
    assert {each["error_code"] for each in (left, *left["members"])} == {0}, left

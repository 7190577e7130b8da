"""`python -m benchmarks.instructions.rights`: what rights add to a broker's hot path, in instructions, with 10,000
access rules against no authorizer. Asserts nothing; at most 3 % is what we promise.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

import structlog
from rich.console import Console
from rich.table import Table

from benchmarks.figures import Alone, Better, Figure, alone
from benchmarks.instructions.counting import Counter, count
from benchmarks.instructions.steps import assemble, dispatch, produce, wake
from benchmarks.micro_dispatch import harness
from penstock.access.acls import Acl, PatternType, Permission, encode, entry_name
from penstock.access.rights import Operation, ResourceKind
from penstock.broker.node import Node

MODULE = "benchmarks.instructions.rights"
RULES = 10_000
EVERYBODY = Acl(ResourceKind.TOPIC, "*", PatternType.LITERAL, "User:*", "*", Operation.ALL, Permission.ALLOW)
ON = {"authorizer.class.name": "penstock"}


def learn_rules(node: Node) -> None:
    """Half of them prefixed, of 200 users; one lets everybody do what the steps do."""
    assert node.services is not None
    acls = [EVERYBODY]
    for number in range(RULES - 1):
        pattern = PatternType.PREFIXED if number % 2 else PatternType.LITERAL
        user, operation = f"User:{number % 200}", (Operation.READ, Operation.WRITE)[number % 3 == 0]
        acls.append(Acl(ResourceKind.TOPIC, f"team-{number}", pattern, user, "*", operation, Permission.ALLOW))
    for acl in acls:
        node.services.authorizer.learn(entry_name(acl), encode(acl))


async def steps(counter: Counter, folder: Path, *, is_on: bool) -> None:
    async with harness(
        folder, settings=ON if is_on else {}, prepare=learn_rules if is_on else lambda _node: None
    ) as broker:
        assemble(counter, broker)
        dispatch(counter, broker)
        produce(counter, broker)
        await wake(counter, broker)


def measure() -> list[Alone]:
    """What rules add to each step, in percent."""
    off, on = count(MODULE, "off"), count(MODULE, "on")
    added = {step: 100 * (on[step] / instructions - 1) for step, instructions in off.items()}
    title = f"{RULES:,} access rules: instructions added to"
    figures = [Figure(f"rules.{step}", f"{title} {step}", "%", Better.LOWER, limit=3.0) for step in added]
    return alone(figures, {f"rules.{step}": [percent] for step, percent in added.items()})


def main() -> None:
    if len(sys.argv) > 1:  # under valgrind
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
        with tempfile.TemporaryDirectory(prefix="penstock-bench-") as name:
            asyncio.run(steps(Counter(), Path(name), is_on=sys.argv[1] == "on"))
        return
    off, on = count(MODULE, "off"), count(MODULE, "on")
    table = Table(title=f"Instructions a step, with {RULES:,} access rules", title_justify="left")
    for heading in ("", "without", "with", "more"):
        table.add_column(heading, justify="right" if heading else "left")
    for step, instructions in off.items():
        table.add_row(step, f"{instructions:,.0f}", f"{on[step]:,.0f}", f"{on[step] / instructions - 1:+.1%}")
    Console().print(table)


if __name__ == "__main__":
    main()

"""`penstock view explain`: a filter as the broker reads it. It asks no broker, unless a view is named."""

from collections.abc import Iterator

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import Failure, NotFound
from penstock.cli.output import json_option, print_json
from penstock.cli.view.facts import views
from penstock.delivery.views.filter import Filter
from penstock.settings.view_filter import tree
from penstock.settings.view_filter.parsing import parse
from penstock.settings.view_filter.words import FilterError


@click.command(no_args_is_help=True)
@click.argument("view", required=False)
@click.option("-w", "--where", "text", metavar="FILTER", help="Explain this filter, instead of a view's.")
@client_options
@json_option
def explain(view: str | None, text: str | None, cluster: Cluster, as_json: bool) -> None:
    """Say how a filter is read, and what it costs to look for what matches.

    \b
    penstock view explain orders-eu
    penstock view explain --where "header.region = 'eu' and size < 10000"
    """
    if (view is None) == (text is None):
        raise click.UsageError("name a view, or give a filter with --where")
    text = _filter_of(view, cluster) if text is None else text
    try:
        node, wanted = parse(text), Filter.of(text)
    except FilterError as problem:
        raise Failure(f"{problem}\n  {text}\n  {' ' * problem.position}^") from None
    if as_json:
        print_json({"filter": text, "reads": list(_lines(node)), "searches_first": bool(wanted.needles)})
        return
    for line in _lines(node):
        click.echo(line)
    click.echo(_cost(wanted))


def _filter_of(view: str | None, cluster: Cluster) -> str:
    found = next((each.filter for each in views(cluster) if each.view == view), None)
    if found is None:
        raise NotFound(f"there is no view {view}; `penstock view list` shows those that there are")
    return found


def _cost(wanted: Filter) -> str:
    if wanted.is_everything:
        return "cost: none, records are sent as they lie in the log"
    if wanted.needles:
        return "cost: small, records are opened only where what every match holds is found in their batch"
    return "cost: every record is opened, as nothing is known that every match holds"


def _lines(node: tree.Node, indent: str = "") -> Iterator[str]:
    deeper = indent + "  "
    match node:
        case tree.All(()):
            yield f"{indent}every record"
        case tree.All(nodes) | tree.Any(nodes):
            yield f"{indent}{'all of' if isinstance(node, tree.All) else 'any of'}"
            for each in nodes:
                yield from _lines(each, deeper)
        case tree.Not(inner):
            yield f"{indent}not"
            yield from _lines(inner, deeper)
        case tree.Compare(operand, sign, literal):
            yield f"{indent}{_operand(operand)} {sign} {literal!r}"
        case tree.In(operand, literals):
            yield f"{indent}{_operand(operand)} is one of {', '.join(map(repr, literals))}"
        case tree.Like(operand, pattern):
            yield f"{indent}{_operand(operand)} is like {pattern!r}"
        case tree.Exists(header):
            yield f"{indent}{_operand(header)} is there"
        case tree.IsNull(operand):
            yield f"{indent}{'the key' if isinstance(operand, tree.Key) else 'the value'} is null"


def _operand(operand: tree.Operand) -> str:
    match operand:
        case tree.Header(name):
            return f"header {name}"
        case tree.Key():
            return "the key"
        case tree.Size():
            return "the bytes of key and value"
        case tree.Timestamp():
            return "the timestamp"

"""What the commands about tokens share."""

from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import click

from penstock.cli.client import Cluster
from penstock.cli.exits import NotFound
from penstock.cli.records import parse_length_ms
from penstock.model.words import did_you_mean
from penstock.wire.messages.describe_delegation_token_response import DescribedDelegationToken

MECHANISM = "SCRAM-SHA-512"


def length_option(name: str, parameter: str, help: str) -> Callable[[Any], Any]:
    """A length of time such as 7d, in milliseconds; -1 unless given, which leaves it to the cluster."""

    def parse(_context: click.Context, _option: click.Parameter, text: str | None) -> int:
        try:
            return -1 if text is None else parse_length_ms(text)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return click.option(name, parameter, metavar="LENGTH", callback=parse, help=help)


def moment(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds")


def secret(hmac: bytes) -> str:
    """As clients give it for a password."""
    return b64encode(hmac).decode()


def find(cluster: Cluster, token_id: str) -> DescribedDelegationToken:
    """Whoever may describe a token is told its secret too, so that nobody needs to type it."""
    with cluster.doing("list tokens") as client:
        tokens = {token.token_id: token for token in client.describe_tokens()}
    if token_id not in tokens:
        raise NotFound(
            f"there is no token {token_id!r} that you may see.{did_you_mean(token_id, tokens, sentence=True)}",
            hint="`penstock token list` shows which there are.",
        )
    return tokens[token_id]

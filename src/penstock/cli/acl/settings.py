"""What brokers say of their authorizer's settings."""

from typing import NamedTuple

from penstock.cli.client import Cluster
from penstock.cli.cluster.settings import broker_settings
from penstock.cli.exits import Failure
from penstock.cli.output import note

AUTHORIZER, SUPER_USERS = "authorizer.class.name", "super.users"
WITHOUT_RULES, DRY_RUN = "allow.everyone.if.no.acl.found", "penstock.authorizer.dry.run"


class AuthorizerSettings(NamedTuple):
    is_on: bool
    is_dry_run: bool
    super_users: tuple[str, ...]
    allows_without_rules: bool


def authorizer_settings(cluster: Cluster) -> AuthorizerSettings:
    """Of one of the brokers. Whoever may not read them is told so, and goes on as if none were set."""
    broker_id = min(cluster.client().core.metadata.brokers)
    try:
        told = broker_settings(cluster, broker_id, AUTHORIZER, SUPER_USERS, WITHOUT_RULES, DRY_RUN)
    except Failure as failure:
        note(f"super users are not known here: {failure.message}")
        told = {AUTHORIZER: "unknown"}
    super_users = tuple(name for each in told.get(SUPER_USERS, "").split(";") if (name := each.strip()))
    return AuthorizerSettings(
        bool(told.get(AUTHORIZER)), told.get(DRY_RUN) == "true", super_users, told.get(WITHOUT_RULES) == "true"
    )

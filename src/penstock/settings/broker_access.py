"""Broker settings about who may do what."""

from penstock.settings.checks import Check, at_least, one_of
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import BOOLEAN, INT, STRING

_BROKER = Scope.BROKER
_LOW = Importance.LOW

KAFKAS_AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
AUTHORIZERS = (KAFKAS_AUTHORIZER, "penstock")
"""Two names of the same."""


def super_users(text: str) -> tuple[str, ...]:
    """Those named, split at semicolons: a name may have commas."""
    return tuple(name for each in text.split(";") if (name := each.strip()))


def _are_principals(text: str) -> bool:
    return all(all(each.partition(":")) for each in super_users(text))


AUTHORIZER_CLASS_NAME = setting(
    "authorizer.class.name", _BROKER, STRING, default="", check=one_of("", *AUTHORIZERS), importance=_LOW,
    doc=f"Given {KAFKAS_AUTHORIZER} (or {AUTHORIZERS[1]}), access rules say who may do what, and who is not mentioned "
    "may do nothing. Any other refuses the start. Left empty, everybody may do everything. Let it be the same on all "
    "brokers.",
)  # fmt: skip
SUPER_USERS = setting(
    "super.users", _BROKER, STRING, default="",
    check=Check("principals with semicolons between them: User:alice;User:CN=ops,O=example", _are_principals),
    doc="Who may do everything, whatever the rules say: User:admin;User:CN=ops,O=example;Group:admins. "
    "Semicolons stand between them. Without an authorizer the start is refused.",
)  # fmt: skip
ALLOW_EVERYONE_IF_NO_ACL_FOUND = setting(
    "allow.everyone.if.no.acl.found", _BROKER, BOOLEAN, default=False,
    doc="Whether everybody may do everything with a resource that no access rule mentions.",
)  # fmt: skip
PENSTOCK_AUTHORIZER_DRY_RUN = setting(
    "penstock.authorizer.dry.run", _BROKER, BOOLEAN, default=False, live=True,
    doc="Let through what the access rules deny, and only count and log it: to try rules out under a running load.",
)  # fmt: skip
PENSTOCK_ACLS_MAX = setting(
    "penstock.acls.max", _BROKER, INT, default=500_000, check=at_least(0), live=True, importance=_LOW,
    doc="Access rules that the cluster takes. More are refused with POLICY_VIOLATION.",
)  # fmt: skip

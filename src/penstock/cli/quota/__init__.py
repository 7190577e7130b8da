"""`penstock quota ...`: one file a command."""

from penstock.cli.program import LazyGroup

quota = LazyGroup(
    "quota",
    help="How much users, clients, addresses and tenants may take: quotas set, listed and deleted.",
    commands_at={
        "set": ("penstock.cli.quota.set:set_quota", "Set quotas."),
        "list": ("penstock.cli.quota.list:list_quotas", "List quotas."),
        "delete": ("penstock.cli.quota.delete:delete", "Delete quotas."),
    },
)

__all__ = ["quota"]

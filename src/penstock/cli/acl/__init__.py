"""`penstock acl ...`: one file a command."""

from penstock.cli.program import LazyGroup

acl = LazyGroup(
    "acl",
    help="Who may do what: rules (ACLs) added, listed, deleted and explained.",
    commands_at={
        "add": ("penstock.cli.acl.add:add", "Add rules, one by one or for a producer or consumer."),
        "list": ("penstock.cli.acl.list:list_acls", "List rules."),
        "delete": ("penstock.cli.acl.delete:delete", "Delete rules."),
    },
)

__all__ = ["acl"]

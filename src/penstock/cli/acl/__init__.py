"""`penstock acl ...`: one file a command."""

from penstock.cli.program import LazyGroup

acl = LazyGroup(
    "acl",
    help="Who may do what: rules (ACLs) added, listed, deleted, explained and tried out.",
    commands_at={
        "add": ("penstock.cli.acl.add:add", "Add rules, one by one or for a producer or consumer."),
        "list": ("penstock.cli.acl.list:list_acls", "List rules."),
        "delete": ("penstock.cli.acl.delete:delete", "Delete rules."),
        "explain": ("penstock.cli.acl.explain:explain", "Tell whether somebody may do something, and why."),
        "dry-run": ("penstock.cli.acl.dry_run:dry_run", "Let what rules deny through, and only log it."),
    },
)

__all__ = ["acl"]

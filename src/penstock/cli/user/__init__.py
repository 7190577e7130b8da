"""`penstock user ...`: one file a command. Users are those who log in with a password (SCRAM, and PLAIN by it)."""

from penstock.cli.program import LazyGroup

user = LazyGroup(
    "user",
    help="Users who log in with a password: add, list, delete, new passwords, mechanisms, groups.",
    commands_at={
        "add": ("penstock.cli.user.add:add", "Add a user."),
        "list": ("penstock.cli.user.list:list_users", "List users and how they may log in."),
        "delete": ("penstock.cli.user.delete:delete", "Delete users."),
        "password": ("penstock.cli.user.password:password", "Give a user another password."),
        "groups": ("penstock.cli.user.groups:groups", "Show and change which groups a user is in."),
        "scram": ("penstock.cli.user.scram:scram", "Show, add and remove a user's mechanisms."),
    },
)

__all__ = ["user"]

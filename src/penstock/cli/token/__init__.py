"""`penstock token ...`: one file a command."""

from penstock.cli.program import LazyGroup

token = LazyGroup(
    "token",
    help="Delegation tokens: logins of a limited life, for jobs that shall not know a password.",
    commands_at={
        "create": ("penstock.cli.token.create:create", "Make a token for oneself."),
        "renew": ("penstock.cli.token.renew:renew", "Put a token's end off."),
        "expire": ("penstock.cli.token.expire:expire", "End a token now, or at a time."),
        "list": ("penstock.cli.token.list:list_tokens", "List tokens, without their secrets."),
    },
)

__all__ = ["token"]

"""What is told of each login to whoever keeps watch: the audit log."""

import msgspec

from penstock.access.principal import Principal


class LoginEvent(msgspec.Struct, frozen=True):
    principal: Principal
    """Who it is; of a failure, who it said it was, which anybody can say. The name may be empty."""
    mechanism: str
    host: str
    listener: str
    reason: str = ""
    """Why it failed; empty for a login."""
    is_again: bool = False
    """A renewal of a login on the same connection (KIP-368)."""
    by_token: bool = False
    """By a delegation token."""

    @property
    def is_success(self) -> bool:
        return not self.reason

"""Who asks, and from where: what decisions of access are about."""

from penstock.access.principal import ANONYMOUS, Principal


class Subject:
    """One for each login of a connection. Whoever has not logged in is `User:ANONYMOUS`."""

    __slots__ = ("allowed", "allowed_count", "allowed_version", "by_token", "groups", "host", "principal")

    def __init__(
        self,
        principal: Principal = ANONYMOUS,
        *,
        host: str = "",
        groups: tuple[str, ...] = (),
        by_token: bool = False,
    ) -> None:
        self.principal = principal
        self.host = host
        """The address that the connection came from, without its port."""
        self.groups = groups
        """Of the user, by the store or by claims of its token: each counts as a principal `Group:name`."""
        self.by_token = by_token
        """Whether it logged in by a delegation token, which may not be used to make another."""
        self.allowed: dict[object, set[str]] = {}
        """Names that the authorizer has allowed, by what was asked (a right), as of `allowed_version`."""
        self.allowed_count = 0
        self.allowed_version = -1

    def __repr__(self) -> str:
        return f"<{self.principal} from {self.host or 'here'}>"

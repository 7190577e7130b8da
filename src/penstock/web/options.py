"""What the web process may take, each bound with what happens at it. `penstock web` has an option for each."""

import msgspec

MIB = 1024 * 1024


class WebOptions(msgspec.Struct, frozen=True, kw_only=True):
    read_only: bool = False
    """Refuse all that writes, with 403, whoever asks."""
    hosts: tuple[str, ...] = ()
    """Names by which it may be asked for (the Host header), besides those of this machine; `*` is any. Others get
    421: a page of another site whose name leads here shall reach nothing."""
    broker_pages: str = ""
    """Where a broker's /health, /ready and /metrics are: those paths are passed on to it. Empty: 404."""
    body_bytes_max: int = 16 * MIB
    """Of a request. A larger one gets 413, and nothing of it is written."""
    connections_max: int = 1_000
    """At once, streams included. Above that a request gets 503."""
    logins_max: int = 200
    """Users whose connections to the cluster are kept. Above that the one that was idle longest has to go; if none is
    idle, a new one gets 503."""
    login_idle_s: float = 60.0
    """How long connections of a user are kept that nobody uses."""
    timeout_s: float = 30.0
    """For what the cluster is asked. After that the answer is 504."""

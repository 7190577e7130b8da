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
    records_max: int = 1_000
    """In one answer, and in one request. More in a request is 413."""
    read_bytes_max: int = 4 * MIB
    """Of records in one answer, about: a partition's first batch comes whole."""
    wait_ms_max: int = 30_000
    """How long a request may wait for records. More is taken for this."""
    streams_max: int = 500
    """SSE and WebSocket readers at once. Above that a new one gets 503, and comes back later."""
    stream_stall_s: float = 60.0
    """A reader of a stream that takes nothing for so long is cut off. It resumes where it was."""
    leases_max: int = 10_000
    """Records that are lent to users of leases at once. Above that nothing more is lent: 429."""
    lease_idle_s: float = 60.0
    """How long a member of a share group stays that nobody asks for records and that holds none."""
    advertised: str = ""
    """http://HOST:PORT by which the other web processes reach this one: leases name it. Empty: where it listens."""
    peers: tuple[str, ...] = ()
    """The other web processes, as they are advertised: acknowledgements of their leases are passed on to them. Those
    of leases of others again get 409."""
    lease_members_max: int = 8
    """Members of a share group that stand for one user's requests; as many may wait for records at once."""
    connections_max: int = 1_000
    """At once, streams included. Above that a request gets 503."""
    logins_max: int = 200
    """Users whose connections to the cluster are kept. Above that the one that was idle longest has to go; if none is
    idle, a new one gets 503."""
    login_idle_s: float = 60.0
    """How long connections of a user are kept that nobody uses."""
    timeout_s: float = 30.0
    """For what the cluster is asked. After that the answer is 504."""

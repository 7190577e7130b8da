"""SaslHandshake and SaslAuthenticate where nobody is asked to authenticate."""

from __future__ import annotations

from tests.conformance.table import situation

SITUATIONS = [
    *(
        situation("SaslHandshake", f"mechanism {mechanism or 'of no name'}", {"mechanism": mechanism})
        for mechanism in ("PLAIN", "SCRAM-SHA-256", "PENSTOCK", "")
    ),
    situation("SaslHandshake", "twice", {"mechanism": "PLAIN"}, {"mechanism": "GSSAPI"}),
    situation("SaslAuthenticate", "out of the blue", {"auth_bytes": b"\0user\0password"}),
    situation("SaslAuthenticate", "with nothing", {"auth_bytes": b""}),
]

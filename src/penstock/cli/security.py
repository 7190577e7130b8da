"""librdkafka's properties about TLS and SASL, as Penstock's own client takes them."""

from collections.abc import Mapping
from typing import Any, Final

from penstock.cli.exits import Failure

PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
"""penstock.client.sasl speaks these; it is loaded where somebody logs in."""
HEEDED: Final = frozenset(
    {
        "client.id",
        "enable.ssl.certificate.verification",
        "sasl.mechanism",
        "sasl.mechanisms",
        "sasl.password",
        "sasl.username",
        "security.protocol",
        "ssl.ca.location",
        "ssl.ca.pem",
        "ssl.certificate.location",
        "ssl.endpoint.identification.algorithm",
        "ssl.key.location",
        "ssl.key.password",
    }
)
_ELSEWHERE: Final = ("ssl.certificate.pem", "ssl.key.pem", "ssl.keystore.location", "sasl.oauthbearer.method")
"""Whoever gives these means to prove who they are, and our client cannot."""


def security(properties: Mapping[str, str]) -> dict[str, Any]:
    """`tls` and `sasl` for a client. Failure, in words, where a file or a mechanism cannot be used."""
    protocol = properties.get("security.protocol", "plaintext").upper()
    if protocol not in PROTOCOLS:
        raise Failure(f"security.protocol is {protocol}; there are {', '.join(PROTOCOLS)}")
    if unheeded := [name for name in _ELSEWHERE if name in properties]:
        raise Failure(
            f"this command does not heed {unheeded[0]}",
            hint="Keys and certificates are read from PEM files: ssl.certificate.location and ssl.key.location.",
        )
    found: dict[str, Any] = {}
    if protocol.endswith("SSL"):
        found["tls"] = _context(properties)
    if protocol.startswith("SASL"):
        from penstock.client.sasl import Sasl  # noqa: PLC0415 - rarely needed

        mechanism = properties.get("sasl.mechanism", properties.get("sasl.mechanisms", "GSSAPI"))
        if mechanism not in MECHANISMS:
            raise Failure(
                f"this command does not speak {mechanism}; there are {', '.join(MECHANISMS)} (sasl.mechanism)"
            )
        found["sasl"] = Sasl(properties.get("sasl.username", ""), properties.get("sasl.password", ""), mechanism)
    return found


def _context(properties: Mapping[str, str]) -> Any:
    import ssl  # noqa: PLC0415 - rarely needed

    try:
        context = ssl.create_default_context(
            cafile=properties.get("ssl.ca.location"),
            cadata=properties.get("ssl.ca.pem", "").replace("\\n", "\n") or None,
        )
        if certificate := properties.get("ssl.certificate.location"):
            key, password = properties.get("ssl.key.location"), properties.get("ssl.key.password")
            context.load_cert_chain(certificate, key, password)
    except OSError as error:
        raise Failure(
            f"the files for TLS cannot be used: {error}", hint="ssl.ca.location and the like name them."
        ) from error
    verifies = properties.get("enable.ssl.certificate.verification", "true").lower() != "false"
    names_host = properties.get("ssl.endpoint.identification.algorithm", "https").lower() != "none"
    context.check_hostname = verifies and names_host
    if not verifies:
        context.verify_mode = ssl.CERT_NONE
    return context

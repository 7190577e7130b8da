"""librdkafka's properties about TLS and SASL, as Penstock's own client takes them."""

from collections.abc import Mapping
from typing import Any

from penstock.cli.exits import Failure


def security(properties: Mapping[str, str]) -> dict[str, Any]:
    """`tls` and `sasl` for a client. Failure, in words, where a file or a mechanism cannot be used."""
    protocol = properties.get("security.protocol", "plaintext").upper()
    found: dict[str, Any] = {}
    if protocol.endswith("SSL"):
        found["tls"] = _context(properties)
    if protocol.startswith("SASL"):
        from penstock.client.sasl import MECHANISMS, Sasl  # noqa: PLC0415 - rarely needed

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
        context = ssl.create_default_context(cafile=properties.get("ssl.ca.location"))
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

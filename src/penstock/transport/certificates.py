"""Certificates of one's own: an authority, and what it signs for brokers and clients.

ECDSA on P-256: a handshake costs half of what it does with RSA-2048. This module is imported where it is used, and not
before: `cryptography` takes its time to load, and a broker without TLS has no use for it.
"""

import ipaddress
import os
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_DAYS = 3650
CERTIFICATE_DAYS = 365
_BACKDATED = timedelta(hours=1)
"""Clocks of other machines may be a little behind."""


class Identity(NamedTuple):
    """A certificate, followed by those that lead to its authority, and its private key (PKCS 8); both PEM."""

    certificate: bytes
    key: bytes

    def __repr__(self) -> str:
        return "<Identity>"  # the key is nobody's to see


class Certificate(NamedTuple):
    """What a person wants to know of one."""

    subject: str
    issuer: str
    names: tuple[str, ...]
    """Hosts and addresses that it is good for."""
    not_before: datetime
    not_after: datetime
    fingerprint: str
    """SHA-256, in hex."""
    is_authority: bool

    def days_left(self, now: datetime) -> float:
        """Below zero: it has expired."""
        return (self.not_after - now) / timedelta(days=1)


def make_authority(name: str, *, now: datetime, days: int = AUTHORITY_DAYS) -> Identity:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _name(name)
    built = (
        _begun(subject, subject, key.public_key(), now, days)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    return _signed(built, key, key, ())


def issue(
    authority: Identity,
    name: str,
    *,
    now: datetime,
    hosts: Iterable[str] = (),
    days: int = CERTIFICATE_DAYS,
    organization: str | None = None,
) -> Identity:
    """A certificate with `name` as its CN. With `hosts` (names and addresses) it is good for a server; for a client it
    is in any case, as brokers are both.
    """

    signer = x509.load_pem_x509_certificate(authority.certificate)
    signing_key: Any = form.load_pem_private_key(authority.key, None)
    key = ec.generate_private_key(ec.SECP256R1())
    names = [_host(host) for host in hosts]
    purposes = [ExtendedKeyUsageOID.CLIENT_AUTH, *([ExtendedKeyUsageOID.SERVER_AUTH] if names else [])]
    built = (
        _begun(_name(name, organization), signer.subject, key.public_key(), now, days)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key()), critical=False)
    )
    if names:
        built = built.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return _signed(built, key, signing_key, (authority.certificate,))


def write_identity(identity: Identity, *, certificate: Path, key: Path) -> None:
    """Into two files, or both into one where they are the same. Only the owner may read a key."""
    if certificate == key:
        _write(key, identity.key + identity.certificate, mode=0o600)
    else:
        _write(key, identity.key, mode=0o600)
        _write(certificate, identity.certificate, mode=0o644)


def read_identity(*, certificate: Path, key: Path) -> Identity:
    """ValueError where a file holds something else."""

    chain = b"".join(each.public_bytes(form.Encoding.PEM) for each in _certificates(certificate.read_bytes()))
    private = form.load_pem_private_key(key.read_bytes(), None)
    return Identity(chain, private.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()))


def look_into(pem: bytes) -> list[Certificate]:
    """Every certificate of a file, in its order. ValueError where there is none."""
    return [_described(each) for each in _certificates(pem)]


def _certificates(pem: bytes) -> list[x509.Certificate]:
    return x509.load_pem_x509_certificates(pem)


def _described(certificate: x509.Certificate) -> Certificate:
    extensions = certificate.extensions
    try:
        names = tuple(str(name.value) for name in extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
    except x509.ExtensionNotFound:
        names = ()
    try:
        is_authority = extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        is_authority = False
    return Certificate(
        certificate.subject.rfc4514_string(),
        certificate.issuer.rfc4514_string(),
        names,
        certificate.not_valid_before_utc,
        certificate.not_valid_after_utc,
        certificate.fingerprint(SHA256()).hex(),
        is_authority,
    )


def _begun(subject: x509.Name, issuer: x509.Name, public_key: Any, now: datetime, days: int) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BACKDATED)
        .not_valid_after(now + timedelta(days=days))
    )


def _signed(builder: x509.CertificateBuilder, key: Any, signing_key: Any, above: Iterable[bytes]) -> Identity:
    certificate = builder.sign(signing_key, SHA256()).public_bytes(form.Encoding.PEM)
    private = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    return Identity(b"".join((certificate, *above)), private)


def _name(common_name: str, organization: str | None = None) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.COMMON_NAME, common_name)]
    if organization:
        parts.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    return x509.Name(parts)


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _write(file: Path, data: bytes, *, mode: int) -> None:
    """Whole or not at all: a broker may read it at any moment."""
    beside = file.with_name(f".{file.name}.new")
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(data)
        opened.flush()
        os.fsync(opened.fileno())
    beside.replace(file)

"""From certificates and keys in PEM to contexts of TLS. What cannot be used is told in words, before anything depends
on it.

Python's `ssl` reads files only, so text goes through a file in memory that has no name.
"""

import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from penstock.transport.certificates import Certificate, look_into

CIPHERS: Final = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""Of TLS 1.2. All have forward secrecy and authenticate what they encrypt, as all of TLS 1.3 do."""
CLIENT_AUTH: Final = {"none": ssl.CERT_NONE, "requested": ssl.CERT_OPTIONAL, "required": ssl.CERT_REQUIRED}
_VERSIONS: Final = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
_OF_1_3: Final = frozenset(("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"))
_OF_1_2: Final = {
    f"TLS_ECDHE_{key}_WITH_{standard}": f"ECDHE-{key}-{name}"
    for key in ("ECDSA", "RSA")
    for standard, name in (
        ("AES_128_GCM_SHA256", "AES128-GCM-SHA256"),
        ("AES_256_GCM_SHA384", "AES256-GCM-SHA384"),
        ("CHACHA20_POLY1305_SHA256", "CHACHA20-POLY1305"),
    )
}
_CRL: Final = b"-----BEGIN X509 CRL-----"
_KERNEL_TLS: Final = 8
"""OP_ENABLE_KTLS of OpenSSL, which Python names from 3.12."""


class Pem(NamedTuple):
    """Where PEM comes from: a file, or text that stands in a setting."""

    setting: str
    """What names it, for a person."""
    file: str | None = None
    text: str | None = None

    def read(self) -> bytes:
        """ValueError where it cannot be."""
        if self.text is not None:
            return self.text.encode()
        assert self.file is not None
        try:
            return Path(self.file).read_bytes()
        except OSError as error:
            raise ValueError(f"{self.setting}: {self.file} cannot be read: {error.strerror}") from error

    def __str__(self) -> str:
        return self.setting if self.file is None else f"{self.setting}: {self.file}"

    def __repr__(self) -> str:
        return f"<{self}>"


class TlsSettings(NamedTuple):
    """All that a context is made of."""

    certificate: Pem | None = None
    """With those that lead to its authority, and with its key where `key` is not given."""
    key: Pem | None = None
    key_password: str | None = None
    trusted: Pem | None = None
    protocols: tuple[str, ...] = tuple(_VERSIONS)
    cipher_suites: tuple[str, ...] = ()
    client_auth: str = "none"
    identifies_host: bool = True
    """Whether a server's certificate must name the host that was meant."""

    @property
    def files(self) -> list[str]:
        return [each.file for each in (self.certificate, self.key, self.trusted) if each is not None and each.file]


class TlsContext(NamedTuple):
    ssl: ssl.SSLContext
    certificates: list[Certificate]
    """Its own: the first is shown, the others lead from it to the authority."""
    trusted: list[Certificate]


def server_context(settings: TlsSettings, *, now: datetime, in_kernel: bool = False) -> TlsContext:
    """ValueError, in words, where it cannot be made, or nobody could connect. `in_kernel`: where OpenSSL and the kernel
    agree on it.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _choose(context, settings)
    # No client takes a session up again: its certificate is looked at every time.
    context.num_tickets = 0
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_CIPHER_SERVER_PREFERENCE | ssl.OP_NO_COMPRESSION
    if in_kernel:
        context.options |= _KERNEL_TLS
    own = _load_own(context, settings, now)
    context.verify_mode = CLIENT_AUTH[settings.client_auth]
    trusted = _load_trusted(context, settings.trusted, now) if settings.trusted is not None else []
    return TlsContext(context, own, trusted)


def client_context(settings: TlsSettings, *, now: datetime) -> TlsContext:
    """For who connects. Without authorities of its own it believes those that the machine does."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    _choose(context, settings)
    context.check_hostname = settings.identifies_host
    own = _load_own(context, settings, now) if settings.certificate is not None else []
    if settings.trusted is None:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
        return TlsContext(context, own, [])
    return TlsContext(context, own, _load_trusted(context, settings.trusted, now))


def _choose(context: ssl.SSLContext, settings: TlsSettings) -> None:
    suites = settings.cipher_suites
    unknown = [each for each in suites if each not in _OF_1_2 and each not in _OF_1_3]
    if unknown:
        raise ValueError(
            f"ssl.cipher.suites: {unknown[0]} is not spoken here. There are {', '.join((*_OF_1_3, *_OF_1_2))}"
        )
    spoken = {_VERSIONS[name] for name in settings.protocols}
    if suites:
        of_1_3 = _OF_1_3.intersection(suites)
        if of_1_3 and of_1_3 != _OF_1_3:
            raise ValueError(f"ssl.cipher.suites must name all of TLS 1.3 or none: {', '.join(sorted(_OF_1_3))}")
        if not of_1_3:
            spoken.discard(ssl.TLSVersion.TLSv1_3)
    of_1_2 = [_OF_1_2[each] for each in suites if each in _OF_1_2]
    if suites and not of_1_2:
        spoken.discard(ssl.TLSVersion.TLSv1_2)
    if not spoken:
        raise ValueError("ssl.cipher.suites has none for the versions that ssl.enabled.protocols names")
    context.minimum_version, context.maximum_version = min(spoken), max(spoken)
    context.set_ciphers(":".join(of_1_2) or CIPHERS)


def _load_own(context: ssl.SSLContext, settings: TlsSettings, now: datetime) -> list[Certificate]:
    certificate, key = settings.certificate, settings.key
    assert certificate is not None
    own = _look_into(certificate)
    _require_valid(certificate, own, now)
    pem = certificate.read() if key is None else key.read() + b"\n" + certificate.read()
    where = certificate if key is None else key
    if b"PRIVATE KEY-----" not in pem:
        raise ValueError(f"{where} has no private key (-----BEGIN PRIVATE KEY-----)")

    def password() -> str:
        if settings.key_password is None:
            raise ValueError(f"{where}: the private key is encrypted: ssl.key.password must open it")
        return settings.key_password

    with _unnamed(pem) as path:
        try:
            context.load_cert_chain(path, password=password)
        except ssl.SSLError as error:
            _refuse_key(where, error, has_password=settings.key_password is not None)
    return own


def _refuse_key(where: Pem, error: ssl.SSLError, *, has_password: bool) -> NoReturn:
    if "KEY_VALUES_MISMATCH" in str(error) or "KEY_TYPE_MISMATCH" in str(error):
        raise ValueError(f"{where}: the private key is not the certificate's") from error
    wrong_password = " or ssl.key.password does not open it" if has_password else ""
    raise ValueError(f"{where}: the private key cannot be read{wrong_password} ({error.reason or error})") from error


def _load_trusted(context: ssl.SSLContext, trusted: Pem, now: datetime) -> list[Certificate]:
    """One authority that is good is enough: while authorities change, an old one may still be in the file."""
    authorities = _look_into(trusted)
    if all(each.not_after <= now for each in authorities):
        raise ValueError(f"{trusted}: {_expired(max(authorities, key=lambda each: each.not_after))}")
    pem = trusted.read()
    with _unnamed(pem) as path:
        try:
            context.load_verify_locations(path)
        except ssl.SSLError as error:
            raise ValueError(f"{trusted} cannot be read: {error.reason or error}") from error
    if _CRL in pem:
        context.verify_flags |= ssl.VerifyFlags.VERIFY_CRL_CHECK_LEAF
    return authorities


def _look_into(source: Pem) -> list[Certificate]:
    pem = source.read()
    try:
        return look_into(pem)
    except ValueError as error:
        if b"-----BEGIN CERTIFICATE-----" not in pem:
            raise ValueError(f"{source} has no certificate in PEM (-----BEGIN CERTIFICATE-----)") from error
        raise ValueError(f"{source} has a certificate that cannot be read: {error}") from error


def _require_valid(source: Pem, certificates: list[Certificate], now: datetime) -> None:
    for each in certificates:
        if each.not_after <= now:
            raise ValueError(f"{source}: {_expired(each)}")
        if each.not_before > now:
            raise ValueError(f"{source}: the certificate of {each.subject} is good from {each.not_before:%Y-%m-%d} on")


def _expired(certificate: Certificate) -> str:
    return f"the certificate of {certificate.subject} has expired on {certificate.not_after:%Y-%m-%d}"


@contextmanager
def _unnamed(pem: bytes) -> Iterator[str]:
    """A path that exists in this process only. Nothing is written to a disk."""
    descriptor = os.memfd_create("pem", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, pem)
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)

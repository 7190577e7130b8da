"""Certificates and keys that cannot be used are told of in words."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from tests.support.tls import Certificates

from penstock.transport.contexts import Pem, TlsContext, TlsSettings, client_context, server_context

NOW = datetime.now(UTC) + timedelta(hours=1)
"""Certificates are made while the tests run, which may be minutes after this line: by then they are good."""


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    certificates = Certificates(tmp_path_factory.mktemp("tls"))
    certificates.broker_file()
    return certificates


def own(certificates: Certificates) -> Pem:
    return Pem("ssl.keystore.location", file=str(certificates.folder / "broker.pem"))


def from_text(text: bytes) -> Pem:
    return Pem("ssl.keystore.location", text=text.decode())


def shaken(server: TlsContext, client: TlsContext) -> ssl.SSLObject:
    """Both ends in memory, handshake made."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = server.ssl.wrap_bio(there, back, server_side=True)
    theirs = client.ssl.wrap_bio(back, there, server_hostname="localhost")
    waiting = {ours, theirs}
    while waiting:
        for end in (theirs, ours):
            try:
                end.do_handshake()
                waiting.discard(end)
            except ssl.SSLWantReadError:
                pass
    return theirs


def trusting(certificates: Certificates, **more: object) -> TlsContext:
    return client_context(
        TlsSettings(trusted=Pem("ssl.truststore.location", file=str(certificates.authority)), **more),  # type: ignore[arg-type]
        now=NOW,
    )


def test_forward_secrecy_and_nothing_older_than_1_2(certificates: Certificates) -> None:
    server = server_context(TlsSettings(own(certificates)), now=NOW)
    names = {cipher["name"] for cipher in server.ssl.get_ciphers()}
    assert names
    assert all(name.startswith(("TLS_", "ECDHE-")) and "CBC" not in name and name[-3:] != "SHA384" for name in names)
    assert not any(name.endswith("-SHA") for name in names)
    assert shaken(server, trusting(certificates)).version() == "TLSv1.3"


@pytest.mark.parametrize(
    ("suites", "protocols", "spoken"),
    [
        ((), ("TLSv1.2",), ("TLSv1.2", None)),
        (
            ("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",),
            ("TLSv1.2", "TLSv1.3"),
            ("TLSv1.2", "ECDHE-ECDSA-AES128-GCM-SHA256"),
        ),
        (
            ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"),
            ("TLSv1.2", "TLSv1.3"),
            ("TLSv1.3", None),
        ),
    ],
)  # fmt: skip
def test_versions_and_suites_are_chosen(
    certificates: Certificates, suites: tuple[str, ...], protocols: tuple[str, ...], spoken: tuple[str, str | None]
) -> None:
    settings = TlsSettings(own(certificates), cipher_suites=suites, protocols=protocols)
    end = shaken(server_context(settings, now=NOW), trusting(certificates))
    cipher = end.cipher()
    assert cipher is not None
    assert (end.version(), spoken[1] or cipher[0]) == (spoken[0], cipher[0])


@pytest.mark.parametrize(
    ("suites", "protocols", "why"),
    [
        (("TLS_RSA_WITH_AES_128_CBC_SHA",), ("TLSv1.2",), "not spoken here"),
        (("TLS_AES_128_GCM_SHA256",), ("TLSv1.3",), "all of TLS 1.3 or none"),
        (("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",), ("TLSv1.3",), "none for the versions"),
    ],
)
def test_suites_that_cannot_be_kept_to_are_refused(
    certificates: Certificates, suites: tuple[str, ...], protocols: tuple[str, ...], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        server_context(TlsSettings(own(certificates), cipher_suites=suites, protocols=protocols), now=NOW)


def test_files_that_cannot_be_used_are_told_of(certificates: Certificates, tmp_path: Path) -> None:
    good, other = certificates.issue("one"), certificates.issue("two")
    old = certificates.issue("old", since_days=30, days=10)
    (tmp_path / "folder").mkdir()
    refused = {
        "cannot be read: No such file": Pem("ssl.keystore.location", file=str(tmp_path / "missing.pem")),
        "cannot be read: Is a directory": Pem("ssl.keystore.location", file=str(tmp_path / "folder")),
        "no certificate in PEM": from_text(b"hello"),
        "has no private key": from_text(good.certificate),
        "not the certificate's": from_text(other.key + good.certificate),
        "has a certificate that cannot be read": from_text(good.key + good.certificate.replace(b"MII", b"MIJ", 1)),
        "the private key cannot be read": from_text(good.key.replace(b"MI", b"MA", 1) + good.certificate),
        "CN=old has expired": from_text(old.key + old.certificate),
    }
    for why, pem in refused.items():
        with pytest.raises(ValueError, match=why):
            server_context(TlsSettings(pem), now=NOW)
    with pytest.raises(ValueError, match="is good from"):
        server_context(TlsSettings(from_text(good.key + good.certificate)), now=NOW - timedelta(days=2))


def test_an_encrypted_key_takes_its_password(certificates: Certificates) -> None:
    made = certificates.issue("secret", hosts=["localhost"])
    key = load_pem_private_key(made.key, None).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"open")
    )
    pem = from_text(key + made.certificate)
    assert shaken(server_context(TlsSettings(pem, key_password="open"), now=NOW), trusting(certificates))
    with pytest.raises(ValueError, match=r"ssl\.key\.password does not open it"):
        server_context(TlsSettings(pem, key_password="wrong"), now=NOW)
    with pytest.raises(ValueError, match=r"ssl\.key\.password must open it"):
        server_context(TlsSettings(pem), now=NOW)


def test_authorities_are_refused_once_all_have_expired(certificates: Certificates, tmp_path: Path) -> None:
    old = Certificates(tmp_path, name="Old CA", since_days=30, days=10).identity.certificate
    with pytest.raises(ValueError, match="CN=Old CA has expired"):
        client_context(TlsSettings(trusted=from_text(old)), now=NOW)
    both = client_context(TlsSettings(trusted=from_text(old + certificates.identity.certificate)), now=NOW)
    assert shaken(server_context(TlsSettings(own(certificates)), now=NOW), both)


def test_a_server_must_name_the_host_unless_that_is_switched_off(certificates: Certificates) -> None:
    made = certificates.issue("elsewhere", hosts=["elsewhere.example"])
    server = server_context(TlsSettings(from_text(made.key + made.certificate)), now=NOW)
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        shaken(server, trusting(certificates))
    assert shaken(server, trusting(certificates, identifies_host=False))

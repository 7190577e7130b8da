"""A certificate's subject as Java writes it. tests/integration/test_tls_judged_by_java.py asks Java itself."""

from datetime import UTC, datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from penstock.access.distinguished_name import subject_of


def certificate_of(*parts: tuple[x509.ObjectIdentifier, str]) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(*part) for part in parts])
    day = datetime(2026, 1, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 7, day, day.replace(year=2027))
    return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.DER)


def test_attributes_go_from_the_last_to_the_first() -> None:
    certificate = certificate_of(
        (NameOID.COUNTRY_NAME, "CH"), (NameOID.ORGANIZATION_NAME, "Org"), (NameOID.COMMON_NAME, "duke")
    )
    assert subject_of(certificate) == "CN=duke,O=Org,C=CH"


def test_what_has_no_name_is_its_number_and_its_der() -> None:
    certificate = certificate_of((NameOID.EMAIL_ADDRESS, "a@b"), (NameOID.USER_ID, "u"))
    assert subject_of(certificate) == "UID=u,1.2.840.113549.1.9.1=#1603614062"


def test_what_could_be_mistaken_is_escaped() -> None:
    certificate = certificate_of((NameOID.COMMON_NAME, ' a,b=c"d\\ '), (NameOID.ORGANIZATION_NAME, "#é"))
    assert subject_of(certificate) == r"O=\#é,CN=\ a\,b\=c\"d\\\ "


def test_a_certificate_may_have_no_subject() -> None:
    assert subject_of(certificate_of()) == ""


WHOLE = certificate_of((NameOID.COMMON_NAME, "duke"))


@given(st.binary(max_size=60) | st.integers(0, len(WHOLE) - 1).map(lambda end: WHOLE[:end]))
def test_bytes_that_are_no_certificate_are_a_valueerror(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"DER|subject|object|unpack"):
        subject_of(data)

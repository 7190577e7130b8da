"""Broker settings about TLS: certificates, whom to trust, and what strangers may cost before they have shaken hands.

Each may be given to one listener alone: `listener.name.<name>.ssl.client.auth`.
"""

from penstock.settings.checks import at_least, each_of, one_of
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import INT, LIST, LONG, PASSWORD, STRING, seconds

_BROKER = Scope.BROKER
_LOW = Importance.LOW

SSL_KEYSTORE_LOCATION = setting(
    "ssl.keystore.location", _BROKER, STRING, default=None,
    doc="PEM file with the broker's private key and its certificate, followed by those that lead to the authority. The "
    "file is read again when it changes: new connections get the new certificate, open ones live on.",
)  # fmt: skip
SSL_KEYSTORE_TYPE = setting(
    "ssl.keystore.type", _BROKER, STRING, default="PEM",
    doc="PEM is the only type (Kafka's default is JKS). Given another, the broker names the command that converts it.",
)  # fmt: skip
SSL_KEYSTORE_CERTIFICATE_CHAIN = setting(
    "ssl.keystore.certificate.chain", _BROKER, PASSWORD, default=None,
    doc="The broker's certificate and those that lead to the authority, as PEM text instead of a file.",
)  # fmt: skip
SSL_KEYSTORE_KEY = setting(
    "ssl.keystore.key", _BROKER, PASSWORD, default=None,
    doc="The broker's private key as PEM text (PKCS 8), for ssl.keystore.certificate.chain.",
)  # fmt: skip
SSL_KEYSTORE_PASSWORD = setting(
    "ssl.keystore.password", _BROKER, PASSWORD, default=None,
    doc="Refused, as in Kafka with type PEM: ssl.key.password is the one that opens an encrypted key.",
)  # fmt: skip
SSL_KEY_PASSWORD = setting(
    "ssl.key.password", _BROKER, PASSWORD, default=None,
    doc="Opens the private key where it is encrypted.",
)  # fmt: skip
SSL_TRUSTSTORE_LOCATION = setting(
    "ssl.truststore.location", _BROKER, STRING, default=None,
    doc="PEM file with the authorities whose certificates are believed, of clients and of other brokers. It is read "
    "again when it changes.",
)  # fmt: skip
SSL_TRUSTSTORE_TYPE = setting(
    "ssl.truststore.type", _BROKER, STRING, default="PEM",
    doc="PEM is the only type (Kafka's default is JKS).",
)  # fmt: skip
SSL_TRUSTSTORE_CERTIFICATES = setting(
    "ssl.truststore.certificates", _BROKER, PASSWORD, default=None,
    doc="The authorities as PEM text instead of a file.",
)  # fmt: skip
SSL_TRUSTSTORE_PASSWORD = setting(
    "ssl.truststore.password", _BROKER, PASSWORD, default=None,
    doc="Refused, as in Kafka with type PEM: certificates have no password.",
)  # fmt: skip
SSL_CLIENT_AUTH = setting(
    "ssl.client.auth", _BROKER, STRING, default="none", check=one_of("none", "requested", "required"),
    doc="Whether clients are asked for a certificate. One that is shown must be good in any case; required refuses who "
    "shows none. It takes a TLS listener and a trust store.",
)  # fmt: skip
SSL_PRINCIPAL_MAPPING_RULES = setting(
    "ssl.principal.mapping.rules", _BROKER, STRING, default="DEFAULT",
    doc="From the subject of a client's certificate to its user's name: RULE:pattern/replacement/[LU], or DEFAULT for "
    "the subject as it is, separated by commas. The first whose pattern matches counts.",
)  # fmt: skip
SSL_ENABLED_PROTOCOLS = setting(
    "ssl.enabled.protocols", _BROKER, LIST, default=("TLSv1.2", "TLSv1.3"), check=each_of("TLSv1.2", "TLSv1.3"),
    doc="Versions of TLS that are spoken.",
)  # fmt: skip
SSL_CIPHER_SUITES = setting(
    "ssl.cipher.suites", _BROKER, LIST, default=(),
    doc="Cipher suites by their standard names; empty, all with forward secrecy and AES-GCM or ChaCha20. Without any "
    "of TLS 1.3 that version is not spoken; otherwise its three must all be named.",
)  # fmt: skip
SSL_ENDPOINT_IDENTIFICATION_ALGORITHM = setting(
    "ssl.endpoint.identification.algorithm", _BROKER, STRING, default="https", check=one_of("https", "HTTPS", ""),
    doc="Whether another broker's certificate must name the host that this broker connects to; empty: it need not.",
)  # fmt: skip
PENSTOCK_TLS = setting(
    "penstock.tls", _BROKER, STRING, default="required", check=one_of("required", "optional"),
    doc="With optional, a TLS listener also serves clients that do not encrypt, told by the first byte. For the time "
    "in which clients move to TLS.",
)  # fmt: skip
PENSTOCK_TLS_HALF_OPEN_MAX = setting(
    "penstock.tls.half.open.max", _BROKER, INT, default=1000, check=at_least(1), live=True,
    doc="Connections that may be in their TLS handshake at once. At the limit the oldest of them is closed: an honest "
    "handshake takes milliseconds.",
)  # fmt: skip
PENSTOCK_TLS_HANDSHAKES_PER_SECOND_MAX = setting(
    "penstock.tls.handshakes.per.second.max", _BROKER, INT, default=500, check=at_least(1), live=True,
    doc="TLS handshakes begun in a second. At the limit further ones wait their turn, unread. A handshake takes about "
    "0.6 ms of CPU with an ECDSA key, twice that with RSA.",
)  # fmt: skip
PENSTOCK_TLS_HANDSHAKE_TIMEOUT_MS = setting(
    "penstock.tls.handshake.timeout.ms", _BROKER, INT, default=seconds(10), check=at_least(1), live=True,
    doc="A connection that has not finished its TLS handshake by then is closed.",
)  # fmt: skip
PENSTOCK_TLS_RELOAD_MS = setting(
    "penstock.tls.reload.ms", _BROKER, LONG, default=seconds(10), check=at_least(1), live=True,
    doc="How often the broker looks whether files of certificates and keys have changed. New connections get what it "
    "finds, open ones live on.",
)  # fmt: skip
PENSTOCK_TLS_KERNEL = setting(
    "penstock.tls.kernel", _BROKER, STRING, default="auto", check=one_of("auto", "never", "always"),
    doc="Whether the kernel encrypts what is sent (kTLS), so that records go from file to network uncopied. auto: "
    "where it can, and where its AES is the processor's.",
)  # fmt: skip

"""What a secured broker needs, as files in one folder: an authority, certificates, keys, the first user, settings.

Made whole or not at all, in a folder that holds nothing else. Whoever can read it owns the cluster, so only its owner
can. Certificates are renewed in place: brokers read them again by themselves.
"""

import json
import secrets
import shutil
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.processes.private_files import write_private

if TYPE_CHECKING:
    import ssl

    from penstock.transport.certificates import Identity

ADMIN: Final = "admin"
MECHANISM: Final = "SCRAM-SHA-512"
BROKER_NAME: Final = "penstock-broker"
AUTHORITY_NAME: Final = "Penstock authority"
NEAR: Final = ("localhost", "127.0.0.1", "::1")
"""The broker's certificate is good for this machine in any case."""
PASSWORD_BYTES: Final = 24
REAUTH_MS: Final = 3_600_000
"""Whoever is deleted is out by then."""
_END: Final = b"-----END CERTIFICATE-----\n"


class SecureFolder:
    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.authority = self.path / "ca.pem"
        self.authority_key = self.path / "ca.key"
        self.broker = self.path / "broker.pem"
        """Key and certificate, for brokers and for etcd."""
        self.admin = self.path / f"{ADMIN}.pem"
        """Key and certificate: the way in for who has lost the password."""
        self.secrets_key = self.path / "secrets.key"
        self.first_users = self.path / "first-users"
        self.settings = self.path / "penstock.properties"
        self.profile = self.path / f"{ADMIN}.properties"
        self.certificate_profile = self.path / f"{ADMIN}-certificate.properties"
        self.confluent = self.path / f"{ADMIN}.confluent.json"
        self.java = self.path / f"{ADMIN}.java.properties"
        self.spark = self.path / f"{ADMIN}.spark.json"
        self.audit = self.path / "audit"
        self.data = self.path / "data"

    @property
    def is_made(self) -> bool:
        return self.authority_key.exists()

    def make(
        self,
        *,
        now: datetime,
        users_at: str,
        certificates_at: str,
        hosts: Iterable[str] = (),
        password: str | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """Everything, for brokers on these hosts. Who has a password connects to one address, who has a certificate to
        the other. The first user's password is made up unless one is given. `settings` are a broker's own, for the file
        that `penstock up --config` takes. FileExistsError where the folder holds anything.
        """
        from penstock.access.sealing import write_new_key  # noqa: PLC0415 - heavy, as are certificates
        from penstock.access.users.first import first_user_lines  # noqa: PLC0415
        from penstock.transport.certificates import issue, make_authority, write_identity  # noqa: PLC0415

        if self.path.exists() and any(self.path.iterdir()):
            raise FileExistsError(str(self.path))
        password = password or secrets.token_urlsafe(PASSWORD_BYTES)
        beside = SecureFolder(self.path.with_name(f".{self.path.name}.new"))
        shutil.rmtree(beside.path, ignore_errors=True)  # of one that was interrupted
        beside.path.mkdir(mode=0o700, parents=True)
        try:
            authority = make_authority(AUTHORITY_NAME, now=now)
            write_identity(authority, certificate=beside.authority, key=beside.authority_key)
            names = dict.fromkeys((*hosts, *NEAR))
            for file, identity in (
                (beside.broker, issue(authority, BROKER_NAME, now=now, hosts=names)),
                (beside.admin, issue(authority, ADMIN, now=now)),
            ):
                write_identity(identity, certificate=file, key=file)
            write_new_key(beside.secrets_key)
            texts = {self.first_users: first_user_lines(ADMIN, password), self.settings: self._settings_text(settings)}
            for path, text in (texts | self._logins(users_at, certificates_at, password)).items():
                write_private(beside.path / path.name, text)
            beside.path.replace(self.path)  # over an empty folder too
        except BaseException:
            shutil.rmtree(beside.path, ignore_errors=True)
            raise

    # Certificates anew ----------------------------------------------------------------------------------------------

    def renew_certificates(self, more_hosts: Iterable[str] = (), *, now: datetime) -> list[Path]:
        """From the newest authority, good for the same hosts and more. ValueError where a file holds something else."""
        from penstock.transport.certificates import issue, look_into, write_identity  # noqa: PLC0415

        authority = self._newest_authority()
        hosts = dict.fromkeys((*look_into(self.broker.read_bytes())[0].names, *more_hosts))
        write_identity(issue(authority, BROKER_NAME, now=now, hosts=hosts), certificate=self.broker, key=self.broker)
        write_identity(issue(authority, ADMIN, now=now), certificate=self.admin, key=self.admin)
        return [self.broker, self.admin]

    def add_authority(self, *, now: datetime) -> list[Path]:
        """Another one, whose certificates are believed besides; none are made from it yet."""
        from penstock.transport.certificates import make_authority, write_identity  # noqa: PLC0415

        before = self.authority.read_bytes()
        made = make_authority(AUTHORITY_NAME, now=now)
        both = made._replace(certificate=made.certificate + before)
        write_identity(both, certificate=self.authority, key=self.authority_key)
        return [self.authority, self.authority_key]

    def keep_newest_authority(self) -> list[Path]:
        """ValueError while the broker's certificate comes from another."""
        from penstock.transport.certificates import write_identity  # noqa: PLC0415

        newest = self._newest_authority()
        if newest.certificate == self.authority.read_bytes():
            return []
        if newest.certificate not in self.broker.read_bytes():
            raise ValueError("its broker's certificate comes from an older authority: make certificates anew first")
        write_identity(newest, certificate=self.authority, key=self.authority_key)
        return [self.authority]

    def _newest_authority(self) -> "Identity":
        """The first in the file, whose key is there."""
        from penstock.transport.certificates import Identity  # noqa: PLC0415

        first, end, _ = self.authority.read_bytes().partition(_END)
        if not end:
            raise ValueError(f"{self.authority.name} holds no certificate")
        return Identity(first + end, self.authority_key.read_bytes())

    # Settings and logins --------------------------------------------------------------------------------------------

    def broker_settings(self) -> dict[str, str]:
        """All but addresses and data folders, for brokers with a listener SASL_SSL and one SSL."""
        return {
            "ssl.keystore.location": str(self.broker),
            "ssl.truststore.location": str(self.authority),
            "listener.name.ssl.ssl.client.auth": "required",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": f"User:{ADMIN};User:CN={ADMIN}",
            "connections.max.reauth.ms": str(REAUTH_MS),
            "penstock.secrets.key.file": str(self.secrets_key),
            "penstock.bootstrap.users.file": str(self.first_users),
            "penstock.audit.dir": str(self.audit),
        }

    def cluster_settings(self) -> dict[str, str]:
        """Besides, for a cluster: brokers talk to each other and to etcd by certificate, both ways."""
        return {
            **self.broker_settings(),
            "inter.broker.listener.name": "SSL",
            "penstock.etcd.tls.ca.file": str(self.authority),
            "penstock.etcd.tls.certificate.file": str(self.broker),
            "penstock.etcd.tls.key.file": str(self.broker),
        }

    def lacks(self, hosts: Iterable[str]) -> set[str]:
        """Those that the broker's certificate does not name."""
        from penstock.transport.certificates import look_into  # noqa: PLC0415

        return set(hosts) - set(look_into(self.broker.read_bytes())[0].names)

    def by_certificate(self) -> "ssl.SSLContext":
        """For connections as the administrator."""
        import ssl  # noqa: PLC0415

        context = ssl.create_default_context(cafile=str(self.authority))
        context.load_cert_chain(self.admin)
        return context

    def _settings_text(self, own: Mapping[str, str] | None) -> str:
        settings = {**(own or {}), **self.broker_settings()}
        return lines(
            {name: java_escaped(value) for name, value in settings.items()}, "Run it: penstock up --config FILE"
        )

    def move_logins(self, *, users_at: str, certificates_at: str) -> None:
        """Write the first user's files for other addresses."""
        password = json.loads(self.confluent.read_text(encoding="utf-8"))["sasl.password"]
        for path, text in self._logins(users_at, certificates_at, password).items():
            write_private(path, text)

    def _logins(self, users_at: str, certificates_at: str, password: str) -> dict[Path, str]:
        """The first user's files for every kind of client."""
        by_password = {
            "bootstrap.servers": users_at,
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": MECHANISM,
            "sasl.username": ADMIN,
            "sasl.password": password,
            "ssl.ca.location": str(self.authority),
        }
        by_certificate = {
            "bootstrap.servers": certificates_at,
            "security.protocol": "SSL",
            "ssl.ca.location": str(self.authority),
            "ssl.certificate.location": str(self.admin),
            "ssl.key.location": str(self.admin),
        }
        java = java_login(by_password)
        return {
            self.profile: lines(by_password, f"For penstock --profile {self.path / ADMIN}, and kcat -F."),
            self.certificate_profile: lines(by_certificate, "For penstock --profile, where the password is lost."),
            self.confluent: json.dumps(by_password, indent=2) + "\n",
            self.java: lines({name: java_escaped(value) for name, value in java.items()}, "For Kafka's Java clients."),
            self.spark: json.dumps({f"kafka.{name}": value for name, value in java.items()}, indent=2) + "\n",
        }


def lines(properties: Mapping[str, str], comment: str) -> str:
    return "".join([f"# {comment}\n", *(f"{name}={value}\n" for name, value in properties.items())])


# Java --------------------------------------------------------------------------------------------------------------


def java_login(properties: Mapping[str, str], *, is_token: bool = False) -> dict[str, str]:
    """librdkafka's properties of a login by SCRAM or PLAIN, as Java's clients want them."""
    mechanism = properties["sasl.mechanism"]
    module = "scram.ScramLoginModule" if mechanism.startswith("SCRAM") else "plain.PlainLoginModule"
    user, password = (_quoted(properties[name]) for name in ("sasl.username", "sasl.password"))
    token = ' tokenauth="true"' if is_token else ""
    found = {
        "bootstrap.servers": properties["bootstrap.servers"],
        "security.protocol": properties["security.protocol"].upper(),
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": (
            f"org.apache.kafka.common.security.{module} required username={user} password={password}{token};"
        ),
    }
    if authority := properties.get("ssl.ca.location"):
        found |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": authority}
    return found


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def java_escaped(value: str) -> str:
    """As a value in a Java properties file, which has escapes and is read as Latin-1."""
    units = value.replace("\\", "\\\\").encode("utf-16-be")
    codes = [int.from_bytes(units[at : at + 2]) for at in range(0, len(units), 2)]
    return "".join(chr(code) if 0x20 <= code < 0x7F else f"\\u{code:04x}" for code in codes)

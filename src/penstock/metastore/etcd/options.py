"""How to reach an etcd: what the settings `penstock.etcd.*` say, checked and read."""

from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from penstock.metastore.port import Unusable
from penstock.settings import Config
from penstock.settings import broker as settings

DEFAULT_PORT = 2379


class EtcdOptions(msgspec.Struct, frozen=True):
    """`probe_key` is read when a connection is made, so a user with rights on the cluster's keys only can read it."""

    endpoints: tuple[str, ...]
    probe_key: str
    username: str = ""
    password: str = ""
    ca_file: str | None = None
    certificate_file: str | None = None
    key_file: str | None = None
    request_timeout_ms: int = 3_000

    @property
    def request_timeout_s(self) -> float:
        return self.request_timeout_ms / 1000

    @property
    def attempt_timeout_s(self) -> float:
        """What one endpoint may cost a call that others could answer as well."""
        return self.request_timeout_s / len(self.endpoints)


class Secrets(msgspec.Struct, frozen=True):
    """What the TLS files hold."""

    ca: bytes | None
    certificate: bytes | None
    key: bytes | None


def options_from(config: Config) -> EtcdOptions:
    return EtcdOptions(
        endpoints=config[settings.PENSTOCK_ETCD_ENDPOINTS],
        probe_key=f"/penstock/{config[settings.PENSTOCK_CLUSTER_NAME]}/",
        username=config[settings.PENSTOCK_ETCD_USERNAME],
        password=config[settings.PENSTOCK_ETCD_PASSWORD],
        ca_file=config[settings.PENSTOCK_ETCD_TLS_CA_FILE],
        certificate_file=config[settings.PENSTOCK_ETCD_TLS_CERTIFICATE_FILE],
        key_file=config[settings.PENSTOCK_ETCD_TLS_KEY_FILE],
        request_timeout_ms=config[settings.PENSTOCK_ETCD_REQUEST_TIMEOUT_MS],
    )


def address(endpoint: str) -> tuple[str, bool]:
    """HOST:PORT, and whether TLS was asked for: `https://a:2379`, `http://a:2379` or `a:2379`."""
    parts = urlsplit(endpoint if "://" in endpoint else f"//{endpoint}")
    try:
        if parts.scheme not in ("", "http", "https") or not parts.hostname:
            raise ValueError(endpoint)
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        return f"{host}:{parts.port or DEFAULT_PORT}", parts.scheme == "https"
    except ValueError:
        raise Unusable(f"{endpoint!r} in penstock.etcd.endpoints is not [http[s]://]HOST:PORT") from None


def read_secrets(options: EtcdOptions) -> Secrets:
    if (options.certificate_file is None) != (options.key_file is None):
        raise Unusable("penstock.etcd.tls.certificate.file and penstock.etcd.tls.key.file go together")
    try:
        return Secrets(
            *(
                Path(name).read_bytes() if name else None
                for name in (options.ca_file, options.certificate_file, options.key_file)
            )
        )
    except OSError as error:
        raise Unusable(f"a TLS file for etcd cannot be read: {error}") from error

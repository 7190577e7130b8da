"""The broker's certificates: a context for each listener with TLS, and one for connections to other brokers.

The files are looked at again and again. When one has changed everything is read anew: new connections get the new
certificate and believe the new authorities, open ones live on. Files that cannot be used change nothing, and are told
once. At the start they refuse it.
"""

import asyncio
import ssl
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import structlog

from penstock.access.distinguished_name import subject_of
from penstock.access.principal import ANONYMOUS, Principal
from penstock.access.principal_mapping import PrincipalMapping
from penstock.metrics import MetricsRegistry, reading
from penstock.model import Clock
from penstock.settings import Config, inter_broker_listener
from penstock.settings import broker as settings
from penstock.settings.listeners import Listener
from penstock.settings.per_listener import ListenerConfig
from penstock.transport.contexts import Pem, TlsContext, TlsSettings, client_context, server_context
from penstock.transport.kernel_tls import kernel_can_encrypt, kernel_encrypts_fast

CERTIFICATE_DAYS_LEFT = reading(
    "penstock_tls_certificate_days_left",
    "Days until a certificate expires: of the listener's own (certificate), or of those it trusts (authority), the one "
    "that expires first.",
    labels=("listener", "kind"),
)

_log = structlog.get_logger(__name__)


class ListenerTls:
    """What a handshake on one listener needs. It changes while the broker runs: ask for it anew each time."""

    def __init__(
        self,
        listener: Listener,
        settings: TlsSettings,
        context: TlsContext,
        *,
        mapping: PrincipalMapping,
        is_optional: bool,
    ) -> None:
        self.listener = listener
        self._mapping = mapping
        self.settings = settings
        self.context = context
        self.is_optional = is_optional
        """Whether it also serves who does not encrypt."""

    def principal_of(self, certificate: bytes | None) -> Principal:
        """As whom a client asks by its certificate (DER); whoever has to log in asks as who that makes it.
        NoRuleMatches, or ValueError for a certificate that cannot be read.
        """
        if certificate is None or self.listener.has_sasl:
            return ANONYMOUS
        return Principal("User", self._mapping.name(subject_of(certificate)))


class BrokerTls:
    def __init__(
        self, config: Config, listeners: Iterable[Listener], *, clock: Clock, registry: MetricsRegistry
    ) -> None:
        """Reads the files; ValueError, in words, where one cannot be used."""
        self._config = config
        self._clock = clock
        self.in_kernel = _in_kernel(config[settings.PENSTOCK_TLS_KERNEL])
        """Whether the kernel encrypts what listeners send."""
        self.by_listener = {
            listener.name: self._read(listener, _settings_of(ListenerConfig(config, listener.name)))
            for listener in listeners
            if listener.has_tls
        }
        own = ListenerConfig(config, inter_broker_listener(config).name)
        self._peer_settings = _settings_of(own)
        self._peers: TlsContext | None = client_context(self._peer_settings, now=self._now())
        self._seen = self._look()
        registry.read(CERTIFICATE_DAYS_LEFT, self._days_left)

    def _read(self, listener: Listener, wanted: TlsSettings) -> ListenerTls:
        own = ListenerConfig(self._config, listener.name)
        is_optional = own.get(settings.PENSTOCK_TLS) == "optional"
        try:
            context = server_context(wanted, now=self._now(), in_kernel=self.in_kernel)
            mapping = PrincipalMapping(own.get(settings.SSL_PRINCIPAL_MAPPING_RULES))
        except ValueError as error:
            raise ValueError(f"the listener {listener.name} cannot be opened: {error}") from error
        return ListenerTls(listener, wanted, context, mapping=mapping, is_optional=is_optional)

    @property
    def for_peers(self) -> ssl.SSLContext:
        """For connections to other brokers."""
        assert self._peers is not None
        return self._peers.ssl

    def of_streams(self, listener: str) -> ssl.SSLContext:
        """For a server that keeps the context that it is given: in its place each handshake takes the newest."""
        served = self.by_listener[listener]
        context = served.context.ssl

        def take_newest(connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
            connection.context = served.context.ssl

        context.sni_callback = take_newest
        return context

    # Files that change ----------------------------------------------------------------------------------------------

    async def watch(self) -> None:
        """For as long as the broker runs."""
        while True:
            await asyncio.sleep(self._config[settings.PENSTOCK_TLS_RELOAD_MS] / 1000)
            seen = await asyncio.to_thread(self._look)
            if seen != self._seen:
                self._seen = seen
                await asyncio.to_thread(self.reload)

    def reload(self) -> None:
        """All or nothing: a certificate goes with its key, and both with whom they are to convince."""
        try:
            read = {name: self._read(each.listener, each.settings) for name, each in self.by_listener.items()}
            peers = client_context(self._peer_settings, now=self._now())
        except ValueError as error:
            _log.error("certificates not renewed: those that were read before stay in use", reason=str(error))
            return
        for name, each in read.items():
            self.by_listener[name].context = each.context
        self._peers = peers
        for name, each in read.items():
            leaf = each.context.certificates[0]
            _log.info("certificates renewed", listener=name, subject=leaf.subject, until=str(leaf.not_after))

    def _look(self) -> dict[str, tuple[int, ...] | None]:
        every = [each.settings for each in self.by_listener.values()]
        return {file: _fingerprint(file) for each in (*every, self._peer_settings) for file in each.files}

    # How long they last ---------------------------------------------------------------------------------------------

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.now() / 1000, UTC)

    def _days_left(self) -> Iterable[tuple[tuple[str, str], float]]:
        now = self._now()
        for name, each in self.by_listener.items():
            context = each.context
            yield (name, "certificate"), min(one.days_left(now) for one in context.certificates)
            if context.trusted:
                yield (name, "authority"), min(one.days_left(now) for one in context.trusted)


def _in_kernel(wanted: str) -> bool:
    if wanted == "never" or not kernel_can_encrypt():
        return False
    return wanted == "always" or kernel_encrypts_fast()


def _settings_of(own: ListenerConfig) -> TlsSettings:
    key, chain = own.get(settings.SSL_KEYSTORE_KEY), own.get(settings.SSL_KEYSTORE_CERTIFICATE_CHAIN)
    return TlsSettings(
        certificate=_pem(settings.SSL_KEYSTORE_CERTIFICATE_CHAIN.name, text=chain)
        or _pem(settings.SSL_KEYSTORE_LOCATION.name, file=own.get(settings.SSL_KEYSTORE_LOCATION)),
        key=_pem(settings.SSL_KEYSTORE_KEY.name, text=key),
        key_password=own.get(settings.SSL_KEY_PASSWORD),
        trusted=_pem(settings.SSL_TRUSTSTORE_CERTIFICATES.name, text=own.get(settings.SSL_TRUSTSTORE_CERTIFICATES))
        or _pem(settings.SSL_TRUSTSTORE_LOCATION.name, file=own.get(settings.SSL_TRUSTSTORE_LOCATION)),
        protocols=own.get(settings.SSL_ENABLED_PROTOCOLS),
        cipher_suites=own.get(settings.SSL_CIPHER_SUITES),
        client_auth=own.get(settings.SSL_CLIENT_AUTH),
        identifies_host=bool(own.get(settings.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM)),
    )


def _pem(setting: str, *, file: str | None = None, text: str | None = None) -> Pem | None:
    return None if file is None and text is None else Pem(setting, file=file, text=text)


def _fingerprint(file: str) -> tuple[int, ...] | None:
    """Other for another file, or other contents; None where it is gone."""
    try:
        stat = Path(file).stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns

"""Listeners on which anybody who reaches them may do everything, told to whoever runs the broker."""

from ipaddress import ip_address

from penstock.settings.broker_access import AUTHORIZER_CLASS_NAME, PENSTOCK_AUTHORIZER_DRY_RUN
from penstock.settings.broker_tls import PENSTOCK_TLS, SSL_CLIENT_AUTH
from penstock.settings.config import Config
from penstock.settings.listeners import Listener, listeners
from penstock.settings.per_listener import ListenerConfig


def open_listeners(config: Config) -> list[Listener]:
    """Those beyond this machine that ask nobody who they are, where no access rules hold."""
    if config[AUTHORIZER_CLASS_NAME] and not config[PENSTOCK_AUTHORIZER_DRY_RUN]:
        return []
    return [
        each
        for each in listeners(config)
        if not is_near(each.host) and not _asks_who(ListenerConfig(config, each.name), each)
    ]


def is_near(host: str) -> bool:
    """Whether only this machine gets there."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _asks_who(own: ListenerConfig, listener: Listener) -> bool:
    shows_certificates = own.get(SSL_CLIENT_AUTH) == "required" and own.get(PENSTOCK_TLS) == "required"
    return listener.has_sasl or (listener.has_tls and shows_certificates)

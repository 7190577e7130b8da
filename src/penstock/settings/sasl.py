"""Whether the settings about logging in can be kept, told before anything is opened. The files are read later."""

from penstock.settings.broker_etcd import PENSTOCK_ETCD_ENDPOINTS
from penstock.settings.broker_sasl import PENSTOCK_SECRETS_KEY_FILE, SASL_ENABLED_MECHANISMS
from penstock.settings.config import Config
from penstock.settings.listeners import listeners
from penstock.settings.per_listener import ListenerConfig


def check_sasl(config: Config) -> None:
    """Raises ValueError, in words, for what asks for a protection that would not be there."""
    for listener in listeners(config):
        own = f"listener.name.{listener.name.lower()}."
        if not listener.has_sasl:
            given = next(
                (name for name in config.static if name.startswith((f"{own}sasl.", f"{own}connections."))), None
            )
            if given is not None:
                raise ValueError(
                    f"{given} is set, and the listener {listener.name} speaks {listener.protocol}: it takes "
                    "SASL_PLAINTEXT or SASL_SSL in listener.security.protocol.map"
                )
            continue
        if not ListenerConfig(config, listener.name).get(SASL_ENABLED_MECHANISMS):
            raise ValueError(
                f"the listener {listener.name} speaks {listener.protocol}, and sasl.enabled.mechanisms names none"
            )
        if config[PENSTOCK_ETCD_ENDPOINTS] and config[PENSTOCK_SECRETS_KEY_FILE] is None:
            raise ValueError(
                f"the listener {listener.name} speaks {listener.protocol}, and the brokers of a cluster must share one "
                "key for its secrets: openssl rand -base64 32 > secrets.key, chmod 600 secrets.key, and set "
                "penstock.secrets.key.file to it on every broker"
            )

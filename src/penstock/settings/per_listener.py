"""Settings of one listener, under Kafka's prefix: `listener.name.<name>.ssl.client.auth` wins over `ssl.client.auth`.

Settings about security have such a form, and bounds of connections. One whose listener is not opened is refused at the
start, as it would protect nothing.
"""

from typing import NamedTuple, TypeVar

from penstock.settings.config import Config
from penstock.settings.setting import OwnName, Setting, own_name

T = TypeVar("T")

__all__ = ["ListenerConfig", "OwnName", "listener_names", "own_name"]


class ListenerConfig(NamedTuple):
    """The broker's settings as one listener has them."""

    broker: Config
    listener: str

    def get(self, setting: Setting[T]) -> T:
        text = self.broker.static.get(f"listener.name.{self.listener.lower()}.{setting.name}")
        return self.broker[setting] if text is None else setting.parse(text)

    def own(self, setting: Setting[T]) -> T | None:
        """What the listener alone was given."""
        text = self.broker.static.get(f"listener.name.{self.listener.lower()}.{setting.name}")
        return None if text is None else setting.parse(text)


def listener_names(config: Config) -> set[str]:
    """Whom settings were given to, in capitals as listeners are."""
    owned = (own_name(name) for name in config.static)
    return {own.listener.upper() for own in owned if own is not None}

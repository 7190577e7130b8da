"""The APIs of the Kafka protocol: which there are, at which versions, with which headers.

Versions are those of Kafka 4.3.0. One whose latest version is marked unstable there (InitProducerId 6) ends before it.
"""

import importlib
from typing import Any, Final

from penstock.wire.api_table import APIS, ApiFacts, ApiKey

__all__ = [
    "ADVERTISED_VERSIONS",
    "APIS",
    "API_VERSIONS",
    "BROKER_APIS",
    "ApiFacts",
    "ApiKey",
    "is_flexible",
    "request_header_version",
    "request_type",
    "response_header_version",
    "response_type",
]

_NEVER: Final = 1 << 16  # above every version

API_VERSIONS: Final[dict[ApiKey, tuple[int, int]]] = {
    key: (facts.oldest, facts.latest - facts.latest_is_unstable) for key, facts in APIS.items()
}

# librdkafka takes a broker that does not offer Produce 0 for one without message format 2 (KAFKA-18659), so Kafka
# offers the versions 0 to 2 and refuses them when used.
ADVERTISED_VERSIONS: Final[dict[ApiKey, tuple[int, int]]] = API_VERSIONS | {
    ApiKey.PRODUCE: (0, API_VERSIONS[ApiKey.PRODUCE][1])
}

BROKER_APIS: Final[tuple[ApiKey, ...]] = tuple(key for key, facts in APIS.items() if "broker" in facts.listeners)

# Of these Kafka knows the name, but no version any more.
_GONE: Final = (ApiKey.LEADER_AND_ISR, ApiKey.STOP_REPLICA, ApiKey.UPDATE_METADATA, ApiKey.CONTROLLED_SHUTDOWN)
_FLEXIBLE_FROM: Final[dict[int, int]] = {
    **dict.fromkeys(_GONE, _NEVER),
    **{key: _NEVER if facts.flexible_from is None else facts.flexible_from for key, facts in APIS.items()},
}


def is_flexible(api_key: int, version: int) -> bool:
    """Whether lengths are compact and structs end in tagged fields; KeyError for a key that Kafka does not have."""
    return version >= _FLEXIBLE_FROM[api_key]


def request_header_version(api_key: int, version: int) -> int:
    if api_key == ApiKey.CONTROLLED_SHUTDOWN and version == 0:
        return 0  # the one header without a client id
    return 2 if version >= _FLEXIBLE_FROM[api_key] else 1


def response_header_version(api_key: int, version: int) -> int:
    # Whoever asks for ApiVersions does not know yet what the broker speaks: the answer never has a flexible header.
    if api_key == ApiKey.API_VERSIONS:
        return 0
    return 1 if version >= _FLEXIBLE_FROM[api_key] else 0


def request_type(api_key: ApiKey) -> Any:
    """The message class of an API's request, imported when asked for: for what goes through all of them.

    KeyError for an API that is known by name alone, such as a vote's.
    """
    return _type(api_key, "request")


def response_type(api_key: ApiKey) -> Any:
    return _type(api_key, "response")


def _type(api_key: ApiKey, side: str) -> Any:
    stem = APIS[api_key].module
    if stem is None:
        raise KeyError(api_key)
    name = f"{stem}_{side}"
    module = importlib.import_module(f"penstock.wire.messages.{name}")
    return getattr(module, name.title().replace("_", ""))

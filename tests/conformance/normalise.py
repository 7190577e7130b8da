"""Make two brokers' answers comparable: what must differ (ids, ports, clocks, wording) becomes a word.

Lists of things with a name or number become dictionaries by it, since Kafka's order is often that of a hash map.
"""

from __future__ import annotations

import re
from typing import Any

from tests.support.batches import WHEN, describe

_ANY_RUN = re.compile(r"cf-[0-9a-f]{8}-\d+-")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHORT_UUID = re.compile(r"[A-Za-z0-9_-]{22}")
_ZERO_ID = bytes(16)
_LONG_AFTER_THE_TABLES_TIMES = WHEN + 365 * 24 * 3_600_000

# How the items of a list are told apart, first fit; two fields mean both together.
_KEYS: tuple[tuple[str, ...], ...] = (
    ("api_key",),
    ("group_id",),
    ("entity_type",),
    ("member_id",),
    ("transactional_id",),
    ("key",),
    ("resource_type", "resource_name"),
    ("name", "source"),
    ("topic_name",),
    ("topic",),
    ("name",),
    ("topic_id",),
    ("partition_index",),
    ("partition",),
    ("index",),
    ("feature",),
    ("node_id",),
    ("broker_id",),
    ("producer_id",),
    ("log_dir",),
)
_TOPIC_FIELDS = ("name", "topic", "topic_name", "resource_name", "group_id", "transactional_id")
_MEMBER_FIELDS = ("member_id", "leader")
_UNORDERED = {"subscribed_topic_names"}
_WORDS = {"error_message", "documentation", "batch_index_error_message"}
_MOMENTS = {"log_append_time_ms", "start_timestamp", "transaction_start_time_ms"}
_GIVES_PRODUCER_IDS = {"InitProducerId", "EndTxn", "DescribeTransactions", "ListTransactions"}
_TIMES = {"timestamp", "base_timestamp", "max_timestamp", "last_timestamp"}
_RANDOM = {
    "controller_id": "controller",
    "session_id": "session",
    "finalized_features_epoch": "epoch",
    "total_bytes": "size",
    "usable_bytes": "size",
}


class Normaliser:
    def __init__(self, prefix: str, ids: dict[str, bytes], saved: dict[str, Any]) -> None:
        self._prefix = prefix
        self._ids = ids
        self._saved = saved

    def response(self, api: str, answer: dict[str, Any], *, literals: set[str]) -> Any:
        return self._value(api, "", answer, literals)

    def _value(self, api: str, field: str, value: Any, literals: set[str]) -> Any:
        if field == "records":
            return self._value(api, "batches", describe(value), literals)
        match value:
            case dict():
                return {
                    name: self._value(api, name, each, literals)
                    for name, each in value.items()
                    if name != "throttle_time_ms"
                }
            case list():
                return self._items(api, field, value, literals)
            case bytes() if field == "topic_id":
                return self._topic_id(value)
            case bytes():
                return repr(value)
            case str():
                return self._text(field, value)
            case int() if not isinstance(value, bool):
                return self._number(api, field, value)
        return value

    def _items(self, api: str, field: str, items: list[Any], literals: set[str]) -> Any:
        if not items or not isinstance(items[0], dict):
            values = [self._value(api, field, each, literals) for each in items]
            return sorted(values) if api == "DescribeTransactions" or field in _UNORDERED else values
        kept = [each for each in items if not self._is_foreign(each, literals)]
        values = [self._value(api, "", each, literals) for each in kept]
        if field == "batches" or not values:
            return values
        for key in _KEYS:
            if all(set(key) <= set(each) for each in kept):
                names = [":".join(str(each[part]) for part in key) for each in values]
                if len(set(names)) == len(names) and "None" not in names:
                    return dict(sorted(zip(names, values, strict=True)))
        return dict(enumerate(values))

    def _is_foreign(self, item: dict[str, Any], literals: set[str]) -> bool:
        """A topic of another run that an answer about everything mentions."""
        for field in _TOPIC_FIELDS:
            name = item.get(field)
            if name == "" and field == "group_id":
                return name not in literals  # some situation commits for the group of that name
            if isinstance(name, str) and not name.startswith(self._prefix):
                return _ANY_RUN.match(name) is not None or (name.startswith("__") and name not in literals)
        return False

    def _topic_id(self, raw: bytes) -> str:
        if raw == _ZERO_ID:
            return "zero"
        known = [name for name, each in self._ids.items() if each == raw]
        return f"id of {known[0]}" if known else "some id"

    def _text(self, field: str, text: str) -> str:
        if field in _WORDS:
            return "words" if text else ""
        if field in _MEMBER_FIELDS:
            return "uuid" if _SHORT_UUID.fullmatch(text) else _UUID.sub("uuid", text)
        if field == "cluster_id":
            return "cluster"
        if field == "log_dir":
            return "folder" if text else ""
        return "$" + text[len(self._prefix) :] if text.startswith(self._prefix) else text

    def _number(self, api: str, field: str, number: int) -> Any:
        if field == "port" and number > 0:
            return "port"
        if (field in _MOMENTS and number > 0) or (field in _TIMES and number > _LONG_AFTER_THE_TABLES_TIMES):
            return "moment"
        if field in _RANDOM and number > 0:
            return _RANDOM[field]
        if field == "producer_id" and number >= 0 and (api in _GIVES_PRODUCER_IDS or number in self._saved.values()):
            return "producer"
        return number

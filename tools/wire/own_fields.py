"""Fields of our own that ride in Kafka's messages: tagged, with numbers far above Kafka's, so that its readers pass
them over. They are laid over the facts as these are read, which come from Kafka's jars and have none of it.
"""

from typing import Any

_NOT_BEFORE = {
    # Records of a batch that wait before they are delivered again; 0: they do not.
    "name": "NotBeforeMs", "type": "int64", "versions": "0+", "tagged": "0+", "tag": 10_000, "default": 0,
    "ignorable": True,
}  # fmt: skip

OWN_FIELDS: dict[tuple[str, str], tuple[dict[str, Any], ...]] = {
    (message, "StateBatches"): (_NOT_BEFORE,)
    for message in (
        "ReadShareGroupStateResponse",
        "ShareSnapshotValue",
        "ShareUpdateValue",
        "WriteShareGroupStateRequest",
    )
}
"""By message and by the field whose structs get them, wherever that field lies in the message."""

OWN_NAMES = frozenset(field["name"] for fields in OWN_FIELDS.values() for field in fields)


def with_own_fields(message: dict[str, Any]) -> dict[str, Any]:
    return message | {"fields": _laid_over(message["name"], message["fields"])} if "fields" in message else message


def _laid_over(message: str, fields: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        field | {"fields": _laid_over(message, field["fields"]) + list(OWN_FIELDS.get((message, field["name"]), ()))}
        if "fields" in field
        else field
        for field in fields
    ]

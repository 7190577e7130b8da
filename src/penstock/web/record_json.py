"""Records as JSON: text where the bytes are UTF-8, base64 where they are not, so that nothing is lost on the way."""

import base64
import binascii
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from penstock.client import ConsumedRecord
from penstock.web.problems import Problem

Base64 = Annotated[str, Meta(description="Bytes in base64, where they are no UTF-8")]
INT64_MAX: Final = (1 << 63) - 1
_DECODER: Final = msgspec.json.Decoder(msgspec.Raw)


class NewHeader(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    value: str | None = None
    value_base64: Base64 | UnsetType = UNSET


class NewRecord(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A record to be written. `value` and `key`: a string is written as it is, null as null, anything else as JSON."""

    value: Any = None
    value_base64: Base64 | UnsetType = UNSET
    key: Any = None
    key_base64: Base64 | UnsetType = UNSET
    headers: list[NewHeader] = []
    partition: Annotated[int, Meta(ge=0, le=0x7FFFFFFF)] | None = None
    """Without one the key decides, as with Kafka's own producers."""
    timestamp_ms: Annotated[int, Meta(ge=0, le=INT64_MAX)] | None = None


class Header(msgspec.Struct):
    name: str
    value: str | UnsetType | None = UNSET
    value_base64: Base64 | UnsetType = UNSET


class ReadRecord(msgspec.Struct, kw_only=True):
    """A record as it was read. A value that is no UTF-8 is in `value_base64` instead; so with keys and headers."""

    partition: int
    offset: int
    timestamp_ms: int
    key: Any | UnsetType = UNSET
    key_base64: Base64 | UnsetType = UNSET
    value: Any | UnsetType = UNSET
    value_base64: Base64 | UnsetType = UNSET
    headers: list[Header] = []


def to_send(record: NewRecord, at: str) -> dict[str, Any]:
    """What a producer is given. Problem 400 where base64 is none; `at` is where in the request it stands."""
    return {
        "value": _bytes(record.value, record.value_base64, f"{at}.value"),
        "key": _bytes(record.key, record.key_base64, f"{at}.key"),
        "headers": tuple(
            (each.name, _bytes(each.value, each.value_base64, f"{at}.headers[{i}].value"))
            for i, each in enumerate(record.headers)
        ),
        "partition": record.partition,
        "timestamp_ms": record.timestamp_ms,
    }


def _bytes(value: Any, encoded: str | UnsetType, at: str) -> bytes | None:
    if encoded is not UNSET:
        if value is not None:
            raise Problem(400, "said-twice", f"{at} and {at}_base64 are both given: give one of them")
        return unbase64(encoded, f"{at}_base64")
    if value is None:
        return None
    return value.encode() if isinstance(value, str) else msgspec.json.encode(value)


def unbase64(text: str, at: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Problem(400, "no-base64", f"{at} is no base64") from None


def as_read(record: ConsumedRecord, *, as_json: bool) -> ReadRecord:
    """`as_json`: what is JSON is shown as such, not as a string."""
    found = ReadRecord(
        partition=record.partition, offset=record.offset, timestamp_ms=record.timestamp_ms,
        headers=[_header(name, value) for name, value in record.headers],
    )  # fmt: skip
    try:
        found.key = _shown(record.key, as_json=as_json)
    except UnicodeDecodeError:
        found.key_base64 = base64.b64encode(record.key or b"").decode()
    try:
        found.value = _shown(record.value, as_json=as_json)
    except UnicodeDecodeError:
        found.value_base64 = base64.b64encode(record.value or b"").decode()
    return found


def _shown(value: bytes | None, *, as_json: bool) -> Any:
    if value is None:
        return None
    text = str(value, "utf-8")
    if as_json:
        try:
            return _DECODER.decode(value)
        except (msgspec.DecodeError, RecursionError):
            pass
    return text


def _header(name: str, value: bytes | None) -> Header:
    try:
        return Header(name, None if value is None else str(value, "utf-8"))
    except UnicodeDecodeError:
        return Header(name, value_base64=base64.b64encode(value or b"").decode())

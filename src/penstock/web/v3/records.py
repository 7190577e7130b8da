"""Producing by Confluent's version 3: one record a request, all in-sync replicas have it before the answer."""

from datetime import datetime
from enum import Enum
from typing import Annotated, Any

import msgspec
from litestar import Controller, post
from msgspec import Meta

from penstock.web.clients import Login
from penstock.web.problems import Problem
from penstock.web.record_json import unbase64
from penstock.web.v1.records import send
from penstock.web.v3.here import Answer, Here


class Kind(Enum):
    BINARY = "BINARY"
    STRING = "STRING"
    JSON = "JSON"


class Data(msgspec.Struct):
    type: Kind
    data: Any = None


class V3Header(msgspec.Struct):
    name: str
    value: str | None = None
    """In base64."""


class V3Record(msgspec.Struct):
    partition_id: Annotated[int, Meta(ge=0, le=0x7FFFFFFF)] | None = None
    headers: list[V3Header] = []
    key: Data | None = None
    value: Data | None = None
    timestamp: datetime | None = None


class Records(Controller):
    path = "/{cluster_id:str}/topics/{topic_name:str}/records"

    @post(status_code=200)
    async def produce_record(
        self, here: Here, login: Login, cluster_id: str, topic_name: str, data: V3Record
    ) -> Answer:
        """Write a record."""
        key, value = _bytes(data.key, "key"), _bytes(data.value, "value")
        headers = tuple(
            (each.name, None if each.value is None else unbase64(each.value, "headers")) for each in data.headers
        )
        record = {
            "key": key, "value": value, "headers": headers, "partition": data.partition_id,
            "timestamp_ms": None if data.timestamp is None else _ms(data.timestamp),
        }  # fmt: skip
        (sent,) = await send(login, topic_name, [record], acks=-1)
        written = sent.value()
        return {
            "error_code": 200, "cluster_id": here.cluster_id, "topic_name": topic_name,
            "partition_id": written.partition, "offset": written.offset, "timestamp": data.timestamp,
            "key": _size(data.key, key), "value": _size(data.value, value),
        }  # fmt: skip


def _bytes(given: Data | None, at: str) -> bytes | None:
    if given is None or given.data is None:
        return None
    if given.type is Kind.JSON:
        return msgspec.json.encode(given.data)
    if not isinstance(given.data, str):
        raise Problem(400, "no-string", f"{at}.data is a string where the type is {given.type.value}")
    return given.data.encode() if given.type is Kind.STRING else unbase64(given.data, f"{at}.data")


def _ms(when: datetime) -> int:
    if when.tzinfo is None or when.timestamp() < 0:
        raise Problem(400, "no-time", "timestamp is RFC 3339 with a zone, since 1970")
    return int(when.timestamp() * 1000)


def _size(given: Data | None, written: bytes | None) -> Answer | None:
    return None if given is None else {"type": given.type.value, "size": len(written or b"")}

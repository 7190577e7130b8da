"""Confluent's registry client and serializers, with the registry of a web process, on Penstock and on Apache Kafka."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import DeserializingConsumer, SerializingProducer
from confluent_kafka.schema_registry import Metadata, MetadataProperties, Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.schema_registry.schema_registry_client import ConfigCompatibilityLevel, ServerConfig
from tests.support.registry import record
from tests.support.web import web

V1 = record(("a", "int"))
V2 = record(("a", "int"), ("b", "string", "none"))
NOT_AFTER = record(("a", "string"))


@pytest.fixture(scope="module")
def url(either_cluster: str) -> Iterator[str]:
    with web(either_cluster) as running:
        yield f"{running.url}/registry"


@pytest.fixture
def registry(url: str) -> Iterator[SchemaRegistryClient]:
    with SchemaRegistryClient({"url": url}) as client:
        yield client


@pytest.fixture
def subject() -> str:
    return f"orders/{uuid.uuid4().hex}-value"


def avro(text: str, **more: Any) -> Schema:
    return Schema(text, "AVRO", **more)


def refused_with(error: pytest.ExceptionInfo[SchemaRegistryError]) -> tuple[int, int]:
    return error.value.http_status_code, error.value.error_code


def test_the_client_registers_reads_compares_and_deletes(registry: SchemaRegistryClient, subject: str) -> None:
    first = registry.register_schema(subject, avro(V1))
    second = registry.register_schema(subject, avro(V2))
    assert registry.register_schema(subject, avro(V1)) == first != second
    assert registry.get_schema(second).schema_str == V2
    found = registry.lookup_schema(subject, avro(V2))
    assert (found.subject, found.schema_id, found.version, found.schema.schema_str) == (subject, second, 2, V2)
    assert registry.get_versions(subject) == [1, 2] and subject in registry.get_subjects()
    assert registry.get_latest_version(subject).schema_id == second
    assert registry.get_version(subject, 1).schema.schema_str == V1
    assert registry.test_compatibility(subject, avro(V2)) and not registry.test_compatibility(subject, avro(NOT_AFTER))
    with pytest.raises(SchemaRegistryError) as error:
        registry.register_schema(subject, avro(NOT_AFTER))
    assert refused_with(error) == (409, 409)
    with pytest.raises(SchemaRegistryError) as error:
        registry.register_schema(subject, avro("{"))
    assert refused_with(error) == (422, 42201)
    assert registry.delete_version(subject, 1) == 1
    assert registry.delete_subject(subject) == [2]
    with pytest.raises(SchemaRegistryError) as error:
        registry.get_versions(subject)
    assert refused_with(error) == (404, 40401)
    assert registry.delete_subject(subject, permanent=True) == [1, 2]


def test_the_client_sets_config_and_references(registry: SchemaRegistryClient, subject: str) -> None:
    config = ServerConfig(compatibility_level=ConfigCompatibilityLevel.FULL_TRANSITIVE)
    registry.set_config(subject, config)
    assert registry.get_config(subject).compatibility_level == ConfigCompatibilityLevel.FULL_TRANSITIVE
    assert registry.get_compatibility(subject) == "FULL_TRANSITIVE"
    inner = f"{subject}-inner"
    registry.register_schema(inner, avro('{"type":"fixed","name":"shop.Hash","size":16}'))
    outer = '{"type":"record","name":"shop.File","fields":[{"name":"hash","type":"shop.Hash"}]}'
    metadata = Metadata(tags=None, properties=MetadataProperties(properties={"owner": "us"}), sensitive=None)
    schema = avro(outer, references=[SchemaReference("shop.Hash", inner, 1)], metadata=metadata)
    schema_id = registry.register_schema(subject, schema)
    kept = registry.get_schema(schema_id)
    assert kept.references == [SchemaReference("shop.Hash", inner, 1)]
    assert kept.metadata is not None and kept.metadata.properties is not None
    assert kept.metadata.properties.properties == {"owner": "us"}
    with pytest.raises(SchemaRegistryError) as error:
        registry.delete_subject(inner)
    assert refused_with(error) == (422, 42206)


def test_serializers_write_and_read_records_as_schemas_change(url: str, either_cluster: str) -> None:
    topic = f"people-{uuid.uuid4().hex}"
    with SchemaRegistryClient({"url": url}) as registry:
        for text, value in ((V1, {"a": 1}), (V2, {"a": 2, "b": "new"})):
            serializer = AvroSerializer(registry, text)
            producer = SerializingProducer({"bootstrap.servers": either_cluster, "value.serializer": serializer})
            producer.produce(topic, value=value)
            assert producer.flush(60) == 0
    # As another program that knows nothing yet: all it has is the ids in the records.
    with SchemaRegistryClient({"url": url}) as registry:
        consumer = DeserializingConsumer({
            "bootstrap.servers": either_cluster, "group.id": topic, "auto.offset.reset": "earliest",
            "value.deserializer": AvroDeserializer(registry, V2),
        })  # fmt: skip
        try:
            consumer.subscribe([topic])
            found: list[Any] = []
            while len(found) < 2:
                message = consumer.poll(60)
                assert message is not None and message.error() is None
                found.append(message.value())
        finally:
            consumer.close()
        assert found == [{"a": 1, "b": "none"}, {"a": 2, "b": "new"}]
        assert registry.get_versions(f"{topic}-value") == [1, 2]

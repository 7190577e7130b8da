"""How a project tests code that talks to Kafka: pytest examples/test_with_a_broker.py"""

from confluent_kafka import Consumer, Producer, TopicPartition

from penstock.testing import RunningBroker


def write(bootstrap: str, *values: str) -> None:
    producer = Producer({"bootstrap.servers": bootstrap})
    for value in values:
        producer.produce("orders", value=value)
    assert producer.flush(10) == 0


def read(bootstrap: str, count: int) -> list[str]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "test", "enable.auto.commit": False})
    try:
        consumer.assign([TopicPartition("orders", 0, 0)])
        records = [consumer.poll(10) for _ in range(count)]
        return [(record.value() or b"").decode() for record in records if record is not None]
    finally:
        consumer.close()


def test_orders_are_written(penstock_broker: RunningBroker) -> None:
    write(penstock_broker.bootstrap, "one coffee", "two teas")
    assert read(penstock_broker.bootstrap, 2) == ["one coffee", "two teas"]


def test_orders_survive_a_crash(penstock_broker: RunningBroker) -> None:
    write(penstock_broker.bootstrap, "one coffee")
    penstock_broker.kill()
    penstock_broker.restart()
    assert read(penstock_broker.bootstrap, 1) == ["one coffee"]

"""Write three records and read them back, with confluent-kafka.

python examples/first_record.py [BOOTSTRAP]
"""

import sys

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

BOOTSTRAP = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9092"
TOPIC = "greetings"


def write() -> None:
    producer = Producer({"bootstrap.servers": BOOTSTRAP, "enable.idempotence": True})
    for language, greeting in {"en": "hello", "fr": "bonjour", "de": "hallo"}.items():
        producer.produce(TOPIC, key=language, value=greeting, partition=0)
    if producer.flush(10):
        raise SystemExit(f"the broker at {BOOTSTRAP} did not take the records within 10 s")


def read() -> None:
    # Without a group's committed offsets: name the partition and the offset to begin at.
    consumer = Consumer({"bootstrap.servers": BOOTSTRAP, "group.id": "readers", "enable.auto.commit": False})
    try:
        consumer.assign([TopicPartition(TOPIC, 0, 0)])
        for _ in range(3):
            record = consumer.poll(10)
            if record is None:
                raise SystemExit("nothing came within 10 s")
            if error := record.error():
                raise KafkaException(error)
            print(record.offset(), (record.key() or b"").decode(), (record.value() or b"").decode())
    finally:
        consumer.close()


if __name__ == "__main__":
    write()
    read()

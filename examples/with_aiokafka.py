"""The same with asyncio: aiokafka (pip install aiokafka).

python examples/with_aiokafka.py [BOOTSTRAP]
"""

import asyncio
import sys

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

BOOTSTRAP = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9092"
TOPIC = "ticks"


async def main() -> None:
    async with AIOKafkaProducer(bootstrap_servers=BOOTSTRAP, enable_idempotence=True) as producer:
        for tick in range(3):
            await producer.send_and_wait(TOPIC, f"tick {tick}".encode(), partition=0)

    async with AIOKafkaConsumer(bootstrap_servers=BOOTSTRAP) as consumer:
        partition = TopicPartition(TOPIC, 0)
        consumer.assign([partition])
        await consumer.seek_to_beginning(partition)
        for _ in range(3):
            record = await consumer.getone()
            print(record.offset, (record.value or b"").decode())


if __name__ == "__main__":
    asyncio.run(main())

"""Work through a queue with confluent-kafka's share consumer (2.16 and later).

python examples/work_queue_confluent.py [BOOTSTRAP]

Prints each job when it is done, until Ctrl-C. A job `bad ...` is given up, a job `flaky ...` fails the first time.
"""

import signal
import sys

from confluent_kafka import AcknowledgeType, KafkaException, Message, ShareConsumer

BOOTSTRAP = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9092"


def work(job: Message) -> AcknowledgeType:
    text = (job.value() or b"").decode()
    if text.startswith("bad"):
        return AcknowledgeType.REJECT
    if text.startswith("flaky") and job.delivery_count() == 1:
        return AcknowledgeType.RELEASE
    print("done", text, flush=True)
    return AcknowledgeType.ACCEPT


def main() -> None:
    consumer = ShareConsumer(
        {
            "bootstrap.servers": BOOTSTRAP,
            "group.id": "workers",
            "share.acknowledgement.mode": "explicit",
            "max.poll.records": 10,
        }
    )
    is_stopping = False

    def stop(*_: object) -> None:
        nonlocal is_stopping
        is_stopping = True

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    consumer.subscribe(["jobs"])
    try:
        while not is_stopping:
            # All jobs of one poll are acknowledged before the next: a slow one holds up its neighbours.
            for job in consumer.poll(0.5):
                if error := job.error():
                    raise KafkaException(error)
                consumer.acknowledge(job, work(job))
            for partition, problem in consumer.commit_sync().items():
                if problem is not None:
                    print("may be done again:", partition, problem, file=sys.stderr)
    finally:
        consumer.close()  # gives back what is not acknowledged


if __name__ == "__main__":
    main()

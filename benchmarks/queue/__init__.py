"""Queue work beside Kafka's share groups, RabbitMQ and NATS: `make bench PART=queue`; see docs/performance/queue.md."""

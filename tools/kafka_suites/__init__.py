"""Apache Kafka's own published integration tests, run against Penstock brokers."""

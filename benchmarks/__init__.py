"""Penstock measured beside Apache Kafka on the same machine in one run; see docs/performance.md."""

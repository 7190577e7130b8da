"""Penstock: a distributed message queue that speaks the Kafka wire protocol."""

__version__ = "0.1.0"

DISTRIBUTION = "penstock-mq"
"""The name to install it by. PyPI's `penstock` is another project: `penstock_mq` tells the two apart by this."""

"""Failover, measured: how long three brokers take no writes when one of them, or what they stand on, fails."""

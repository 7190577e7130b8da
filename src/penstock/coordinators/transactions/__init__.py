"""Transactions: a machine on the partitions of `__transaction_state` that says who a producer is and how it ends."""

from penstock.coordinators.transactions.add_or_verify import AddOrVerifyPartitions, Outcomes
from penstock.coordinators.transactions.commands import MarkersDue, Producer
from penstock.coordinators.transactions.service import MarkerDelivery, Transactions
from penstock.coordinators.transactions.state import STATE_BY_LABEL, TransactionState, TransactionVersion

__all__ = [
    "STATE_BY_LABEL",
    "AddOrVerifyPartitions",
    "MarkerDelivery",
    "MarkersDue",
    "Outcomes",
    "Producer",
    "TransactionState",
    "TransactionVersion",
    "Transactions",
]

"""A partition as its leader sees it: who leads, what may be appended, how far it is committed, who waits for that."""

from penstock.replication.partition import ALL, Appended, Partition
from penstock.replication.partitions import Partitions
from penstock.replication.readable import Readable
from penstock.replication.rules import AppendRules, NotOneBatch, RecordsRefused, TimestampsRefused
from penstock.replication.verification import VerificationGuard

__all__ = [
    "ALL",
    "AppendRules",
    "Appended",
    "NotOneBatch",
    "Partition",
    "Partitions",
    "Readable",
    "RecordsRefused",
    "TimestampsRefused",
    "VerificationGuard",
]

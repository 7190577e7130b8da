"""What the coordinator is asked about the partitions that a transaction writes to, by whoever asks it."""

from collections.abc import Mapping, Sequence
from typing import Self

import msgspec

from penstock.coordinators.decision import Address
from penstock.coordinators.transactions.commands import AddPartitions, VerifyPartitions
from penstock.coordinators.transactions.state import TransactionVersion
from penstock.errors import Refusal
from penstock.model import TopicPartition

Outcomes = Mapping[TopicPartition, Refusal | None]
"""For every partition that was asked about: None if it is in the transaction, or why it is not."""


class AddOrVerifyPartitions(msgspec.Struct, frozen=True, kw_only=True):
    """Of a producer's open transaction: that these partitions be added to it, or only which of them are in it."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: Sequence[TopicPartition]
    version: TransactionVersion
    verify_only: bool = False
    coordinator_epoch: int = -1
    """The highest that one of the partitions had a marker of the producer from: only this coordinator, or one after it,
    knows what the producer's transaction is. One before it that was replaced and does not know, asked by a broker that
    does not either, would let a batch in that is late, and whose transaction is over: nobody would end it again.
    """

    @classmethod
    def before_an_append(
        cls,
        transactional_id: str,
        *,
        producer_id: int,
        producer_epoch: int,
        partitions: Sequence[TopicPartition],
        adds: bool,
        coordinator_epoch: int = -1,
    ) -> Self:
        """A client of transaction version 2 leaves it to the broker to add partitions; an older one has added them."""
        return cls(
            transactional_id=transactional_id,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            partitions=partitions,
            version=TransactionVersion.TV2 if adds else TransactionVersion.TV1,
            verify_only=not adds,
            coordinator_epoch=coordinator_epoch,
        )

    def command(self, address: Address) -> AddPartitions | VerifyPartitions:
        if self.verify_only:
            return VerifyPartitions(
                address=address,
                transactional_id=self.transactional_id,
                producer_id=self.producer_id,
                producer_epoch=self.producer_epoch,
                partitions=frozenset(self.partitions),
            )
        return AddPartitions(
            address=address,
            transactional_id=self.transactional_id,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            partitions=frozenset(self.partitions),
            version=self.version,
        )

"""How many batches a connection has sent to each partition, as far as it matters for which are opened next."""

FIRST_OPENED = 10
ONE_IN = 100
SLOTS = 1024
"""A byte for each partition, by its number. Partitions that are made so far apart share one, and so their samples."""

_LAST = FIRST_OPENED + ONE_IN - 1


class BatchSamples:
    """One for each connection that produces to topics with `penstock.validate.records=sampled`."""

    __slots__ = ("_sent", "is_caught")

    def __init__(self, sent_before: int = 0) -> None:
        self._sent = bytearray([sent_before]) * SLOTS
        self.is_caught = False
        """Whether its records were not what its batch said, once: everything is opened then."""

    def wants(self, partition: int) -> bool:
        """Whether the next batch is one to open; a batch that is not is counted. Once True, it stays so until `opened`
        says that a batch was.
        """
        slot = partition % SLOTS
        sent = self._sent[slot]
        if FIRST_OPENED <= sent < _LAST and not self.is_caught:
            self._sent[slot] = sent + 1
            return False
        return True

    def opened(self, partition: int) -> None:
        slot = partition % SLOTS
        sent = self._sent[slot]
        self._sent[slot] = sent + 1 if sent < FIRST_OPENED else FIRST_OPENED

"""Which batches an append looks into, and where the looking happens (docs/adr/0047).

A topic may want every batch opened: it is compacted, compresses anew, or says `penstock.validate.records=full`. With
`sampled`, the default, the first FIRST_OPENED batches of each connection and partition are opened (fewer, if they hold
hundreds of records), then one in ONE_IN.
Clients are wrong from their first batch on, or now and then; whoever was caught once is believed no more: everything on
that connection is opened, and on later ones of the same producer id.

A small batch is opened on the loop. Others go to threads of their own, few of them: each may unpack to
`records.UNPACKED_MAX` bytes, and no flush or look-up must wait behind them.
"""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import structlog

from penstock.broker.batch_samples import BatchSamples
from penstock.broker.registry import RequestContext
from penstock.metrics import Metrics, MetricsRegistry, counter
from penstock.replication import Opened, Partition, RecordsDisagree
from penstock.wire import batch as layout
from penstock.wire.batch import BatchHeader

THREADS = 2
CAUGHT_MAX = 10_000
"""Producer ids remembered; the one caught first is forgotten first."""
LOOP_BYTES_MAX = 16 * 1024
LOOP_RECORDS_MAX = 64
"""A walk over so many records takes a tenth of a millisecond, about what the way to a thread and back takes."""

_log = structlog.get_logger(__name__)


class BatchOpeningMetrics(Metrics, prefix="penstock_batches"):
    opened = counter("Batches of producers whose records were looked at one by one.")
    caught = counter("Opened batches whose records were not what the batch's header says.")


class BatchOpener:
    def __init__(self, registry: MetricsRegistry) -> None:
        self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix="open-batches")
        self._metrics = registry.of(BatchOpeningMetrics)
        self._caught: dict[int, None] = {}

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    @staticmethod
    def is_wanted(context: RequestContext, partition: Partition) -> bool:
        rules = partition.current_rules()
        if rules.opens_batches:
            return True
        return rules.samples_batches and samples_of(context).wants(partition.slot)

    @staticmethod
    def is_small(view: memoryview) -> bool:
        """Whether opening it takes no longer than a loop may be held."""
        if len(view) > LOOP_BYTES_MAX:
            return False
        if len(view) < layout.HEADER_SIZE:
            return True  # it will be refused for that
        header = BatchHeader.peek(view)
        return header.compression == 0 and header.record_count <= LOOP_RECORDS_MAX

    def open(self, partition: Partition, view: memoryview, context: RequestContext) -> Opened:
        """The batch to append, or a refusal."""
        try:
            opened = partition.open(view)
        except Exception as error:
            self._refused(error, partition, view, context)
            raise
        return self._opened(opened, partition, context)

    async def open_in_thread(self, partition: Partition, view: memoryview, context: RequestContext) -> Opened:
        loop = asyncio.get_running_loop()
        try:
            opened = await loop.run_in_executor(self._executor, partition.open, view, _let_others_run)
        except Exception as error:
            self._refused(error, partition, view, context)
            raise
        return self._opened(opened, partition, context)

    def _opened(self, opened: Opened, partition: Partition, context: RequestContext) -> Opened:
        self._metrics.opened += 1
        samples = samples_of(context)
        samples.opened(partition.slot, opened.record_count)
        producer_id = opened.producer_id
        if opened.mended is not None:
            self._catch(opened.mended, producer_id, partition, context)
        elif producer_id in self._caught:
            samples.catch()
        return opened

    def _refused(self, error: Exception, partition: Partition, view: memoryview, context: RequestContext) -> None:
        self._metrics.opened += 1
        samples_of(context).opened(partition.slot)
        if isinstance(error, RecordsDisagree):
            self._catch(str(error), BatchHeader.peek(view).producer_id, partition, context)

    def _catch(self, what: str, producer_id: int, partition: Partition, context: RequestContext) -> None:
        self._metrics.caught += 1
        samples = samples_of(context)
        if not samples.is_caught:
            _log.warning(
                "a producer's records are not what its batch says: all it sends is checked from now on",
                partition=str(partition.topic_partition),
                peer=context.peer,
                client_id=context.client_id,
                producer_id=producer_id,
                found=what,
            )
        samples.catch()
        if producer_id >= 0:
            self._caught[producer_id] = None
            if len(self._caught) > CAUGHT_MAX:
                del self._caught[next(iter(self._caught))]


def samples_of(context: RequestContext) -> BatchSamples:
    caller = context.caller
    if caller.samples is None:
        caller.samples = BatchSamples()
        caller.skips = caller.samples.skips
    return caller.samples


def _let_others_run() -> None:
    """Give the interpreter away for a moment: the event loop needs it more than a walk of seconds does."""
    time.sleep(0)

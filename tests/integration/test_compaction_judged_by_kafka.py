"""Kafka's own dump tool reads what compaction leaves: every codec, indexes, aborted transactions, snapshots."""

from pathlib import Path

from tests.support import java
from tests.support.compaction import a_compacted_log, clean, mark, put, roll

from penstock.wire.markers import MarkerType


def test_the_dump_tool_reads_a_compacted_log_to_the_last_record(tmp_path: Path) -> None:
    log = a_compacted_log(tmp_path)
    for n in range(30):
        put(log, ("a", str(n)), (f"b{n % 7}", "x" * 50), codec=n % 5, producer=7, sequence=2 * n)
        if n % 10 == 9:
            roll(log)
    put(log, ("a", None))
    put(log, ("c", "aborted"), producer=8, sequence=0, transactional=True)
    mark(log, MarkerType.ABORT, producer=8)
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    log.flushing.close()
    suffixes = {".log", ".index", ".timeindex", ".txnindex", ".snapshot"}
    files = sorted(str(path) for path in log.folder.iterdir() if path.suffix in suffixes)
    assert {Path(file).suffix for file in files} == suffixes

    dump = java.run(
        "org.apache.kafka.tools.DumpLogSegments", "--deep-iteration", "--print-data-log", "--files", ",".join(files)
    ).stdout

    assert "isvalid: false" not in dump and "Found" not in dump and "mismatch" not in dump.lower()
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        assert f"compresscodec: {codec}" in dump
    assert "key: a" in dump and "deleteHorizonMs: OptionalLong[1700086400000]" in dump
    assert "baseOffset: 61 lastOffset: 61 count: 0 baseSequence: 0 lastSequence: 0 producerId: 8" in dump
    assert "endTxnMarker: ABORT coordinatorEpoch: 0" in dump
    assert "version: 0 producerId: 8 firstOffset: 61 lastOffset: 62 lastStableOffset: 63" in dump
    assert "producerId: 7 producerEpoch: 0 coordinatorEpoch: -1 currentTxnFirstOffset: OptionalLong.empty" in dump

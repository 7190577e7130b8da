"""Keeping a table quick: small files into large ones, old snapshots and what only they used away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.pipelines.jobs.lake.commits import LakeTable

ORPHANS_AFTER_S = 3 * 24 * 3600.0
"""Files that no snapshot knows may belong to a commit that is just being made; after this long they do not."""
FILES_MIN = 2


def compact(table: LakeTable, *, target_bytes: int) -> dict[str, int]:
    """Files of one partition that are smaller than three quarters of the target become one, or some of that size."""
    result = (
        _actions(table)
        .rewriteDataFiles(table.java())
        .option("target-file-size-bytes", str(target_bytes))
        .option("min-input-files", str(FILES_MIN))
        .option("remove-dangling-deletes", "true")
        .execute()
    )
    return {"files_before": result.rewrittenDataFilesCount(), "files_after": result.addedDataFilesCount()}


def expire(table: LakeTable, *, after_s: float, keep: int) -> dict[str, int]:
    """Snapshots older than `after_s`, but never the newest `keep`; then files that nothing knows any more."""
    jvm: Any = table.spark._jvm
    now_ms = int(jvm.java.lang.System.currentTimeMillis())  # the clock that snapshots are dated by
    expired = (
        _actions(table)
        .expireSnapshots(table.java())
        .expireOlderThan(now_ms - int(after_s * 1000))
        .retainLast(max(keep, 1))
        .execute()
    )
    orphans = (
        _actions(table)
        .deleteOrphanFiles(table.java())
        .olderThan(now_ms - int(max(after_s, ORPHANS_AFTER_S) * 1000))
        .execute()
    )
    return {
        "data_files_deleted": expired.deletedDataFilesCount(),
        "orphans_deleted": sum(1 for _ in orphans.orphanFileLocations()),
    }


def _actions(table: LakeTable) -> Any:
    jvm: Any = table.spark._jvm
    return jvm.org.apache.iceberg.spark.actions.SparkActions.get(table.spark._jsparkSession)

"""Topics to Iceberg tables, each record once: docs/pipelines/lake.md, and docs/adr/0031 for why it is built so.

There is no checkpoint folder. What was read is kept in the table, in the same commit as the rows: a run begins where
the table says, reads a stretch of offsets as a batch, and commits rows and new offsets together. So there is nothing
that could be lost or fall behind beside the table itself.
"""

from penstock.pipelines.jobs.catalogs import opened, session
from penstock.pipelines.jobs.lake.job import check, lake, plan, run
from penstock.pipelines.jobs.lake.options import LakeOptions

__all__ = ["LakeOptions", "check", "lake", "opened", "plan", "run", "session"]

"""redrive: a dead-letter topic looked at, filtered, mended by a function of the user's, sent back: each record once.

Which records were sent is kept as offsets, for the topic and not for a run: whatever filters later runs have, a record
that is sent is not sent again.
"""

from penstock.pipelines.jobs.redrive.dead_letters import Reading
from penstock.pipelines.jobs.redrive.inspecting import inspect
from penstock.pipelines.jobs.redrive.options import RedriveOptions
from penstock.pipelines.jobs.redrive.running import check, opened, plan, redrive, run

__all__ = ["Reading", "RedriveOptions", "check", "inspect", "opened", "plan", "redrive", "run"]

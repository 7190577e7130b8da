"""What happens when records that were to be read are gone: an error, or with failOnDataLoss=false a line in the log."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.source.options import SourceOptions
from penstock.pipelines.source.planning import Loss

_log = structlog.get_logger(__name__)
_SHOWN = 5


def judge(lost: Sequence[Loss], options: SourceOptions) -> None:
    if not lost:
        return
    if options.fail_on_data_loss:
        words = "; ".join(str(loss) for loss in lost[:_SHOWN])
        more = f"; and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        raise PipelineProblem(
            f"records that were to be read are gone: {words}{more}",
            hint="They were deleted by retention, by somebody, or with their topic. failOnDataLoss=false goes on with\n"
            "what is there.",
        )
    for loss in lost:
        _log.warning("records lost", partition=str(loss.partition), what=loss.what)

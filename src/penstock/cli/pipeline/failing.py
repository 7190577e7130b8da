"""A job's problems as the command's failures: what, and what to do about it, without a traceback."""

import functools
from collections.abc import Callable
from typing import Any

from penstock.cli.exits import Failure
from penstock.pipelines.problems import PipelineProblem


def problems_as_failures(command: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(command)
    def caught(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except PipelineProblem as problem:
            raise Failure(problem.message, hint=problem.hint) from problem

    return caught

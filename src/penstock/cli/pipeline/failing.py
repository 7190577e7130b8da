"""A job's problems as the command's failures: what, and what to do about it, without a traceback."""

import functools
from collections.abc import Callable
from typing import Any

from penstock.cli.exits import Failure
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running.problem_words import problem_in


def problems_as_failures(command: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(command)
    def caught(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except PipelineProblem as problem:
            raise Failure(problem.message, hint=problem.hint) from problem
        except Exception as error:
            words = problem_in(str(error))
            if words is None:
                raise
            message, _, hint = words.partition("\n")
            raise Failure(message, hint=hint or None) from error

    return caught

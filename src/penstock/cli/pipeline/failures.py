"""A job's problems as the command's failures: what, and what to do about it, without a traceback."""

import functools
from collections.abc import Callable
from typing import Any

from penstock.cli.exits import Failure, NotFound, Unreachable
from penstock.pipelines.problems import Kind, PipelineProblem, not_installed
from penstock.pipelines.running.spark_errors import known_problem_in, problem_in

_FAILURES: dict[Kind, type[Failure]] = {Kind.OTHER: Failure, Kind.AWAY: Unreachable, Kind.MISSING: NotFound}


def problems_as_failures(command: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(command)
    def caught(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except PipelineProblem as problem:
            raise _FAILURES[problem.kind](problem.message, hint=problem.hint) from problem
        except ImportError as error:  # a job's module has PySpark's names, before there is a session to miss it
            if (missing := not_installed(error)) is None:
                raise
            raise Failure(missing.message, hint=missing.hint) from error
        except OSError:
            raise  # our own files, which are told by name
        except Exception as error:
            text = str(error)
            words = problem_in(text) or str(known_problem_in(text) or "")
            if not words:
                raise
            message, _, hint = words.partition("\n")
            raise Failure(message, hint=hint or None) from error

    return caught

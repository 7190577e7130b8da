"""Where the `penstock` command begins, and what it says if the package `penstock` is not ours.

PyPI has another project called `penstock`, with the same import name. Installed beside ours it replaces some of our
files, or hides all of them if ours is an editable install. So the command begins in a package that only we have.
"""

import sys
from pathlib import Path
from types import ModuleType
from typing import NoReturn

DISTRIBUTION = "penstock-mq"


def main() -> NoReturn:
    problem = _not_ours()
    if problem is not None:
        sys.exit(problem)
    from penstock.cli import main as run  # noqa: PLC0415 - only if it is ours

    run()


def _not_ours() -> str | None:
    """What to tell the user if the package that is imported as `penstock` is another project's; None if it is ours."""
    try:
        import penstock  # noqa: PLC0415 - whatever it does, we can still say what is wrong
    except Exception as error:
        return _words(f"It cannot be imported: {error}")
    if getattr(penstock, "DISTRIBUTION", None) == DISTRIBUTION:
        return None
    return _words(f"It is at {_place(penstock)}")


def _place(package: ModuleType) -> str:
    # A namespace package has no file: our __init__.py was removed together with the other project.
    return str(Path(package.__file__).parent if package.__file__ else next(iter(package.__path__), "an unknown place"))


def _words(what: str) -> str:
    return (
        f"error: the installed package `penstock` is not the one of `{DISTRIBUTION}`. {what}\n"
        "  PyPI's `penstock` is another project with the same import name. Remove both, then install ours again:\n"
        f"    {sys.executable} -m pip uninstall penstock {DISTRIBUTION}\n"
        f"    {sys.executable} -m pip install .        (in Penstock's folder)"
    )

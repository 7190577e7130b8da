"""Imports that a broker process must be spared. Import this module first; it has no other use."""

import sys

# structlog imports rich for its tracebacks wherever rich is installed: a third of the start-up time and several MB that
# a broker never uses. A None in sys.modules makes that import fail, which structlog is prepared for.
if "structlog" not in sys.modules and "rich" not in sys.modules:
    sys.modules["rich"] = None  # type: ignore[assignment]
    try:
        import structlog  # noqa: F401
    finally:
        del sys.modules["rich"]

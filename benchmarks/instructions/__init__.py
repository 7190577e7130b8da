"""Instructions a step, counted by valgrind: the same on a busy machine as on an idle one."""

from benchmarks.figures import Better, Figure
from benchmarks.instructions.counting import count
from benchmarks.micro_idempotence import ADDED_MAX_PERCENT, SIZES

STEPS = "benchmarks.instructions.steps"


def figures() -> list[Figure]:
    return [
        Figure(f"idempotent.{key}", f"idempotent producer: instructions added to the append of {title}", "%",
               Better.LOWER, limit=ADDED_MAX_PERCENT)
        for key, (_, _, title) in SIZES.items()
    ]  # fmt: skip


def measure() -> dict[str, list[float]]:
    """What idempotence adds, in percent."""
    return added(count(STEPS, "idempotence"))


def added(steps: dict[str, float]) -> dict[str, list[float]]:
    return {f"idempotent.{key}": [(steps[f"idempotent.{key}"] / steps[f"plain.{key}"] - 1) * 100] for key in SIZES}

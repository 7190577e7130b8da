"""What a job would do, for --dry-run: found out without writing anything."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    title: str
    steps: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        return {"title": self.title, "steps": list(self.steps)}

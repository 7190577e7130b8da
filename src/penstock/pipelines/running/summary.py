"""What a job did, said at its end to people and programs."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Summary:
    job: str
    rows_in: int = 0
    rows_out: int = 0
    bad_rows: int = 0
    """Rows that could not be read as asked, and went where bad rows go; never dropped."""
    respelled_rows: int = 0
    """Rows out with a field that is a column but for its case, read by the column's spelling."""
    batches: int = 0
    seconds: float = 0.0
    stopped: bool = False
    """Whether somebody ended it before its work was done; the next start continues."""
    details: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "job": self.job,
            "rows_in": self.rows_in,
            "rows_out": self.rows_out,
            "bad_rows": self.bad_rows,
            "respelled_rows": self.respelled_rows,
            "batches": self.batches,
            "seconds": round(self.seconds, 3),
            "stopped": self.stopped,
            "details": self.details,
        }

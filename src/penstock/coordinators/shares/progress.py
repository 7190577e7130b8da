"""How far a share partition has come: its start, and how many records beyond it are done."""

from typing import NamedTuple

UNCHANGED = -1
UNKNOWN = -1


class Progress(NamedTuple):
    start_offset: int
    """-1 where nobody has begun, or where a write leaves it as it is."""
    delivery_complete_count: int
    """-1 where nobody has said."""

    def after(self, said: "Progress") -> "Progress":
        """The start never goes back, and what is done stays done: a write that comes late changes nothing."""
        if said.start_offset > self.start_offset:
            return said
        is_late = UNCHANGED < said.start_offset < self.start_offset
        stands = is_late or UNKNOWN < said.delivery_complete_count < self.delivery_complete_count
        return self if stands else Progress(self.start_offset, said.delivery_complete_count)

"""The batches of a segment one by one, for whoever looks into them."""

from collections.abc import Iterator

from penstock.log.file_pool import private_descriptor
from penstock.log.segments.scan import Damaged, Found, walk
from penstock.log.segments.segment import Segment


class DamagedIn(Exception):
    """What a thread came upon, and in which segment."""

    def __init__(self, segment: Segment, damage: Damaged) -> None:
        super().__init__(str(damage))
        self.segment = segment
        self.damage = damage


def batches_in(segment: Segment, *, position: int = 0, check_crc: bool = True) -> Iterator[Found]:
    """Through a descriptor of its own, so that a thread may do it. Damaged, OSError."""
    if segment.size:
        with private_descriptor(segment.file.path) as fd:
            yield from walk(fd, position, segment.size, expected_offset=segment.base_offset, check_crc=check_crc)

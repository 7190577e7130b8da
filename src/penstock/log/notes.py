"""Small files in a log's folder that say something of all of it; each lies there for as long as it is so."""

from typing import Final

DAMAGE_NOTE: Final = "penstock-damaged"
"""The log is known to be damaged. The next start reads all of it, and removes the note if it finds nothing wrong any
more."""

GAPS_NOTE: Final = "penstock-offset-gaps"
"""Offsets may be missing. Everywhere else a gap is damage."""

FLUSHED_NOTE: Final = "penstock-flushed-before-counting"
"""Nothing here counts before it is on disk: losing the page cache is no loss."""

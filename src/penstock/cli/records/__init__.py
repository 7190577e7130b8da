"""Records as text: what produce reads and consume prints. Pure, no client library."""

from penstock.cli.records.parsing import LineFormat, ParsedRecord, Unparsable, parse_json, parse_line, unescape
from penstock.cli.records.printing import PrintedRecord, Printer, json_line, make_printer
from penstock.cli.records.times import parse_length_ms, parse_time

__all__ = [
    "LineFormat",
    "ParsedRecord",
    "PrintedRecord",
    "Printer",
    "Unparsable",
    "json_line",
    "make_printer",
    "parse_json",
    "parse_length_ms",
    "parse_line",
    "parse_time",
    "unescape",
]

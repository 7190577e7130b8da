"""A report as one HTML page: tables and plots drawn as SVG in place, nothing fetched from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape

from penstock.pipelines.jobs.audit.comparing import KINDS
from penstock.pipelines.jobs.audit.report import Report

COLOURS = {
    "missing": "#c0392b",
    "extra": "#8e44ad",
    "doubled": "#d68910",
    "differing": "#2471a3",
    "reordered": "#148f77",
}
WIDTH, HEIGHT, LEFT, BOTTOM = 860, 180, 60, 24

_STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:900px;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd}
th:first-child,td:first-child{text-align:left}.good{color:#148f77}.bad{color:#c0392b}svg{width:100%;height:auto}
code{word-break:break-all}"""


def page(report: Report) -> str:
    verdict = (
        '<p class="good"><b>The two ends are the same.</b></p>'
        if report.same
        else '<p class="bad"><b>The two ends differ.</b></p>'
    )
    contents = "" if report.contents_compared else "<p>One end does not keep values: contents were not compared.</p>"
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Audit: {escape(report.left)} and {escape(report.right)}</title>
<style>{_STYLE}</style></head><body>
<h1>Audit</h1>
{verdict}
<p>Left: <code>{escape(report.left)}</code>, {report.left_records:,} records.<br>
Right: <code>{escape(report.right)}</code>, {report.right_records:,} records.<br>
Matched by {escape(report.matching)}; order kept within: {escape(report.ordering)}.</p>
{contents}
<h2>In all</h2>
{_table(("", *KINDS), [("records", *(f"{report.totals[kind]:,}" for kind in KINDS))])}
<h2>Over time</h2>
{_volume(report)}
{_differences(report)}
<h2>By partition</h2>
{_partitions(report)}
<h2>Examples</h2>
{_examples(report)}
</body></html>
"""


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _volume(report: Report) -> str:
    series = {
        "left": ("#7f8c8d", _by_bucket(report, "left")),
        "right": ("#2c3e50", _by_bucket(report, "right")),
    }
    return "<p>Records</p>" + _bars(report, series, stacked=False)


def _differences(report: Report) -> str:
    series = {kind: (COLOURS[kind], _by_bucket(report, kind)) for kind in KINDS if report.totals[kind]}
    return "<p>Differences</p>" + _bars(report, series, stacked=True) if series else ""


def _by_bucket(report: Report, what: str) -> dict[int, int]:
    found: dict[int, int] = {}
    for cell in report.cells:
        count = {"left": cell.left, "right": cell.right, **cell.counts}[what]
        found[cell.bucket] = found.get(cell.bucket, 0) + count
    return found


def _bars(report: Report, series: dict[str, tuple[str, dict[int, int]]], *, stacked: bool) -> str:
    buckets = sorted({cell.bucket for cell in report.cells})
    if not buckets:
        return "<p>No records.</p>"
    first = buckets[0]
    slots = (buckets[-1] - first) // report.bucket_s + 1
    tallest = max(_height(series, bucket, stacked=stacked) for bucket in buckets) or 1
    slot_width = (WIDTH - LEFT) / slots
    drawn = []
    for bucket in buckets:
        x = LEFT + (bucket - first) // report.bucket_s * slot_width
        base = 0.0
        for nth, (name, (colour, values)) in enumerate(series.items()):
            count = values.get(bucket, 0)
            tall = count / tallest * (HEIGHT - BOTTOM - 10)
            width = slot_width * 0.9 if stacked else slot_width * 0.9 / len(series)
            left = x if stacked else x + nth * width
            y = HEIGHT - BOTTOM - tall - (base if stacked else 0)
            base += tall
            if count:
                title = f"{_clock(bucket)}: {count:,} {name}"
                drawn.append(
                    f'<rect x="{left:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{tall:.1f}" '
                    f'fill="{colour}"><title>{escape(title)}</title></rect>'
                )
    legend = " ".join(
        f'<tspan fill="{colour}" font-weight="bold">{escape(name)}</tspan>' for name, (colour, _) in series.items()
    )
    axis = HEIGHT - BOTTOM
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-size="12">'
        f'<text x="{LEFT}" y="10">{legend}</text><text x="{LEFT - 6}" y="22" text-anchor="end">{tallest:,}</text>'
        f'<line x1="{LEFT}" x2="{WIDTH}" y1="{axis}" y2="{axis}" stroke="#999"/>{"".join(drawn)}'
        f'<text x="{LEFT}" y="{HEIGHT - 6}">{_clock(first)}</text>'
        f'<text x="{WIDTH}" y="{HEIGHT - 6}" text-anchor="end">{_clock(buckets[-1] + report.bucket_s)}</text></svg>'
    )


def _height(series: dict[str, tuple[str, dict[int, int]]], bucket: int, *, stacked: bool) -> int:
    counts = [values.get(bucket, 0) for _, values in series.values()]
    return sum(counts) if stacked else max(counts)


def _clock(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _partitions(report: Report) -> str:
    rows = []
    for partition in sorted({cell.partition for cell in report.cells}):
        cells = [cell for cell in report.cells if cell.partition == partition]
        counts = [f"{sum(cell.counts[kind] for cell in cells):,}" for kind in KINDS]
        left, right = (sum(getattr(cell, side) for cell in cells) for side in ("left", "right"))
        rows.append((partition, f"{left:,}", f"{right:,}", *counts))
    return _table(("partition", "left", "right", *KINDS), rows)


def _examples(report: Report) -> str:
    parts = []
    for kind, found in report.samples.items():
        if found:
            rows = [tuple("-" if value is None else value for value in sample.values()) for sample in found]
            parts.append(f"<h3>{escape(kind)}</h3>{_table(tuple(found[0]), rows)}")
    return "".join(parts) or "<p>None.</p>"

"""Plots as SVG text, for pages that show them as pictures: lines over an axis, and bars beside the bars they must meet.

Small enough to need no plotting library. A picture carries its own background and fonts, as it is shown on light and on
dark pages alike. Pure: what comes out depends on nothing but what goes in, so a page changes only with its figures.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

WIDTH = 760
HEIGHT = 340
# Okabe and Ito's colours, which people who see fewer colours can tell apart.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_INK, _FAINT = "#222222", "#dddddd"
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 56, 56
_LETTER = 6.6  # the width of one, about, at the size of labels
_BAR_STEP, _BAR_THICK = 22, 13
_TICKS = 6


@dataclass(frozen=True, slots=True)
class Axis:
    """`names` instead of figures: the points' coordinates count them from 0. A logarithmic axis has no 0."""

    label: str
    is_log: bool = False
    names: Sequence[str] = ()
    begins_at: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    name: str
    points: Sequence[tuple[float, float]]
    is_dashed: bool = False  # what is only a mark to compare with


@dataclass(frozen=True, slots=True)
class Bar:
    """One value; `limit` is drawn as a mark across it, and a value on its wrong side in another colour."""

    label: str
    value: float
    limit: float | None = None
    is_met: bool = True


@dataclass(slots=True)
class _Scale:
    """From values to places on the picture, and where to put figures."""

    axis: Axis
    low: float
    high: float
    first: float
    last: float
    ticks: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.axis.names:
            self.low, self.high = -0.5, len(self.axis.names) - 0.5
            every = max(1, math.ceil(len(self.axis.names) / 12))
            self.ticks = [float(at) for at in range(0, len(self.axis.names), every)]
        elif self.axis.is_log:
            least, most = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            self.low, self.high = 10.0**least, 10.0 ** max(most, least + 1)
            self.ticks = [10.0**power for power in range(least, max(most, least + 1) + 1)]
        else:
            step = _round_step((self.high - self.low or 1.0) / _TICKS)
            self.low, self.high = math.floor(self.low / step) * step, math.ceil(self.high / step) * step
            if self.low == self.high:
                self.high += step
            self.ticks = [self.low + step * n for n in range(round((self.high - self.low) / step) + 1)]

    def at(self, value: float) -> float:
        low, high = self.low, self.high
        if self.axis.is_log and not self.axis.names:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        return self.first + (value - low) / (high - low) * (self.last - self.first)

    def text(self, tick: float) -> str:
        return self.axis.names[int(tick)] if self.axis.names else figure(tick)


def figure(value: float) -> str:
    """As short as it can be read: 1,500; 2.5; 10k; 5M."""
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            unit = size if sign != "k" else 1e3
            return f"{value / unit:.3g}{sign}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def line_plot(title: str, series: Sequence[Series], *, x: Axis, y: Axis) -> str:
    """A line and its points for every series. Values that an axis cannot show (0 on a logarithmic one) are left out."""
    shown = [
        Series(each.name, [point for point in each.points if _fits(x, point[0]) and _fits(y, point[1])], each.is_dashed)
        for each in series
    ]
    points = [point for each in shown for point in each.points]
    if not points:
        raise ValueError(f"nothing to draw in {title!r}")
    across = _scale(x, [point[0] for point in points], _LEFT, WIDTH - _RIGHT)
    up = _scale(y, [point[1] for point in points], HEIGHT - _BOTTOM, _TOP)
    parts = [*_grid(across, up), *_legend([(each.name, colour(n)) for n, each in enumerate(shown)])]
    for number, each in enumerate(shown):
        places = [(across.at(a), up.at(b)) for a, b in sorted(each.points)]
        line = " ".join(f"{left:.1f},{top:.1f}" for left, top in places)
        dashes = ' stroke-dasharray="6 4"' if each.is_dashed else ""
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour(number)}" stroke-width="2"{dashes}/>')
        if not each.is_dashed:
            parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour(number)}"/>' for a, b in places]
    return _picture(title, parts, HEIGHT)


def bar_plot(title: str, bars: Sequence[Bar], *, label: str, is_log: bool = False, origin: float | None = None) -> str:
    """Bars that lie on their side, each with its value, and a mark where its limit is.

    They begin at `origin` (1 for ratios, which are above or below it), or else where the axis does.
    """
    if not bars:
        raise ValueError(f"nothing to draw in {title!r}")
    left = min(WIDTH * 0.6, 16 + _LETTER * max(len(bar.label) for bar in bars))
    bottom = _TOP + _BAR_STEP * len(bars) + 4
    values = [value for bar in bars for value in (bar.value, bar.limit, origin) if value is not None]
    axis = Axis(label, is_log=is_log, begins_at=None if is_log else 0.0)
    across = _scale(axis, [value for value in values if _fits(axis, value)], left, WIDTH - _RIGHT - 40)
    parts = []
    for tick in across.ticks:
        place = across.at(tick)
        parts.append(_line(place, _TOP - 4, place, bottom, _FAINT))
        parts.append(_text(place, bottom + 16, across.text(tick), anchor="middle"))
    parts.append(_text((left + WIDTH - _RIGHT) / 2, bottom + 36, label, anchor="middle"))
    begin = left if origin is None else across.at(origin)
    parts.append(_line(begin, _TOP - 4, begin, bottom, _INK))
    for number, bar in enumerate(bars):
        top = _TOP + _BAR_STEP * number
        end = across.at(max(bar.value, across.low))
        near, far = min(begin, end), max(begin, end)
        parts.append(_text(left - 8, top + 11, bar.label, anchor="end"))
        parts.append(
            f'<rect x="{near:.1f}" y="{top}" width="{max(1.0, far - near):.1f}" height="{_BAR_THICK}" '
            f'fill="{COLOURS[0] if bar.is_met else COLOURS[1]}"/>'
        )
        if bar.limit is not None:
            mark = across.at(bar.limit)
            parts.append(_line(mark, top - 3, mark, top + _BAR_THICK + 3, _INK, width=2))
            far = max(far, mark) if mark - far < 40 else far
        parts.append(_text(far + 5, top + 11, figure(bar.value), anchor="start"))
    return _picture(title, parts, bottom + 50)


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _fits(axis: Axis, value: float) -> bool:
    return math.isfinite(value) and (value > 0 or not axis.is_log)


def _scale(axis: Axis, values: Sequence[float], first: float, last: float) -> _Scale:
    low = min(values) if axis.begins_at is None else axis.begins_at
    return _Scale(axis, low, max(*values, low), first, last)


def _round_step(least: float) -> float:
    """The next larger of 1, 2, 2.5, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1.0, 2.0, 2.5, 5.0, 10.0) if step * power >= least * 0.999)


def _grid(across: _Scale, up: _Scale) -> list[str]:
    parts = []
    for tick in up.ticks:
        place = up.at(tick)
        parts.append(_line(_LEFT, place, WIDTH - _RIGHT, place, _FAINT))
        parts.append(_text(_LEFT - 8, place + 4, up.text(tick), anchor="end"))
    for tick in across.ticks:
        place = across.at(tick)
        parts.append(_line(place, HEIGHT - _BOTTOM, place, HEIGHT - _BOTTOM + 5, _INK))
        parts.append(_text(place, HEIGHT - _BOTTOM + 19, across.text(tick), anchor="middle"))
    parts.append(_line(_LEFT, HEIGHT - _BOTTOM, WIDTH - _RIGHT, HEIGHT - _BOTTOM, _INK))
    parts.append(_text((_LEFT + WIDTH - _RIGHT) / 2, HEIGHT - 14, across.axis.label, anchor="middle"))
    parts.append(_text(8, _TOP - 10, up.axis.label, anchor="start"))
    return parts


def _legend(names: Sequence[tuple[str, str]]) -> list[str]:
    """Right above the lines, from the right edge to the left."""
    parts, right = [], float(WIDTH - _RIGHT)
    for name, ink in reversed(names):
        right -= _LETTER * len(name) + 4
        parts.append(_text(right, _TOP - 10, name, anchor="start"))
        parts.append(f'<rect x="{right - 14:.1f}" y="{_TOP - 19}" width="10" height="10" fill="{ink}"/>')
        right -= 26
    return parts


def _line(a: float, b: float, c: float, d: float, ink: str, *, width: int = 1) -> str:
    return f'<line x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}" stroke="{ink}" stroke-width="{width}"/>'


def _text(left: float, top: float, words: str, *, anchor: str, size: int = 12) -> str:
    return (
        f'<text x="{left:.1f}" y="{top:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{_INK}">'
        f"{escape(words)}</text>"
    )


def _picture(title: str, parts: Sequence[str], height: float) -> str:
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" font-family="sans-serif" role="img">'
    )
    ground = f'<rect width="{WIDTH}" height="{height:.0f}" fill="white"/>'
    head = _text(8, 20, title, anchor="start", size=15)
    return "\n".join([opening, f"<title>{escape(title)}</title>", ground, head, *parts, "</svg>", ""])

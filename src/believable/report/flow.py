"""The flow of participants as a figure: who came, who was left out and why, who is analysed.

Steps of one branch are stacked in a separate column; branches that follow each other run side by
side.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from believable.analysis import numbers
from believable.analysis.findings import FlowStep
from believable.report.colours import SANS, Theme

WIDTH_PX = 800
KEPT_PX = 340
LEFT_OUT_PX = 390
LINE_PX = 17
GAP_PX = 30
PADDING_PX = 15
COLUMN_GAP_PX = 24
ARROW_PX = 60
#: Width of a letter in bold print at this size, on the wide side.
LETTER_PX = 7.4
SMALL_LETTER_PX = 6.4


@dataclass(frozen=True, slots=True)
class FlowColumn:
    """Positions of boxes: a column of the figure. In a narrow one the exclusions are between the
    boxes.
    """

    x: int
    width: int
    narrow: bool


@dataclass
class FlowDrawing:
    """The parts drawn up to now, and their lower edge."""

    parts: list[str]
    y: int


def funnel_svg(steps: Sequence[FlowStep], theme: Theme, mark: str = "") -> str:
    """An SVG for a file or a page; its colours are those of the theme."""
    drawn = FlowDrawing([], 2)
    if mark:
        drawn.parts.append(
            f'<text x="{WIDTH_PX - 2}" y="{drawn.y + 12}" text-anchor="end" fill="{theme.hues[1]}"'
            f' font-size="11" font-weight="600">{escape(mark)}</text>'
        )
        drawn.y += 24
    main = FlowColumn(1, KEPT_PX, narrow=False)
    rest = list(steps)
    if rest:
        first = rest[0]
        title = first.title if first.before == first.after else "Came in"
        drawn.y += _draw_kept(
            drawn, main, drawn.y, title, _count(first.before), theme, last=len(rest) == 1
        )
        if first.before == first.after:
            rest = rest[1:]
    before = rest[0].before if rest else 0
    final = rest[-1] if rest else None
    for branched, run in groupby(rest, key=lambda step: bool(step.branch)):
        own = list(run)
        if branched:
            _branches(drawn, own, theme)
            continue
        for step in own:
            # Steps may count other things than the one before, such as participants after traces:
            # then it says of how many.
            of = step.before if step.before != before else None
            drawn.y = _step(drawn, main, drawn.y, step, theme, last=step is final, of=of)
            before = step.after
    words = "; ".join(f"{step.title}: {step.after} of {step.before}" for step in steps)
    height = drawn.y + 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="funnel" width="{WIDTH_PX}"'
        f' height="{height}"'
        f' viewBox="0 0 {WIDTH_PX} {height}"'
        f' role="img" aria-label="{escape("Flow of sessions. " + words)}"'
        f' font-family="{escape(SANS)}" font-size="13">'
        f"{''.join(drawn.parts)}</svg>"
    )


def _branches(drawn: FlowDrawing, steps: Sequence[FlowStep], theme: Theme) -> None:
    names = list(dict.fromkeys(step.branch for step in steps))
    width = (WIDTH_PX - 2 - COLUMN_GAP_PX * (len(names) - 1)) // len(names)
    top = drawn.y
    ends: list[tuple[int, int]] = []
    for place, name in enumerate(names):
        lane = FlowColumn(1 + place * (width + COLUMN_GAP_PX), width, narrow=True)
        own = [step for step in steps if step.branch == name]
        y = top + GAP_PX
        middle, elbow = lane.x + ARROW_PX, top + GAP_PX // 2
        drawn.parts.append(
            f'<path d="M{ARROW_PX} {top}V{elbow}H{middle}V{y - 6}" stroke="{theme.soft}"'
            ' fill="none"/>'
        )
        drawn.parts.append(_tip(middle, y, theme))
        title = ", ".join(filter(None, (name, own[0].unit)))
        y += _draw_kept(drawn, lane, y, title, _count(own[0].before), theme, last=False)
        for step in own:
            y = _step(drawn, lane, y, step, theme, last=False)
        ends.append((middle, y))
    junction = max(y for _, y in ends) + GAP_PX // 2
    drawn.parts += [
        f'<path d="M{middle} {y}V{junction}H{ARROW_PX}" stroke="{theme.soft}" fill="none"/>'
        for middle, y in ends
    ]
    drawn.y = junction


def _step(
    drawn: FlowDrawing,
    lane: FlowColumn,
    y: int,
    step: FlowStep,
    theme: Theme,
    *,
    last: bool,
    of: int | None = None,
) -> int:
    """The exclusions, then the box of the remaining sessions; the lower edge of the box."""
    left_out = step.before - step.after
    width = lane.width - ARROW_PX - 30 if lane.narrow else LEFT_OUT_PX
    lines = textwrap.wrap(step.reason, int((width - 28) / SMALL_LETTER_PX)) if left_out else []
    height = 30 + LINE_PX * len(lines) + 16 if left_out else GAP_PX
    x = lane.x + ARROW_PX
    drawn.parts.append(f'<path d="M{x} {y}V{y + height - 6}" stroke="{theme.soft}" fill="none"/>')
    drawn.parts.append(_tip(x, y + height, theme))
    if left_out:
        box_x = x + 24 if lane.narrow else WIDTH_PX - LEFT_OUT_PX - 1
        drawn.parts.append(
            _left_out(box_x, width=width, y=y + 7, from_x=x, n=left_out, lines=lines, theme=theme)
        )
    return (
        y
        + height
        + _draw_kept(drawn, lane, y + height, step.title, _count(step.after, of), theme, last=last)
    )


def _count(n: int, of: int | None = None) -> str:
    return numbers.integer(n) + ("" if of is None else f" of {numbers.integer(of)}")


def _draw_kept(
    drawn: FlowDrawing,
    lane: FlowColumn,
    y: int,
    title: str,
    count: str,
    theme: Theme,
    *,
    last: bool,
) -> int:
    """A box; its height. The title takes as many lines as it needs next to the number."""
    stroke, width = (theme.hues[0], 2) if last else (theme.soft, 1)
    room = lane.width - 2 * PADDING_PX - LETTER_PX * (len(count) + 6)
    lines = textwrap.wrap(title, max(8, int(room / LETTER_PX))) or [""]
    height = 2 * PADDING_PX + LINE_PX * len(lines) - 1
    middle = y + height // 2 + 5
    first = y + PADDING_PX + 12
    drawn.parts.append(
        f'<rect x="{lane.x}" y="{y}" width="{lane.width}" height="{height}" rx="6"'
        f' fill="{theme.ground}" stroke="{stroke}" stroke-width="{width}"/>'
    )
    drawn.parts += [
        f'<text x="{lane.x + PADDING_PX}" y="{first + LINE_PX * place}" fill="{theme.ink}"'
        f' font-weight="{600 if last else 500}">{escape(line)}</text>'
        for place, line in enumerate(lines)
    ]
    drawn.parts.append(
        f'<text x="{lane.x + lane.width - PADDING_PX}" y="{middle}" text-anchor="end"'
        f' fill="{theme.ink}" font-weight="600"><tspan font-style="italic"'
        f' font-weight="400">n</tspan> = {count}</text>'
    )
    return height


def _tip(x: int, y: int, theme: Theme) -> str:
    return f'<path d="M{x - 4} {y - 7}L{x} {y - 1}L{x + 4} {y - 7}Z" fill="{theme.soft}"/>'


def _left_out(
    x: int, width: int, y: int, from_x: int, n: int, lines: Sequence[str], theme: Theme
) -> str:
    height = 30 + LINE_PX * len(lines)
    words = "".join(
        f'<text x="{x + 14}" y="{y + 37 + LINE_PX * place}" fill="{theme.soft}"'
        f' font-size="12">{escape(line)}</text>'
        for place, line in enumerate(lines)
    )
    return (
        f'<path d="M{from_x} {y + 15}H{x - 1}" stroke="{theme.soft}" stroke-dasharray="3 3"'
        f' fill="none"/><rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6"'
        f' fill="{theme.ground}" stroke="{theme.line}"/><text x="{x + 14}" y="{y + 20}"'
        f' fill="{theme.hues[1]}" font-weight="600">Left out: {numbers.integer(n)}</text>{words}'
    )

"""The flow of participants as a figure: who came, who was left out and why, who is analysed."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from html import escape

from believable.analysis.records import Step
from believable.report import numbers
from believable.report.colours import SANS, Theme

WIDTH_PX = 800
KEPT_PX = 330
LEFT_OUT_PX = 390
BOX_PX = 46
LINE_PX = 17
GAP_PX = 30
#: What fits into a box at this size, by trial with long words.
CHARACTERS = 58


def funnel_svg(steps: Sequence[Step], theme: Theme) -> str:
    """An SVG that stands alone or in a page; its colours are those of the theme."""
    parts: list[str] = []
    y = 2
    if steps and steps[0].before != steps[0].after:
        parts.append(_kept(y, "Came in", steps[0].before, theme, last=False))
        y += BOX_PX
    elif steps:
        parts.append(_kept(y, steps[0].title, steps[0].after, theme, last=len(steps) == 1))
        y += BOX_PX
        steps = steps[1:]
    for place, step in enumerate(steps):
        left_out = step.before - step.after
        lines = textwrap.wrap(step.reason, CHARACTERS) if left_out else []
        height = max(GAP_PX, 30 + LINE_PX * len(lines) + 16) if left_out else GAP_PX
        parts.append(_arrow(y, height, theme))
        if left_out:
            parts.append(
                _left_out(y + (height - 14 - 16 - LINE_PX * len(lines)) // 2 - 2, left_out, lines, theme)
            )
        y += height
        # Steps may count other things than the one before, such as traces after sessions: then it says of how many.
        of = step.before if place and step.before != steps[place - 1].after else None
        parts.append(_kept(y, step.title, step.after, theme, last=place == len(steps) - 1, of=of))
        y += BOX_PX
    words = "; ".join(f"{step.title}: {step.after} of {step.before}" for step in steps)
    height = y + 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="funnel" width="{WIDTH_PX}" height="{height}"'
        f' viewBox="0 0 {WIDTH_PX} {height}"'
        f' role="img" aria-label="{escape("Flow of sessions. " + words)}" font-family="{escape(SANS)}" font-size="13">'
        f"{''.join(parts)}</svg>"
    )


def _kept(y: int, title: str, n: int, theme: Theme, *, last: bool, of: int | None = None) -> str:
    stroke, width = (theme.hues[0], 2) if last else (theme.soft, 1)
    count = numbers.integer(n) + ("" if of is None else f" of {numbers.integer(of)}")
    short = textwrap.shorten(title, 38, placeholder="…")
    return (
        f'<rect x="1" y="{y}" width="{KEPT_PX}" height="{BOX_PX}" rx="6"'
        f' fill="{theme.ground}" stroke="{stroke}" stroke-width="{width}"/>'
        f'<text x="16" y="{y + 28}" fill="{theme.ink}" font-weight="{600 if last else 500}">{escape(short)}</text>'
        f'<text x="{KEPT_PX - 14}" y="{y + 28}" text-anchor="end" fill="{theme.ink}" font-weight="600">'
        f'<tspan font-style="italic" font-weight="400">n</tspan> = {count}</text>'
    )


def _arrow(y: int, height: int, theme: Theme) -> str:
    x = 60
    tip = y + height
    return (
        f'<path d="M{x} {y}V{tip - 6}" stroke="{theme.soft}" fill="none"/>'
        f'<path d="M{x - 4} {tip - 7}L{x} {tip - 1}L{x + 4} {tip - 7}Z" fill="{theme.soft}"/>'
    )


def _left_out(y: int, n: int, lines: Sequence[str], theme: Theme) -> str:
    x = WIDTH_PX - LEFT_OUT_PX - 1
    height = 30 + LINE_PX * len(lines)
    words = "".join(
        f'<text x="{x + 14}" y="{y + 37 + LINE_PX * place}" fill="{theme.soft}" font-size="12">{escape(line)}</text>'
        for place, line in enumerate(lines)
    )
    return (
        f'<path d="M60 {y + 15}H{x - 1}" stroke="{theme.soft}" stroke-dasharray="3 3" fill="none"/>'
        f'<rect x="{x}" y="{y}" width="{LEFT_OUT_PX}" height="{height}" rx="6" fill="{theme.ground}" stroke="{theme.line}"/>'
        f'<text x="{x + 14}" y="{y + 20}" fill="{theme.hues[1]}" font-weight="600">Left out: {numbers.integer(n)}</text>{words}'
    )

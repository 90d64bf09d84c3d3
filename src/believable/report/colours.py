"""How figures and pages look: the colours, one set for light and one for dark, which colour-blind
readers can distinguish, too; the style and scripts of a page. Light to import, for the console
serves them too.

The eight hues are those of Okabe and Ito, a little darker on white and a little lighter on black,
so that each keeps a contrast of 3:1 or more with its ground.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib import resources

SANS = "-apple-system, Segoe UI, Roboto, Noto Sans, Liberation Sans, Helvetica, Arial, sans-serif"


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Every colour a figure may use. `low` to `high` are steps of one hue; `below` to `above` go
    through a neutral middle.
    """

    ink: str
    soft: str
    line: str
    ground: str
    hues: tuple[str, ...]
    steps: tuple[str, ...]
    steps_ink: tuple[str, ...]
    split: tuple[str, ...]
    split_ink: tuple[str, ...]


_DARK_INK, _LIGHT_INK = "#14181d", "#ffffff"
#: Where dark and light ink are read equally well.
_MIDDLE_LUMINANCE = 0.19


def _inks(grounds: tuple[str, ...]) -> tuple[str, ...]:
    """The ink that is read best on each ground."""
    return tuple(
        _DARK_INK if _luminance(ground) > _MIDDLE_LUMINANCE else _LIGHT_INK for ground in grounds
    )


def _luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb`, as the web's accessibility guidelines define it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


_LIGHT_STEPS = ("#eef4f9", "#d3e4f1", "#aecde5", "#7db0d5", "#4a8dbf", "#226aa3", "#0a4a80")
_LIGHT_SPLIT = ("#a14408", "#d07b3e", "#edbd97", "#f2f2f0", "#a5c8e1", "#4d90c2", "#0f5c94")
_DARK_STEPS = ("#1e2832", "#203a50", "#24506f", "#2b6a93", "#3f88b8", "#66a9d6", "#9dcdee")
_DARK_SPLIT = ("#f0a06a", "#c06e34", "#6e4326", "#2b2f36", "#264d6b", "#3f84b4", "#86c2ec")

LIGHT = Theme(
    ink="#1c2127",
    soft="#5a6370",
    line="#dfe2e6",
    ground="#ffffff",
    hues=("#0072b2", "#c4560a", "#00916a", "#7d2f6b", "#a87400", "#3b8fc7", "#6b6f78", "#7a5cc4"),
    steps=_LIGHT_STEPS,
    steps_ink=_inks(_LIGHT_STEPS),
    split=_LIGHT_SPLIT,
    split_ink=_inks(_LIGHT_SPLIT),
)

DARK = Theme(
    ink="#e8eaed",
    soft="#a5aeb9",
    line="#343a43",
    ground="#171a1f",
    hues=("#5cb3ea", "#f08a4b", "#35c29a", "#e08fc0", "#e8b13c", "#93d0f2", "#a9b0ba", "#b39df0"),
    steps=_DARK_STEPS,
    steps_ink=_inks(_DARK_STEPS),
    split=_DARK_SPLIT,
    split_ink=_inks(_DARK_SPLIT),
)


def variables(theme: Theme) -> dict[str, str]:
    """The theme's colours by the names of their CSS variables."""
    named: dict[str, str] = {}
    for field in fields(theme):
        value = getattr(theme, field.name)
        stem = f"--f-{field.name.replace('_', '-')}"
        if isinstance(value, str):
            named[stem] = value
        else:
            named |= {f"{stem}-{place}": colour for place, colour in enumerate(value)}
    return named


def _by_name(theme: Theme) -> Theme:
    """The same places, each holding a reference to its CSS variable."""
    references: dict[str, str | tuple[str, ...]] = {}
    for field in fields(theme):
        value = getattr(theme, field.name)
        stem = f"--f-{field.name.replace('_', '-')}"
        references[field.name] = (
            f"var({stem})"
            if isinstance(value, str)
            else tuple(f"var({stem}-{place})" for place in range(len(value)))
        )
    return Theme(**references)  # type: ignore[arg-type]


#: For pages: the same drawing follows the reader's choice of light or dark, and prints light.
PAGE = _by_name(LIGHT)

THEMES = {"light": LIGHT, "dark": DARK}


def css(theme: Theme) -> str:
    """The body of a CSS rule that sets all variables."""
    return " ".join(f"{name}: {colour};" for name, colour in variables(theme).items())


VEGA_LITE = "6.4"


def script_name() -> str:
    """The file name of the drawing library; another version has another name."""
    return f"vega-lite-{VEGA_LITE}.js"


def static(name: str) -> str:
    return resources.files("believable.report").joinpath("static", name).read_text("utf-8")


def stylesheet() -> str:
    """Colours for light and dark, and how everything looks."""
    return f":root {{ {css(LIGHT)} }}\n{_dark()}\n{static('report.css')}"


def _dark() -> str:
    """Dark by the reader's system unless light was chosen, or by choice; paper is always light."""
    dark = css(DARK)
    return (
        '@media screen and (prefers-color-scheme: dark) { :root:not([data-scheme="light"]) {'
        f' {dark} }} }}\n@media screen {{ :root[data-scheme="dark"] {{ {dark} }} }}'
    )

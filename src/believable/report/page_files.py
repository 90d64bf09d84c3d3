"""The files of a report's page: its style and scripts. Light to import, for the console serves them too."""

from __future__ import annotations

from importlib import resources

from believable.report.colours import DARK, LIGHT, css

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
        f'@media screen and (prefers-color-scheme: dark) {{ :root:not([data-scheme="light"]) {{ {dark} }} }}\n'
        f'@media screen {{ :root[data-scheme="dark"] {{ {dark} }} }}'
    )

"""The pictures of the five reports, taken in a real browser.

for p in trace replay clips hntt qa; do
    believable new $p --protocol $p && believable simulate $p --participants 60 --seed 1 && believable report $p
done
python docs/images/reports.py .
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).resolve().parent
SIZE = {"width": 1280, "height": 1000}
#: What a picture shows beside the cover: the first figure whose place on the page is this anchor.
FIGURES = {"trace": 1, "replay": 0, "clips": 0, "hntt": 0, "qa": 0}


def take(page: Page, name: str) -> None:
    """The screen as a small PNG."""
    shot = Image.open(io.BytesIO(page.screenshot()))
    shot.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(
        HERE / f"{name}.png", optimize=True
    )


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("folder", type=Path)
    folder: Path = options.parse_args().folder.resolve()
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=sandbox)
        for protocol, place in FIGURES.items():
            scheme = "dark" if protocol == "replay" else "light"
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)
            page.goto((folder / f"{protocol}-report" / "report.html").as_uri())
            take(page, f"report-{protocol}")
            chart = page.locator("figure.chart[id]:not(#f-flow)").nth(place)
            chart.evaluate(
                "one => scrollTo({top: one.getBoundingClientRect().top + scrollY - 120, behavior:"
                " 'instant'})"
            )
            page.locator("[data-live]").first.wait_for()
            page.wait_for_timeout(500)
            take(page, f"report-{protocol}-figures")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()

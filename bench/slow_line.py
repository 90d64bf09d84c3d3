"""How long somebody on a slow line waits from the click on the join button to a page that can be
used.

    python bench/slow_line.py                     slow 3G: 400 kbit/s each way, 400 ms
    python bench/slow_line.py --latency-ms 100    another line

A real server and a real Chromium, whose network is slowed down by the browser's own tools
(`Network.emulateNetworkConditions`), each time with an empty cache. Told beside each time: requests
and kilobytes between click and usable page. Usable is when the first page can be answered and left:
its script listens and has enabled the button. Times depend on the machine's speed, too; the
calibration figure stands beside them. Needs Chromium and the test tools (Playwright).
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Response, sync_playwright

from believable.core.clock import WallClock
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.store.engine import Store
from calibration import calibration_ms
from pages import write_study

#: Wanted from the click to the usable page.
WANTED_S = 2.5
PATIENCE_MS = 120_000


@dataclass(frozen=True, slots=True)
class Wait:
    """Seconds of the landing page and from the click on; what came over the line after the
    click.
    """

    landing_s: float
    usable_s: float
    n_requests: int
    kilobytes: float


def visit(browser: Browser, address: str, kbit_s: float, latency_ms: float) -> Wait:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    line = context.new_cdp_session(page)
    line.send("Network.enable")
    bytes_s = kbit_s * 1000 / 8
    line.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": latency_ms,
            "downloadThroughput": bytes_s,
            "uploadThroughput": bytes_s,
        },
    )
    received: list[float] = []
    line.on(
        "Network.loadingFinished", lambda message: received.append(message["encodedDataLength"])
    )
    began_s = time.perf_counter()
    page.goto(address, wait_until="load")
    landing_s = time.perf_counter() - began_s
    page.wait_for_load_state("networkidle")
    received.clear()
    requests: list[Response] = []
    page.on("response", lambda response: requests.append(response))
    clicked_s = time.perf_counter()
    page.get_by_role("button").click(no_wait_after=True)
    page.wait_for_selector("form.trial button.next:not([disabled])", state="attached")
    usable_s = time.perf_counter() - clicked_s
    context.close()
    return Wait(landing_s, usable_s, len(requests), sum(received) / 1024)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kbit-s", type=float, default=400)
    parser.add_argument("--latency-ms", type=float, default=400)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    chromium = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if chromium is None:
        print("Chromium is not installed.", file=sys.stderr)
        return 2
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with (
        tempfile.TemporaryDirectory(prefix="believable-line-") as name,
        sync_playwright() as driver,
    ):
        study = write_study(Path(name) / "study", 10)
        with Server([study], data_dir=Path(name) / "data") as server:
            with Store.open(
                f"sqlite:///{Path(name) / 'data' / 'believable.db'}", clock=WallClock()
            ) as store:
                address = f"{server.url}/join/{link_token(store, study.name)}"
            browser = driver.chromium.launch(executable_path=chromium, args=sandbox)
            visit(browser, address, 1e6, 0)  # what is made once is made by now
            waits = [
                visit(browser, address, options.kbit_s, options.latency_ms)
                for _ in range(options.times)
            ]
            browser.close()
    usable_s = statistics.median(wait.usable_s for wait in waits)
    print(
        f"calibration loop {calibration_ms():.1f} ms; {options.kbit_s:g} kbit/s,"
        f" {options.latency_ms:g} ms; medians of {len(waits)}: landing page"
        f" {statistics.median(wait.landing_s for wait in waits):.2f} s, from the click to a usable"
        f" page {usable_s:.2f} s (wanted {WANTED_S}), {waits[-1].n_requests} requests,"
        f" {waits[-1].kilobytes:.0f} KiB"
    )
    return 0 if usable_s <= WANTED_S else 1


if __name__ == "__main__":
    sys.exit(main())

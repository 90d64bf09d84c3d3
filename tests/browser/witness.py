"""What an input met, told by the page itself apart from the code under test.

The truth about a moment is one number: where the medium's clock stood at the input's own time
stamp. It is taken inside the handler of the input, so a machine that is slow to deliver the input,
or to let the test go on, changes nothing.

- A video: `currentTime` in the handler, less the time since the input. Both are read at one moment;
  a reading that was interrupted is repeated.
- A recording: its clock is the page's; it goes on picture by picture from the click that started
  it. The picture on screen is the last one begun before the input.
"""

from __future__ import annotations

import itertools
from typing import Any

from playwright.sync_api import BrowserContext, Page

#: How far a recorded moment may lie from the truth.
TOLERANCE_MS = 40
SCRIPT = """\
window.inputs = [];
window.pictures = [];
(() => {
  const begun = (now) => { pictures.push(now); requestAnimationFrame(begun); };
  requestAnimationFrame(begun);
  function reading(video) {
    for (let tries = 0; ; tries += 1) {
      const now = performance.now();
      const clock_ms = video.currentTime * 1000;
      if (performance.now() - now < 1 || tries > 50) return { now, clock_ms };
    }
  }
  for (const name of ["wheel", "keydown", "pointerdown", "click", "change"]) {
    addEventListener(name, (event) => {
      if (!event.isTrusted && name !== "change") return;
      const video = document.querySelector("video");
      const { now, clock_ms } = video ? reading(video) : { now: performance.now(), clock_ms: null };
      const moving = video && !video.paused && !video.seeking && video.readyState > 2;
      const media_ms = moving ? clock_ms - (now - event.timeStamp) * video.playbackRate : clock_ms;
      inputs.push({ name, key: event.key ?? null, mono_ms: event.timeStamp, now_ms: now, media_ms });
    }, { capture: true, passive: true });
  }
})();
"""

#: Notes, for every picture of the page, how long all drawing for it took, and for each event when
#: its record was made and when it was given to the browser's storage.
COSTS = """\
window.drawing = [];
window.made_ms = [];
window.stored_ms = [];
(() => {
  const ask = requestAnimationFrame.bind(window);
  let picture = -1;
  window.requestAnimationFrame = (work) => ask((now) => {
    if (now !== picture) { picture = now; drawing.push({ now, cost_ms: 0, calls: 0 }); }
    const began = performance.now();
    work(now);
    const last = drawing[drawing.length - 1];
    last.cost_ms += performance.now() - began;
    last.calls += 1;
  });
  const write = JSON.stringify;
  JSON.stringify = (value, ...rest) => {
    if (value?.kind && "mono_ms" in value) made_ms.push({ kind: value.kind, mono_ms: value.mono_ms, at_ms: performance.now() });
    return write(value, ...rest);
  };
  for (const name of ["put", "add"]) {
    const keep = IDBObjectStore.prototype[name];
    IDBObjectStore.prototype[name] = function (value, ...rest) {
      const body = value?.body ?? "";
      if (body) stored_ms.push({ kind: JSON.parse(body).kind, mono_ms: JSON.parse(body).mono_ms, at_ms: performance.now() });
      return keep.call(this, value, ...rest);
    };
  }
})();
"""


def install(where: BrowserContext | Page) -> None:
    where.add_init_script(SCRIPT)


def count(page: Page) -> int:
    found: int = page.evaluate("inputs.length")
    return found


def arrived(page: Page, number: int) -> None:
    """Waits until the page has handled so many inputs."""
    page.wait_for_function("n => inputs.length >= n", arg=number)


def inputs(page: Page, *names: str) -> list[dict[str, Any]]:
    return [one for one in page.evaluate("inputs") if not names or one["name"] in names]


def longest_gap_ms(page: Page) -> float:
    """The longest time between two pictures of the page: what the machine, not the product, is
    late.
    """
    begun: list[float] = page.evaluate("pictures")
    return max((b - a for a, b in itertools.pairwise(begun)), default=0.0)


def on_canvas_ms(
    page: Page, mono_ms: float, *, started_ms: float, from_ms: float = 0, rate: float = 1
) -> float:
    """The moment of a recording that was drawn last before this time of the page's clock."""
    begun: list[float] = page.evaluate("pictures")
    last = max((one for one in begun if one <= mono_ms), default=started_ms)
    return from_ms + rate * max(0.0, last - started_ms)


def off_ms(events: list[dict[str, Any]], met: list[dict[str, Any]]) -> list[float]:
    """How far each event's media time is from the truth; positive where it is later."""
    assert len(events) == len(met), (events, met)
    return [
        event["data"]["media_ms"] - one["media_ms"] for event, one in zip(events, met, strict=True)
    ]


def assert_on_time(events: list[dict[str, Any]], met: list[dict[str, Any]]) -> None:
    """Each event tells the moment of the video at which its input came, and carries the input's own
    time.
    """
    for event, one, off in zip(events, met, off_ms(events, met), strict=True):
        assert abs(off) <= TOLERANCE_MS, (off, event, one)
        assert abs(event["mono_ms"] - one["mono_ms"]) <= 0.1, (event, one)


def measure(where: BrowserContext | Page) -> None:
    where.add_init_script(COSTS)


def drawn(page: Page, pictures: int) -> list[float]:
    """What drawing cost for each of the next pictures, in milliseconds. Every picture must have
    been drawn.
    """
    first = page.evaluate("drawing.length")
    page.wait_for_function("n => drawing.length >= n", arg=first + pictures)
    found = page.evaluate("drawing")[first : first + pictures]
    return [one["cost_ms"] for one in found]

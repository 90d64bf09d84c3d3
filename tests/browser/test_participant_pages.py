"""How the pages are made: accessible, small, strict about scripts, calm in light and dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

CONSENT, TEXT, FORM, CHECK, WATCH_1, WATCH_2, BREAK, RATE = range(8)
#: Finds what people with assistive technology would stumble over.
FAULTS = """() => {
  const faults = [];
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  const named = (element) => Boolean(
    element.labels?.length || element.getAttribute('aria-label') || element.textContent.trim() ||
    (element.getAttribute('aria-labelledby') ?? '').split(' ').some((id) => document.getElementById(id)?.textContent.trim()));
  for (const element of document.querySelectorAll('input:not([type=hidden]), textarea, select, button, a, progress')) {
    if (seen(element) && !named(element)) faults.push('no name: ' + element.outerHTML.slice(0, 120));
  }
  for (const element of document.querySelectorAll('[aria-describedby], [aria-labelledby]')) {
    for (const attribute of ['aria-describedby', 'aria-labelledby']) {
      for (const id of (element.getAttribute(attribute) ?? '').split(' ').filter(Boolean)) {
        if (!document.getElementById(id)) faults.push(attribute + ' leads nowhere: ' + id);
      }
    }
  }
  for (const group of document.querySelectorAll('input[type=radio]')) {
    if (!group.closest('fieldset')?.querySelector('legend')) faults.push('radio outside a fieldset with a legend');
  }
  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
  for (const id of new Set(ids.filter((id, index) => ids.indexOf(id) !== index))) faults.push('id twice: ' + id);
  if (document.querySelectorAll('h1').length !== 1) faults.push('there must be one h1');
  if (!document.documentElement.lang) faults.push('no language');
  if (!document.title) faults.push('no title');
  if (document.documentElement.scrollWidth > innerWidth) faults.push('scrolls sideways');
  for (const element of document.querySelectorAll('[style], script:not([src]):not([type="application/json"]), style')) {
    const arrival = element.matches('head > script') && element.textContent.includes('addEventListener("arrived"');
    if (!arrival) faults.push('inline: ' + element.outerHTML.slice(0, 80)); // the one that the policy names by its content
  }
  return faults;
}"""

#: WCAG contrast of every piece of text that can be seen.
CONTRASTS = """() => {
  const channel = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const poor = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || !element.checkVisibility({ visibilityProperty: true }) || element.closest('[disabled], .visually-hidden, script')) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) poor.push(node.textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(2));
  }
  return poor;
}"""  # noqa: E501


@pytest.mark.parametrize(
    ("scheme", "width", "height"),
    [("light", 1280, 720), ("dark", 1920, 1080), ("light", 768, 1024)],
    ids=["light-1280", "dark-1920", "tablet"],
)
def test_every_page_is_accessible(
    browser: Browser,
    server: Any,
    visitor_on: Callable[[Page], Any],
    scheme: Any,
    width: int,
    height: int,
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        locale="en-GB",
        reduced_motion="reduce",
    )
    context.set_default_timeout(20_000)
    page = context.new_page()
    visitor = visitor_on(page)
    found: dict[str, list[str]] = {}

    def look(name: str) -> None:
        found[name] = [*page.evaluate(FAULTS), *page.evaluate(CONTRASTS)]

    page.goto(server.link())
    look("landing")
    page.get_by_role("button", name="Start").click()
    visitor.at(CONSENT)
    visitor.next()
    expect(page.locator(".error-summary")).to_be_visible()
    look("consent with errors")
    visitor.consent()
    look("text")
    visitor.read()
    visitor.next()
    expect(page.locator(".error-summary")).to_be_visible()
    look("form with errors")
    visitor.form()
    look("check")
    visitor.check()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    look("video")
    visitor.watch()
    look("video and questions")
    page.locator("#q-seemed-question input[value='4']").check()
    visitor.next()
    visitor.at(WATCH_2)
    visitor.judge(WATCH_2)
    look("break")
    visitor.rest()
    look("rate")
    page.get_by_role("button", name="Continue later").click()
    look("continue later")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Withdraw").click()
    look("withdraw")
    page.keyboard.press("Escape")
    visitor.rate()
    visitor.finished()
    look("finished")
    page.goto(f"{server.url}/resume")
    look("resume")
    page.goto(f"{server.url}/join/nothing")
    look("unknown link")
    context.close()
    assert {name: faults for name, faults in found.items() if faults} == {}


HOSTILE = """\
believable: 1
title: "<script>alert(1)</script> & title"
seed: 1
timeline:
  - text: {{text: "# Hello <b>there</b>\\n\\n<script>alert(2)</script> [x](javascript:alert(3)) ![y](http://example.org/z.png)"}}
  - form:
      id: hostile
      questions:
        - {{id: tick, prompt: "<img src=x onerror=alert(4)>", choice: {{options: ["</script><script>alert(5)</script>", "\\"><svg onload=alert(6)>"]}}}}
        - {{id: free, prompt: Say something, long_text: {{max_length: 1000000}}}}
  - finish: {{text: "<iframe src='javascript:alert(7)'></iframe>"}}
"""  # noqa: E501
TYPED = "<script>alert(8)</script>\n=1+1\n\u202etxt.exe\n'\"; DROP TABLE events; --"
LONG = TYPED + "ä" * 900_000


def test_hostile_words_are_only_words(
    page: Page,
    visitor: Any,
    serve: Callable[[Path], Any],
    make_study: Callable[..., Path],
    stored: Any,
) -> None:
    server = serve(make_study(HOSTILE))
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    visitor.join(server.link())
    assert page.title() == "<script>alert(1)</script> & title"
    expect(page.locator("#trial")).to_contain_text("<script>alert(2)</script>")
    assert page.locator("#trial a[href^=javascript], #trial img, #trial b").count() == 0
    visitor.next()
    visitor.at(1)
    expect(page.get_by_text("<img src=x onerror=alert(4)>")).to_be_visible()
    page.locator("#q-tick-question input").first.check()
    free = page.get_by_label("Say something")
    free.evaluate(
        "(box, text) => { box.value = text; for (const kind of ['input', 'change'])"
        " box.dispatchEvent(new Event(kind, { bubbles: true })); }",
        LONG,
    )
    visitor.saved()
    page.reload()
    visitor.at(1)
    assert free.evaluate("box => box.value") == LONG
    visitor.next()
    visitor.finished()
    assert page.locator("iframe").count() == 0
    assert dialogs == []
    answers = stored(server).answers["hostile"]
    assert answers["free"] == LONG
    assert answers["tick"] == "</script><script>alert(5)</script>"

"""A report in a real Chromium, from a file, without a network."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from believable.analysis.run import run
from believable.protocols import READY_STUDIES
from believable.protocols.templates import TEMPLATES
from believable.report.page import page as report_page
from believable.simulate import straight
from believable.study.load import load

SAMPLE = Path(__file__).resolve().parents[1] / "report" / "sample.py"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = importlib.util.spec_from_file_location("report_sample", SAMPLE)
    assert spec is not None
    assert spec.loader is not None
    sample = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sample)
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(
        report_page(sample.sample_analysis(), links=lambda cell: f"#{cell}").html, encoding="utf-8"
    )
    return file


@pytest.fixture
def shown(context: BrowserContext, report: Path) -> Page:
    context.set_offline(True)
    page = context.new_page()
    page.goto(report.as_uri())
    return page


def test_every_figure_comes_alive_and_nothing_is_fetched(
    context: BrowserContext, report: Path
) -> None:
    asked: list[str] = []
    context.set_offline(True)
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    figures = page.locator("[data-figure]")
    for place in range(figures.count()):
        figures.nth(place).scroll_into_view_if_needed()
        expect(figures.nth(place)).to_have_attribute("data-live", "yes")
        expect(figures.nth(place).locator("svg")).to_be_visible()
    assert figures.count() == 9
    assert [url for url in asked if not url.startswith("file:")] == []


def test_the_pointer_tells_the_numbers(shown: Page) -> None:
    figure = shown.locator('[data-figure="accuracy_points"]')
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_attribute("data-live", "yes")
    figure.locator(".mark-symbol path").first.hover(force=True)
    words = shown.locator("#vg-tooltip-element")
    expect(words).to_be_visible()
    expect(words).to_contain_text("standin human – standin agent")
    expect(words).to_contain_text("< .001")


def test_light_and_dark_follow_the_reader_and_the_button(browser: Browser, report: Path) -> None:
    context = browser.new_context(color_scheme="dark", viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(report.as_uri())
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(23, 26, 31)"
    page.get_by_role("button", name="Light or dark").click()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    stroke = page.locator("#f-flow svg rect").last
    assert stroke.evaluate("one => getComputedStyle(one).stroke") == "rgb(0, 114, 178)", (
        "drawings follow"
    )
    context.close()


def test_warnings_stay_in_view(shown: Page) -> None:
    banner = shown.get_by_role("note", name="Warning")
    shown.locator("#s-exclusions").scroll_into_view_if_needed()
    expect(banner).to_be_in_viewport()
    expect(banner).to_contain_text("No person took part")


def test_contents_lead_to_their_parts_and_say_where_one_is(shown: Page) -> None:
    shown.get_by_role("link", name="Where the moment is").click()
    expect(shown.locator("#s-moments")).to_be_in_viewport()
    expect(shown.locator(".contents a.here")).to_have_text("Where the moment is")


def test_tables_and_figures_can_be_saved(shown: Page) -> None:
    with shown.expect_download() as waiting:
        shown.locator("#t-accuracy").get_by_role("button", name="LaTeX").click()
    assert waiting.value.suggested_filename == "accuracy.tex"
    assert "\\toprule" in waiting.value.path().read_text()
    with shown.expect_download() as waiting:
        shown.locator("#f-accuracy_points").get_by_role("button", name="SVG").click()
    drawing = waiting.value.path().read_text()
    assert drawing.startswith("<svg")
    assert "var(" not in drawing


def test_it_prints_light_on_several_pages_with_every_exclusion(
    browser: Browser, report: Path
) -> None:
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(report.as_uri())
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    expect(page.locator(".contents")).to_be_hidden()
    paper = page.pdf(prefer_css_page_size=True)
    assert (
        paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") + paper.count(b"/Type /Page/")
        > 4
    )
    context.close()


def test_without_scripts_nothing_is_missing(browser: Browser, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("[data-figure] svg").count() == 9
    expect(page.locator("#t-accuracy")).to_be_visible()
    context.close()


@pytest.mark.parametrize("width", [1440, 1280, 1024])
def test_nothing_is_wider_than_the_page(browser: Browser, report: Path, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


#: Tables that reach beyond their box, or out of the page.
_TOO_WIDE = """() => [...document.querySelectorAll('table')].filter((table) => {
    const right = table.getBoundingClientRect().right;
    return table.scrollWidth > table.parentElement.clientWidth + 1 || right > innerWidth;
  }).map((table) => `${table.closest('[id]')?.id}: ${table.scrollWidth} in ${table.parentElement.clientWidth}`)"""


@pytest.mark.parametrize("name", ["trace", "replay", "clips", "hntt", "qa", "blank"])
def test_the_tables_of_every_report_fit_screen_and_paper(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    study = TEMPLATES[name] if name in TEMPLATES else READY_STUDIES[name]
    definition = load(study.folder)
    analysis = run(straight.bundle(definition, 40, np.random.default_rng(3)))
    bare = replace(
        analysis, sections=tuple(replace(section, charts=()) for section in analysis.sections)
    )
    file = tmp_path / "report.html"
    file.write_text(report_page(bare).html, encoding="utf-8")
    assert "A click opens the clip" not in file.read_text("utf-8"), "no server was named"
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("table").count() > 3
    assert page.evaluate(_TOO_WIDE) == []
    page.emulate_media(media="print")
    page.set_viewport_size(
        {"width": 673, "height": 1000}
    )  # A4 without its margins, at 96 dots per inch
    assert page.evaluate(_TOO_WIDE) == []
    context.close()


def test_no_figure_label_is_cut_and_no_card_torn_on_paper(browser: Browser, tmp_path: Path) -> None:
    """Long names of pairs in a font that is wider than that of the drawing; captions do not hold
    whole pages together.
    """
    definition = load(READY_STUDIES["hntt"].folder)
    analysis = run(straight.bundle(definition, 20, np.random.default_rng(3)))
    file = tmp_path / "report.html"
    file.write_text(report_page(analysis).html, encoding="utf-8")
    context = browser.new_context(viewport={"width": 673, "height": 1000})
    page = context.new_page()
    page.goto(file.as_uri())
    page.emulate_media(media="print")
    assert page.locator(".plot svg text").count() > 20
    assert (
        page.evaluate("""() => [...document.querySelectorAll('.plot svg')].flatMap((drawing) => {
        const edge = drawing.closest('.plot').getBoundingClientRect().left - 1;
        return [...drawing.querySelectorAll('text')].filter((text) => text.getBoundingClientRect().left < edge)
          .map((text) => text.textContent);
      })""")
        == []
    )
    rules = """(part) => ['breakBefore', 'breakAfter'].map((side) => getComputedStyle(document.querySelector(part))[side])"""
    assert page.evaluate(rules, "figure.chart figcaption") == ["avoid", "auto"]
    assert page.evaluate(rules, "figure.table figcaption") == ["auto", "avoid"]
    context.close()

"""Authors' Markdown cannot become anything but words."""

from __future__ import annotations

import pytest

from believable.web.participant.landing_page import NeededFiles
from believable.web.templating import Words, kept_page, markdown_line, markdown_page, with_code


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "![x](http://example.org/track.png)",
        "<iframe src=//example.org></iframe>",
        "[x](vbscript:x)",
    ],
)
def test_nothing_runs_and_nothing_loads(hostile: str) -> None:
    for html in (markdown_page(hostile), markdown_line(hostile)):
        assert "<script" not in html
        assert "<img" not in html
        assert "<iframe" not in html
        assert 'href="javascript' not in html
        assert 'href="data' not in html
        assert 'href="vbscript' not in html


def test_what_authors_need_works() -> None:
    html = markdown_page(
        "# Title\n\n*one* **two**\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n[us](https://example.org)"
    )
    for part in (
        "<h1>Title</h1>",
        "<em>one</em>",
        "<strong>two</strong>",
        "<li>a</li>",
        "<td>1</td>",
    ):
        assert part in html
    assert '<a href="https://example.org">us</a>' in html


def test_a_prompt_is_one_line() -> None:
    assert markdown_line("How **human**?") == "How <strong>human</strong>?"
    assert markdown_line("# no heading") == "# no heading"
    assert markdown_line("1 < 2 & 3") == "1 &lt; 2 &amp; 3"


def test_a_kept_page_is_drawn_once_and_filled_for_each() -> None:
    drawn: list[str] = []

    def make() -> dict[str, object]:
        drawn.append("once")
        return {
            "texts": Words("en"),
            "title": "T",
            "notice": None,
            "start": "landing.start",
            "desktop_only": False,
            "demonstration": False,
            "minutes": 12,
            "device": "landing.device.any",
            "desktop": True,
            "languages": [("en", "English")],
            "coming": NeededFiles((), ()),
        }

    first, second = (
        bytes(
            kept_page("participant/landing.html", ("test", "key"), {"action": action}, make).body
        ).decode()
        for action in ('/join/a?x="><script>', "/join/b")
    )
    assert drawn == ["once"]
    assert 'action="/join/a?x=&#34;&gt;&lt;script&gt;"' in first
    assert first.replace("/join/a?x=&#34;&gt;&lt;script&gt;", "/join/b") == second
    with pytest.raises(RuntimeError, match=r"expected nowhere once each, found 0 places"):
        kept_page(
            "participant/landing.html",
            "other",
            {"nowhere": "x"},
            lambda: {"action": "/join/b", **make()},
        )


def test_words_of_a_check_show_code_and_nothing_else_of_markdown() -> None:
    shown = with_code("Run `believable power`. The value is <b> *so* and a_b.")
    assert str(shown) == "Run <code>believable power</code>. The value is &lt;b&gt; *so* and a_b."

"""What a participant's browser loads before it can answer: the page, its scripts and its styles, as
they travel.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urljoin

from .conftest import Session, Web

#: Bytes of a page with questions, compressed as served. Every kind of page brings its own scripts,
#: so others do not count.
MOST_BYTES = 64_000
_LOADED = re.compile(r'(?:src|href)="(/static/[^"]+\.(?:js|css))"')
_IMPORTED = re.compile(r'(?:from|import)\s*\(?\s*"([^"]+\.js)"')


def travelled(web: Web, url: str) -> tuple[int, str]:
    reply = web.get(url, headers={"accept-encoding": "gzip"})
    assert reply.status_code == 200, url
    return reply.num_bytes_downloaded, reply.text


def test_a_page_with_questions_is_light_and_loads_no_other_kind(web: Web, session: Session) -> None:
    assert session.submit({"agree": True})["status"] == "next"
    size, page = travelled(web, session.url())
    waiting = [*_LOADED.findall(page), *session.trial()["modules"].values()]
    seen: set[str] = set()
    while waiting:
        url = waiting.pop().split("?")[0]
        if url in seen:
            continue
        seen.add(url)
        bytes_, text = travelled(web, url)
        size += bytes_
        if url.endswith(".js"):
            waiting += [urljoin(url, name) for name in _IMPORTED.findall(text)]
    assert any(url.endswith("/main.js") for url in seen)
    assert '"play.' not in page, "texts of rounds, in a session without one"
    assert not [
        url for url in seen if "/play/" in url or "/players/replay/" in url or "/worlds/" in url
    ]
    assert size < MOST_BYTES


def test_what_the_first_page_needs_is_fetched_while_the_landing_page_is_read(
    web: Web, join: Callable[..., Session]
) -> None:
    landing = web.get(web.link()).text
    first = web.get(join(web).url()).text
    assert "/static/participant/main.js" in landing
    assert set(_LOADED.findall(first)) <= set(_LOADED.findall(landing))


def test_a_long_page_travels_compressed_where_the_browser_takes_that(
    web: Web, session: Session
) -> None:
    plain = web.get(session.url(), headers={"accept-encoding": "identity"})
    zipped = web.get(session.url(), headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert zipped.headers["content-encoding"] == "gzip"
    assert zipped.headers["vary"] == "accept-encoding"
    assert zipped.text == plain.text
    assert zipped.num_bytes_downloaded < 0.5 * plain.num_bytes_downloaded

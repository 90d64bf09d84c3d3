"""Coming in: the landing page, languages, refusals, recruiting, and the code from another
device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

PHONE = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Mobile Safari/537.36"
PLAIN = """\
believable: 1
title: Recruited
seed: 1
recruit: {{{recruit}}}
timeline:
  - text: {{id: hello, text: Hello}}
  - finish: {{id: end, redirect: {redirect}}}
"""


def plain(recruit: str = "", redirect: str = "none") -> str:
    return PLAIN.format(recruit=recruit, redirect=redirect)


def sessions(web: Any) -> int:
    from sqlalchemy import text  # noqa: PLC0415

    count: int = web.app.state.store.read(
        lambda conn: conn.execute(text("SELECT count(*) FROM sessions")).scalar()
    )
    return count


def test_looking_at_the_link_creates_nothing(web: Any) -> None:
    for _ in range(3):
        page = web.get(web.link())
        assert page.status_code == 200
        assert "A study" in page.text
    assert sessions(web) == 0


def test_starting_leads_to_a_page_with_a_token_of_its_own(web: Any) -> None:
    places = {web.post(web.link(), data={"language": "en"}).headers["location"] for _ in range(3)}
    assert len(places) == 3
    assert web.get(places.pop()).status_code == 200


@pytest.mark.parametrize(
    ("header", "address", "expected"),
    [
        ("de-AT,de;q=0.9", "", "Eine Studie"),
        ("fr", "", "A study"),
        ("en;q=0.2,de;q=0.8", "", "Eine Studie"),
        ("de", "?lang=en", "A study"),
        ("de;q=broken", "?lang=xx", "A study"),
        ("", "", "A study"),
    ],
)
def test_the_page_speaks_the_visitors_language(
    web: Any, header: str, address: str, expected: str
) -> None:
    assert (
        f"<h1>{expected}</h1>"
        in web.get(web.link() + address, headers={"accept-language": header}).text
    )


def test_the_chosen_language_stays_with_the_session(web: Any, join: Callable[..., Any]) -> None:
    session = join(web, language="de")
    page = web.get(session.url(), headers={"accept-language": "en"})
    assert '<html lang="de">' in page.text
    assert "Ihre Einwilligung" in page.text


def test_a_language_the_study_lacks_falls_back_to_the_visitors(web: Any) -> None:
    place = web.post(
        web.link(), data={"language": "xx"}, headers={"accept-language": "de"}
    ).headers["location"]
    assert '<html lang="de">' in web.get(place).text


def test_an_unknown_link_says_so_in_words(web: Any) -> None:
    for page in (web.get("/join/nothing"), web.post("/join/nothing", data={})):
        assert page.status_code == 404
        assert "This link does not lead to a study" in page.text


@pytest.mark.parametrize(
    ("recruit", "query", "words"),
    [
        ("limit: 1", "", "Enough people have taken part"),
        ("closes: 2020-01-01T00:00:00Z", "", "This study is closed"),
        ("platform: prolific", "", "lacks your participant ID"),
        ("platform: prolific, repeats: refuse", "?PROLIFIC_PID=abc", "You have already taken part"),
    ],
)
def test_refusals_are_pages_with_words(
    run_study: Callable[..., Any], recruit: str, query: str, words: str
) -> None:
    web = run_study(plain(recruit))
    web.post(web.link() + query, data={})
    for page in (web.get(web.link() + query), web.post(web.link() + query, data={})):
        assert page.status_code == 403
        assert words in page.text


def test_the_same_browser_is_refused_by_a_mark_that_scripts_cannot_read(
    run_study: Callable[..., Any],
) -> None:
    web = run_study(plain("repeats: refuse"))
    answer = web.post(web.link(), data={})
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith("came-")
    assert all(
        part in cookie for part in ("httponly", "path=/join", "samesite=lax", "max-age=34560000")
    )
    name, _, value = answer.headers["set-cookie"].partition(";")[0].partition("=")
    again = web.post(web.link(), data={}, headers={"cookie": f"{name}={value}"})
    assert again.headers["location"] == answer.headers["location"], "half-way, one goes on"
    assert (
        web.post(web.link(), data={}, headers={"cookie": "came-x=y"}).headers["location"]
        != answer.headers["location"]
    )


def test_a_desktop_study_asks_the_browser_and_believes_the_script_before_the_name(
    run_study: Callable[..., Any],
) -> None:
    web = run_study(plain("desktop_only: true"))
    page = web.get(web.link(), headers={"user-agent": PHONE})
    assert 'name="desktop" value="no"' in page.text
    refused = web.post(web.link(), data={}, headers={"user-agent": PHONE})
    assert refused.status_code == 403
    assert "larger screen" in refused.text
    assert web.post(web.link(), data={"desktop": "no"}).status_code == 403
    assert (
        web.post(web.link(), data={"desktop": "yes"}, headers={"user-agent": PHONE}).status_code
        == 303
    )


def test_previews_and_rehearsals_say_what_they_are(web: Any, join: Callable[..., Any]) -> None:
    assert "This is a preview" in web.get(web.link("preview")).text
    assert "simulated participants" in web.get(web.link("simulated")).text
    session = join(web, kind="preview")
    assert "This is a preview" in web.get(session.url()).text


def test_the_same_person_comes_back_to_the_same_session(
    run_study: Callable[..., Any], join: Callable[..., Any]
) -> None:
    web = run_study(plain("platform: prolific"))
    first = join(web, "?PROLIFIC_PID=abc&STUDY_ID=1")
    assert "Continue" in web.get(web.link() + "?PROLIFIC_PID=abc").text
    assert join(web, "?PROLIFIC_PID=abc").token == first.token
    assert join(web, "?PROLIFIC_PID=other").token != first.token


def test_recruiter_ids_come_back_from_the_browser_for_the_last_address(
    run_study: Callable[..., Any], join: Callable[..., Any]
) -> None:
    web = run_study(plain("platform: mturk", "mturk"))
    query = (
        "?workerId=w%26~1&assignmentId=a%2F7&hitId=h&turkSubmitTo=https://workersandbox.mturk.com"
    )
    session = join(web, query)
    session.submit({})
    finished = session.finish().json()
    assert finished["redirect"].startswith(
        "https://workersandbox.mturk.com/mturk/externalSubmit?assignmentId=a%2F7&code="
    )
    assert "Back to the platform" in web.get(session.url()).text
    database = (web.app.state.settings.data_dir / "believable.db").read_bytes()
    assert b"a/7" not in database


def test_a_code_leads_back_and_a_wrong_one_does_not(web: Any, session: Any) -> None:
    later = web.get(session.url("later")).json()
    assert later["link"].endswith(session.url())
    assert (
        web.post("/resume", data={"code": later["code"].lower()}).headers["location"]
        == session.url()
    )
    wrong = web.post("/resume", data={"code": "AAAA-AAAA-AA"})
    assert wrong.status_code == 404
    assert "do not know this code" in wrong.text


def test_guessing_codes_is_slowed_down(web: Any, session: Any) -> None:
    replies = [web.post("/resume", data={"code": f"AAAA-AAAA-{n:02}"}) for n in range(12)]
    assert [reply.status_code for reply in replies[:10]] == [404] * 10
    assert replies[-1].status_code == 429
    assert "Too many tries" in replies[-1].text
    right = web.get(session.url("later")).json()["code"]
    assert web.post("/resume", data={"code": right}).status_code == 429
    web.clock.advance(16 * 60_000)
    assert web.post("/resume", data={"code": right}).status_code == 303


def test_the_landing_page_states_duration_and_device(run_study: Callable[..., Any]) -> None:
    web = run_study(plain("desktop_only: true, minutes: 25"))
    text = web.get(web.link()).text
    assert "It takes about 25 min." in text
    assert "You need a desktop or laptop computer." in text


def test_without_a_declared_duration_it_is_estimated(
    run_study: Callable[..., Any], join: Callable[..., Any]
) -> None:
    web = run_study(plain("repeats: resume"))
    text = web.get(web.link()).text
    assert "It takes about 1 min." in text
    assert "You can use a computer, a tablet or a phone." in text
    session = join(web)
    assert "min left" in web.get(session.url()).text

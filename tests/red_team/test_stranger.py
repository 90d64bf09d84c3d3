"""Strangers: somebody who knows a participant's platform id, and addresses that no database
takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

STUDY = """\
believable: 1
title: {en: A study, de: Eine Studie}
seed: 1
languages: [en, de]
recruit: {platform: prolific}
timeline:
  - form: {id: secret, questions: [{id: diary, prompt: {en: Your diary, de: Ihr Tagebuch}, text: {}}]}
  - finish: {id: end}
"""
VICTIM = "?PROLIFIC_PID=5f0000000000000000000001&STUDY_ID=s&SESSION_ID=t"


def test_a_platform_id_opens_nobodys_session(serve: Callable[..., Any]) -> None:
    target = serve(STUDY)
    link = target.link() + VICTIM
    victim = target.browser()
    session = victim.join(link)
    session.claim()
    session.send(0, "answer.change", {"question": "diary", "value": "my secret"})
    code = victim.get(f"{session.address}/later").json()["code"]

    stranger = target.browser("203.0.113.9")
    for reply in (stranger.get(link), stranger.post(link, data={})):
        assert reply.status_code == 403
        assert "my secret" not in reply.text
        assert session.address not in reply.text
        assert "location" not in reply.headers
        assert "set-cookie" not in reply.headers
        assert "You started this study in another browser" in reply.text
    german = stranger.get(link, headers={"accept-language": "de"}).text
    assert "Sie haben diese Studie in einem anderen Browser begonnen" in german
    assert "Forschenden" in german, "says what to do without the code"

    assert victim.join(link).address == session.address, (
        "in her own browser the platform's link still leads back"
    )

    phone = target.browser("198.51.100.7")
    form = re.search(r'action="([^"]+)"', phone.get(link).text)
    assert form is not None
    resumed = phone.post(form[1].replace("&amp;", "&"), data={"code": code})
    assert resumed.headers["location"] == session.address
    assert phone.join(link).address == session.address, "the code made this browser hers as well"

    session.submit(0, {"diary": "my secret"})
    assert session.finish().status_code == 200
    assert stranger.get(link).status_code == 403
    for body in ({}, {"code": "0000-0000-00"}):
        refused = stranger.post(f"{session.address}/withdraw", json=body)
        assert refused.status_code in (403, 404), (
            "not even with the address of the session, which others may have seen"
        )
    assert stranger.get(f"{session.address}/later").status_code == 403
    assert victim.post(f"{session.address}/withdraw", json={}).json() == {"withdrawn": True}


@pytest.mark.parametrize(
    "address",
    [
        "/join/%00",
        "/join/a%00b",
        "/join/{link}?PROLIFIC_PID=%00",
        "/join/{link}?PROLIFIC_PID=a%00b&lang=%00",
        "/s/%00",
        "/s/%00/trial",
        "/s/%00/media/x",
        "/s/x/media/%00",
        "/console/studies/%00",
        "/console/coding/%00",
        "/console/%00",
        "/static/%00",
        "/%00",
        "/resume?x=%00",
        "/join/%ED%A0%80",
        "/join/%FF%FE",
    ],
)
def test_addresses_that_no_database_takes_are_not_found(
    serve: Callable[..., Any], address: str
) -> None:
    target = serve(STUDY)
    reply = target.browser().get(address.replace("{link}", target.link().rpartition("/")[2]))
    assert reply.status_code in (303, 400, 403, 404), reply.text
    assert "Traceback" not in reply.text


@pytest.mark.parametrize("path", ["claim", "events", "advance", "finish", "withdraw"])
def test_forms_and_messages_with_such_characters_are_refused(
    serve: Callable[..., Any], path: str
) -> None:
    browser = serve(STUDY).browser()
    assert (
        browser.post(f"/s/%00/{path}", json={"epoch": 0, "events": [[1, "\0"]]}).status_code == 404
    )
    assert browser.post("/join/%00", data={"lang": "\0"}).status_code == 404
    assert browser.post("/resume", data={"code": "\0\0"}).status_code == 404
    wrong = browser.post("/console/login", data={"name": "\0", "password": "\0", "csrf": "\0"})
    assert wrong.status_code in (400, 403, 404, 422)

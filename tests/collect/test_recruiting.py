"""Reading who somebody is, and where they go in the end."""

from __future__ import annotations

from typing import Any

import pytest

from believable.collect.recruiting import identify, participant_hash, redirect
from believable.pages.finish import Finish, Redirects
from believable.study.records import Recruit

KEY = b"k" * 32


def test_each_platform_has_its_parameters() -> None:
    queries: dict[str, dict[str, str]] = {
        "prolific": {"PROLIFIC_PID": "ada", "STUDY_ID": "1", "SESSION_ID": "2"},
        "connect": {"participantId": "ada", "assignmentId": "1", "projectId": "2"},
        "sona": {"survey_code": "ada"},
        "mturk": {
            "workerId": "ada",
            "assignmentId": "1",
            "hitId": "2",
            "turkSubmitTo": "https://www.mturk.com",
        },
    }
    for platform, query in queries.items():
        who = identify(Recruit(platform=platform), query, key=KEY, study_id="s")  # type: ignore[arg-type]
        assert who.hash == participant_hash(KEY, "s", "ada"), platform
        assert len(who.extra) == len(query) - 1
        assert not any(value in who.extra.values() for value in query.values())
    custom = Recruit(platform="custom", id_parameter="who", extra_parameters=("batch",))
    who = identify(custom, {"who": " ada ", "batch": "7", "other": "x"}, key=KEY, study_id="s")
    assert (who.hash, set(who.extra)) == (participant_hash(KEY, "s", "ada"), {"batch"})
    assert identify(Recruit(), {"PROLIFIC_PID": "ada"}, key=KEY, study_id="s").hash is None


def test_hashes_depend_on_key_and_study() -> None:
    hashes = {
        participant_hash(key, study, "ada") for key in (KEY, b"x" * 32) for study in ("s", "t")
    }
    assert len(hashes) == 4


@pytest.mark.parametrize(
    "value", ["", "  ", "{{%PROLIFIC_PID%}}", "%SURVEY_CODE%", "${e://Field/pid}", "x" * 257]
)
def test_unfilled_and_absurd_ids_are_none(value: str) -> None:
    assert (
        identify(Recruit(platform="prolific"), {"PROLIFIC_PID": value}, key=KEY, study_id="s").hash
        is None
    )


def to(finish: Any, platform: Any, outcome: str = "complete", **query: str) -> str | None:
    page = Finish(id="end", redirect=finish)
    return redirect(page, Recruit(platform=platform), outcome, code="C-1", query=query)


def test_addresses_of_the_platforms() -> None:
    assert to("prolific", "prolific") == "https://app.prolific.com/submissions/complete?cc=C-1"
    assert (
        to("prolific", "prolific", "screened_out")
        == "https://app.prolific.com/submissions/complete?cc=C-1"
    )
    assert to("prolific", "prolific", "declined") is None
    address = "https://connect.cloudresearch.com/participant/project/P9/complete"
    assert to("connect", "connect", projectId="P9") == address
    assert to("connect", "connect") is None
    assert to("connect", "connect", "failed_checks", projectId="P9") is None, (
        "that address approves people"
    )
    assert to("none", "prolific") is None


@pytest.mark.parametrize(
    ("submit_to", "works"),
    [
        ("https://www.mturk.com", True),
        ("https://workersandbox.mturk.com/", True),
        ("https://evil.example", False),
        ("https://www.mturk.com.evil.example", False),
        ("https://www.mturk.com@evil.example", False),
        ("javascript:alert(1)//www.mturk.com", False),
    ],
)
def test_mturk_sends_back_only_to_mturk(submit_to: str, works: bool) -> None:
    found = to("mturk", "mturk", turkSubmitTo=submit_to, assignmentId="A&B")
    expected = f"{submit_to.rstrip('/')}/mturk/externalSubmit?assignmentId=A%26B&code=C-1"
    assert found == (expected if works else None)


def test_values_are_escaped_and_only_declared_parameters_are_used() -> None:
    own = Redirects(
        complete="https://x.org/?id={PROLIFIC_PID}&c={code}", screened_out="https://x.org/{other}"
    )
    assert to(own, "prolific", PROLIFIC_PID="a&b=c#/") == "https://x.org/?id=a%26b%3Dc%23%2F&c=C-1"
    assert to(own, "prolific") is None
    assert to(own, "prolific", "screened_out", other="x") is None

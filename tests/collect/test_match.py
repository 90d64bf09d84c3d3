"""Matching a platform's export: everybody in exactly one list, nobody paid or rejected on a
guess.
"""

from __future__ import annotations

import csv
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import insert

from believable.cli import group
from believable.collect.context import load_key
from believable.collect.match import LISTS, MatchResult, codes_of, layouts, match, read_platform
from believable.collect.recruiting import extra_hash, participant_hash
from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput, NotFound
from believable.store import review, studies
from believable.store.collected import Recruited
from believable.store.engine import Store
from believable.store.tables.collected import links, sessions
from believable.study.load import load

KEY = b"k" * 32
STUDY = "pilot"
CODES = {"d1": {"complete": "C-OK", "screened_out": "C-OUT", "failed_checks": "C-FAIL"}}

PROLIFIC = "Submission id,Participant id,Status,Started at,Completion code"


def session(
    number: int,
    person: str,
    outcome: str | None = "complete",
    *,
    submission: str = "",
    **changes: Any,
) -> Recruited:
    extra = {"SESSION_ID": extra_hash(KEY, STUDY, "SESSION_ID", submission)} if submission else {}
    fields = {
        "number": number,
        "definition": "d1",
        "recruiter_hash": participant_hash(KEY, STUDY, person),
        "extra": extra,
        "state": "finished" if outcome else "active",
        "outcome": outcome,
        "rejected": False,
        "reason": "",
    }
    return Recruited(**(fields | changes))


def matched(
    tmp_path: Path, lines: list[str], stored: list[Recruited], header: str = PROLIFIC
) -> MatchResult:
    path = tmp_path / "platform.csv"
    path.write_text("\n".join([header, *lines]) + "\n", "utf-8")
    return match(read_platform(path), stored, key=KEY, study_id=STUDY, codes=CODES)


def only(found: MatchResult) -> tuple[str, str]:
    (one,) = found.judged
    return one.list, one.reason


@pytest.mark.parametrize(
    ("stored", "row", "wanted", "reason"),
    [
        (session(1, "ann"), "s1,ann,AWAITING REVIEW,,C-OK", "approve", "completed"),
        (session(1, "ann"), "s1,ann,AWAITING REVIEW,,c-ok ", "approve", "completed"),
        (session(1, "ann"), "s1, ann ,AWAITING REVIEW,,", "approve", "no code was entered"),
        (
            session(1, "ann"),
            "s1,ann,AWAITING REVIEW,,C-OUT",
            "review",
            "entered another code: 'C-OUT'",
        ),
        (
            session(1, "ann", "failed_checks"),
            "s1,ann,AWAITING REVIEW,,C-FAIL",
            "reject",
            "attention checks",
        ),
        (
            session(1, "ann", "screened_out"),
            "s1,ann,AWAITING REVIEW,,C-OUT",
            "screened_out",
            "did not fit",
        ),
        (session(1, "ann", "declined"), "s1,ann,AWAITING REVIEW,,", "review", "declined"),
        (session(1, "ann", None), "s1,ann,AWAITING REVIEW,,C-OK", "review", "not finished"),
        (
            session(1, "ann", rejected=True, reason="copied"),
            "s1,ann,AWAITING REVIEW,,C-OK",
            "reject",
            "copied",
        ),
        (
            session(1, "ann", None, approved=True, reason="lost the net"),
            "s1,ann,AWAITING REVIEW,,",
            "approve",
            "lost the net",
        ),
        (session(1, "ann"), "s1,ann,APPROVED,,C-OK", "ignored", "decided already"),
        (session(1, "ann", None), "s1,ann,RETURNED,,", "ignored", "'RETURNED'"),
        (session(1, "ann"), "s1,ann,TIMED-OUT,,", "review", "may be owed payment"),
        (session(1, "bob"), "s1,ann,AWAITING REVIEW,,", "unmatched", "no session has this id"),
        (session(1, "bob"), "s1,ann,RETURNED,,", "ignored", "no session"),
    ],
)
def test_each_outcome_has_its_list(
    tmp_path: Path, stored: Recruited, row: str, wanted: str, reason: str
) -> None:
    name, why = only(matched(tmp_path, [row], [stored]))
    assert name == wanted
    assert reason in why


def test_two_sessions_of_one_person_are_told_apart_by_the_submission(tmp_path: Path) -> None:
    stored = [
        session(1, "ann", "failed_checks", submission="s1"),
        session(2, "ann", "complete", submission="s2"),
    ]
    found = matched(tmp_path, ["s2,ann,AWAITING REVIEW,,C-OK"], stored)
    assert only(found)[0] == "approve"


def test_two_sessions_that_cannot_be_told_apart_go_to_review(tmp_path: Path) -> None:
    stored = [session(1, "ann", "failed_checks"), session(2, "ann", "complete")]
    name, why = only(matched(tmp_path, ["s2,ann,AWAITING REVIEW,,C-OK"], stored))
    assert name == "review"
    assert "2 sessions" in why


def test_a_returned_submission_does_not_make_the_next_one_ambiguous(tmp_path: Path) -> None:
    found = matched(
        tmp_path,
        ["s1,ann,RETURNED,,", "s2,ann,AWAITING REVIEW,,C-OK"],
        [session(1, "ann", submission="s2")],
    )
    assert [one.list for one in found.judged][1] == "approve"


def test_two_open_submissions_of_one_person_go_to_review(tmp_path: Path) -> None:
    found = matched(
        tmp_path, ["s1,ann,AWAITING REVIEW,,", "s2,ann,AWAITING REVIEW,,"], [session(1, "ann")]
    )
    assert [one.list for one in found.judged] == ["review", "review"]


def test_people_who_are_not_in_the_file_are_counted(tmp_path: Path) -> None:
    found = matched(
        tmp_path,
        ["s1,ann,AWAITING REVIEW,,"],
        [session(1, "ann"), session(2, "bob"), session(3, "eve")],
    )
    assert found.absent == 2


@pytest.mark.parametrize(
    ("platform", "header", "row"),
    [
        ("prolific", PROLIFIC, "s1,ann,AWAITING REVIEW,,C-OK"),
        (
            "prolific",
            "session_id,participant_id,status,entered_code",
            "s1,ann,AWAITING REVIEW,C-OK",
        ),
        ("connect", "ParticipantId,AssignmentId,ProjectId,Status", "ann,a1,p1,Submitted"),
        (
            "mturk",
            '"HITId","WorkerId","AssignmentId","AssignmentStatus","Answer.surveycode"',
            '"h","ann","a1","Submitted","C-OK"',
        ),
        ("sona", "Survey Code;Credit Status", "ann;Awaiting"),
    ],
)
def test_platforms_are_known_by_their_columns(
    tmp_path: Path, platform: str, header: str, row: str
) -> None:
    path = tmp_path / "platform.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{header}\r\n{row}\r\n\r\n".encode())
    file = read_platform(path)
    assert file.layout.platform == platform
    found = match(file, [session(1, "ann")], key=KEY, study_id=STUDY, codes=CODES)
    assert only(found)[0] == "approve"


def test_an_unusual_file_needs_the_column_named(tmp_path: Path) -> None:
    path = tmp_path / "panel.csv"
    path.write_text("Panelist,Points\nann,3\n,4\n")
    with pytest.raises(InvalidInput, match="--column NAME"):
        read_platform(path)
    with pytest.raises(InvalidInput, match=r"no column 'Panelists'.* Did you mean 'Panelist'"):
        read_platform(path, id_column="Panelists")
    file = read_platform(path, id_column="panelist")
    assert [submission.participant for submission in file.submissions] == ["ann"]
    assert file.without_id == (3,)
    with pytest.raises(NotFound, match="no such file"):
        read_platform(tmp_path / "none.csv")


def test_what_the_study_expects_decides_where_the_columns_do_not_tell(tmp_path: Path) -> None:
    path = tmp_path / "short.csv"
    path.write_text("Participant Id,Status\nann,Submitted\n")
    with pytest.raises(InvalidInput, match="no recruiting platform is recognised"):
        read_platform(path)
    for platform in ("prolific", "connect"):
        assert read_platform(path, expected=platform).layout.platform == platform
    path.write_text("WorkerId,HITId\nann,h\n")
    assert read_platform(path, expected="prolific").layout.platform == "mturk"


def test_another_key_or_study_matches_nobody(tmp_path: Path) -> None:
    path = tmp_path / "platform.csv"
    path.write_text(f"{PROLIFIC}\ns1,ann,AWAITING REVIEW,,\n")
    file = read_platform(path)
    for key, study in ((b"x" * 32, STUDY), (KEY, "another")):
        assert (
            only(match(file, [session(1, "ann")], key=key, study_id=study, codes=CODES))[0]
            == "unmatched"
        )


def test_every_layout_names_the_parameter_of_its_platform() -> None:
    assert set(layouts()) == {"prolific", "connect", "mturk", "sona"}


# ------------------------------------------------------------------------------------------ the
# command

STUDY_FILE = """
believable: 1
title: Pilot
seed: 1
recruit: {platform: prolific}
timeline:
  - form: {id: about, questions: [{id: age, prompt: Age, number: {min: 18}}]}
  - finish: {text: Thanks., codes: {complete: auto, screened_out: OUT1, failed_checks: auto}}
"""

Run = Callable[..., Any]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A published study with three recruited sessions: ann completed, bob was rejected, eve was
    screened out.
    """
    folder = tmp_path / "pilot"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY_FILE)
    definition = load(folder)
    key = load_key(folder / ".believable")
    url = f"sqlite:///{folder / '.believable' / 'believable.db'}"
    with Store.open(url, clock=VirtualClock()) as store:
        store.write(
            lambda conn: studies.put(
                conn,
                STUDY,
                title="P",
                definition=definition.hash,
                body=definition.to_json(),
                at_ms=0,
            )
        )
        for number, (person, outcome) in enumerate(
            [("ann", "complete"), ("bob", "complete"), ("eve", "screened_out")], start=1
        ):
            row = {
                "id": f"session{number}",
                "token_hash": f"t{number}",
                "code_hash": f"c{number}",
                "study": STUDY,
                "definition": definition.hash,
                "link_kind": "open",
                "number": number,
                "language": "en",
                "arms": "{}",
                "rows": "{}",
                "seed": 1,
                "recruiter_hash": participant_hash(key, STUDY, person),
                "recruiter_extra": "{}",
                "state": "finished",
                "outcome": outcome,
                "opened_ms": 0,
                "head_hash": "0",
                "started_ms": 0,
                "seen_ms": 0,
                "reserved_until_ms": 0,
                "reservation_ms": 0,
                "finished_ms": 5,
            }
            store.write(lambda conn, row=row: conn.execute(insert(sessions).values(**row)))
        store.write(
            lambda conn: review.add_decision(
                conn, session="session2", kind="reject", reason="=HYPERLINK(1)", user="u", at_ms=1
            )
        )
    return folder


def test_the_command_writes_lists_that_only_the_owner_reads(study: Path, tmp_path: Path) -> None:
    code = codes_of(load(study).study, key=load_key(study / ".believable"), study_id=STUDY)
    assert code["screened_out"] == "OUT1"
    export = tmp_path / "prolific.csv"
    rows = [
        f"s1,ann,AWAITING REVIEW,,{code['complete'].lower()}",
        f"s2,bob,AWAITING REVIEW,,{code['complete']}",
        "s3,eve,AWAITING REVIEW,,OUT1",
        "s4,zoe,AWAITING REVIEW,,",
    ]
    export.write_text("\n".join([PROLIFIC, *rows]) + "\n")
    arguments = [
        "recruit",
        "match",
        str(export),
        "--study",
        str(study),
        "--bonus",
        "0.5",
        "--screen-out-bonus",
        "0.1",
    ]
    result = CliRunner().invoke(group, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "prolific: 4 submissions, 3 sessions" in result.output
    folder = tmp_path / "prolific-matched"
    found = {
        path.stem: list(csv.reader(path.read_text().splitlines())) for path in folder.iterdir()
    }
    people = {name: [row[0] for row in found[name][1:]] for name in LISTS if name in found}
    assert people == {
        "approve": ["ann"],
        "reject": ["bob"],
        "screened_out": ["eve"],
        "unmatched": ["zoe"],
    }
    assert found["approve"][0][0] == "Participant id"
    assert found["reject"][1][-1] == "'=HYPERLINK(1)"
    assert found["bonus"] == [["ann", "0.50"], ["eve", "0.10"]]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in folder.iterdir())
    again = CliRunner().invoke(group, arguments, catch_exceptions=False)
    assert again.output == result.output


def test_mturk_gets_its_batch_file_back(study: Path, tmp_path: Path) -> None:
    export = tmp_path / "batch.csv"
    export.write_text(
        '"HITId","WorkerId","AssignmentId","AssignmentStatus","Approve","Reject"\n'
        '"h","ann","a1","Submitted","",""\n"h","bob","a2","Submitted","",""\n'
    )
    result = CliRunner().invoke(
        group, ["recruit", "match", str(export), "--study", str(study)], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    rows = list(
        csv.DictReader((tmp_path / "batch-matched" / "mturk_upload.csv").read_text().splitlines())
    )
    assert [(row["WorkerId"], row["Approve"], row["Reject"]) for row in rows] == [
        ("ann", "x", ""),
        ("bob", "", "'=HYPERLINK(1)"),
    ]


def test_personal_links_are_made_and_printed(study: Path) -> None:
    arguments = [
        "recruit",
        "links",
        str(study),
        "--count",
        "3",
        "--label",
        "class",
        "--base-url",
        "https://x.example/",
    ]
    result = CliRunner().invoke(group, arguments, catch_exceptions=False)
    printed = result.output.split()
    assert len(set(printed)) == 3
    with Store.open(
        f"sqlite:///{study / '.believable' / 'believable.db'}", clock=VirtualClock()
    ) as store:
        rows = store.read(lambda conn: conn.execute(links.select()).all())
    assert sorted(f"https://x.example/join/{row.token}" for row in rows) == sorted(printed)
    assert {(row.kind, row.label, row.study) for row in rows} == {("personal", "class", STUDY)}


def test_without_a_database_the_cure_is_named(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "study.yaml").write_text(STUDY_FILE)
    with pytest.raises(NotFound, match="Serve the study first"):
        CliRunner().invoke(
            group, ["recruit", "links", str(tmp_path / "new")], catch_exceptions=False
        )
    assert (
        json.dumps(sorted(path.name for path in (tmp_path / "new").iterdir())) == '["study.yaml"]'
    )

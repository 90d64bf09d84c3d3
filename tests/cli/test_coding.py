"""`believable code`: texts and labels in and out, and simulated coders who recover what simulated
judges were made to say.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from believable.bundle.read import read
from believable.cli import group
from believable.coding import coded_bundle
from believable.coding.phrases import CodingSettings, planted_for
from believable.coding.proportions import proportions
from believable.core.errors import InvalidInput, NotFound, Refused
from believable.store import audit_log, coding_rounds
from believable.store.coding_projects import CodingProject
from believable.store.engine import Store

STUDY = """\
believable: 1
title: Two figures
seed: 3
codebooks:
  - {id: reasons, ready: hntt, of: [judge.why]}
  - {id: understood, ready: hntt_understood, of: [judge.why]}
timeline:
  - form: {id: judge, questions: [{id: why, prompt: Why?, long_text: {}}]}
  - finish: {}
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "pairs"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    run("simulate", str(folder), "--participants", "2", "--drop-out", "0")
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, arguments, catch_exceptions=False)


def test_texts_come_in_are_labelled_elsewhere_and_go_out(study: Path, tmp_path: Path) -> None:
    texts, labels = tmp_path / "texts.csv", tmp_path / "labels.csv"
    texts.write_text("text,judge\n" + "".join(f"words {n},j{n % 4}\n" for n in range(8)))
    done = run(
        "code", "import", str(study), str(texts), "--title", "From a file", "--codebook", "replay"
    )
    assert "from-a-file: 8 texts" in done.output
    assert "from-a-file  8 texts (imported), 0 of 0 coded" in run("code", "list", str(study)).output
    labels.write_text("response,coder,code\n1,kim,temporal\n")
    with pytest.raises(InvalidInput, match="not on the list of 'kim' in round 1"):
        run("code", "labels", str(study), "from-a-file", str(labels), "--round", "1")
    run("code", "export", str(study), "from-a-file", "--out", str(tmp_path / "out"))
    with Store.open(f"sqlite:///{study / '.believable' / 'believable.db'}") as store:
        lines = store.read(
            lambda conn: list(audit_log.whole_audit(conn, audit_log.AuditFilter(None, "export")))
        )
    assert [line.what for line in lines] == ["exported coding from-a-file"]
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "codebook.csv",
        "codebook.qdc",
        "final.csv",
        "labels.csv",
        "texts.csv",
    ]
    again = run(
        "code",
        "import",
        str(study),
        str(texts),
        "--title",
        "Twice",
        "--codebook",
        str(tmp_path / "out" / "codebook.csv"),
    )
    assert "twice: 8 texts" in again.output
    with pytest.raises(NotFound, match="unknown ready codebook 'hnt'"):
        run("code", "import", str(study), str(texts), "--title", "Wrong", "--codebook", "hnt")


def test_simulated_coders_only_code_simulated_texts(study: Path) -> None:
    project = CodingProject(
        id="real",
        study=None,
        pool="real",
        title="Real",
        sources=(),
        seed=1,
        suggestions=False,
        rule="none",
        created_ms=0,
    )
    with (
        Store.open(f"sqlite:///{study / '.believable' / 'believable.db'}") as store,
        pytest.raises(Refused, match="only people code them"),
    ):
        store.write(
            lambda conn: coding_rounds.simulate_coders(
                conn, project, phrases="hntt", settings=CodingSettings(), at_ms=0
            )
        )


def test_a_study_without_codebooks_or_texts_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    start, end = STUDY.index("codebooks:"), STUDY.index("timeline:")
    (folder / "study.yaml").write_text(STUDY[:start] + STUDY[end:])
    with pytest.raises(NotFound, match="has no codebooks"):
        run("code", "simulate", str(folder))
    with pytest.raises(NotFound, match="there is no database here"):
        run("code", "list", str(folder))


def test_a_pilot_has_coded_sections_that_recover_what_was_planted(tmp_path: Path) -> None:
    folder = tmp_path / "pilot"
    run("new", str(folder), "--protocol", "hntt")
    run("simulate", str(folder), "--participants", "24", "--drop-out", "0", "--care", "1")
    assert "marks by simulated coders" in run("code", "simulate", str(folder)).output
    run("export", str(folder), "--simulated", "--out", str(tmp_path / "bundle"))
    bundle = read(tmp_path / "bundle")
    assert set(coded_bundle.codebooks(bundle)) == {"reasons", "understood"}
    found = proportions(coded_bundle.coded_responses(bundle, "reasons"))
    inside = [
        one.share.contains(planted_for("hntt").shares[one.side][one.code, one.direction])
        for one in found
        if (one.code, one.direction) in planted_for("hntt").shares[one.side]
    ]
    assert sum(inside) / len(inside) > 0.8

"""`believable check`: its messages and its exit codes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group, main
from believable.contracts.registries import PROTOCOLS
from believable.contracts.trial import outline
from believable.study.checks.launch import launch_problems
from believable.study.load import load

STUDY = """\
believable: 1
title: A test
seed: 1
timeline:
  - consent: {page: pages/consent.md}
  - form: {id: about, questions: [{id: age, prompt: Age, number: {min: 18}}]}
  - finish: {}
"""


@dataclass(frozen=True)
class Ended:
    exit_code: int
    stdout: str
    stderr: str


Command = Callable[..., Ended]


@pytest.fixture
def believable(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The whole command line in this process, from a folder."""

    def run(*arguments: str, cwd: Path) -> Ended:
        monkeypatch.chdir(cwd)
        monkeypatch.setattr(sys, "argv", ["believable", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    (folder / "pages").mkdir(parents=True)
    (folder / "study.yaml").write_text(STUDY)
    (folder / "pages" / "consent.md").write_text("# Hello\n")
    return folder


def test_a_sound_study_passes(study: Path, believable: Command) -> None:
    result = believable("check", "study", cwd=study.parent)
    assert (result.exit_code, result.stdout.strip().splitlines()[-1]) == (0, "0 problems.")


def test_what_should_not_meet_participants_is_warned_of(study: Path, believable: Command) -> None:
    """A promise that cannot be kept, and consent that nobody has written; with `--strict` they
    count.
    """
    consent = study / "pages" / "consent.md"
    consent.write_text(
        "# Hello\n\nBefore you use this study, write here who you\nare, and whom to ask.\n"
    )
    (study / "study.yaml").write_text(
        STUDY.replace("timeline:", "recruit: {repeats: refuse}\ntimeline:")
    )
    result = believable("check", "study", cwd=study.parent)
    placeholder, repeats, summary = result.stdout.strip().splitlines()
    assert placeholder.startswith(
        "pages/consent.md:3: warning: the consent text still holds a placeholder: “write here who"
        " you are”"
    )
    assert repeats.startswith(
        "study.yaml:1 recruit.repeats: warning: `repeats: refuse`, but no platform names participants"
    )
    assert (result.exit_code, summary) == (0, "0 problems, 2 warnings.")
    assert believable("check", "--strict", "study", cwd=study.parent).exit_code == 1
    (study / "study.yaml").write_text(
        STUDY.replace("timeline:", "recruit: {platform: prolific, repeats: refuse}\ntimeline:")
    )
    consent.write_text("# Hello\n\nWe are two people of a laboratory.\n")
    assert believable("check", "study", cwd=study.parent).stdout.strip() == "0 problems."


def test_a_study_without_consent_is_warned_of(study: Path, believable: Command) -> None:
    (study / "study.yaml").write_text(STUDY.replace("  - consent: {page: pages/consent.md}\n", ""))
    result = believable("check", "study", cwd=study.parent)
    assert "timeline: warning: there is no consent page" in result.stdout
    assert result.exit_code == 0


def test_hypotheses_without_a_stopping_rule_are_warned_of() -> None:
    """They would be tested and judged at any look; no study that is shipped leaves it open."""
    for protocol in ("trace", "replay", "clips", "hntt", "qa"):
        definition = load(PROTOCOLS[protocol].folder)
        plan = definition.study.analysis
        assert plan is not None
        assert plan.stopping is not None
        study = definition.study.model_copy(
            update={"analysis": plan.model_copy(update={"stopping": None})}
        )
        (problem,) = (
            problem
            for problem in launch_problems(replace(definition, study=study))
            if problem.path == "analysis.stopping"
        )
        assert problem.severity == "warning"
        assert "no stopping rule" in problem.message
        assert "analysis.stopping" not in [problem.path for problem in launch_problems(definition)]


def test_problems_come_all_at_once_with_line_and_cure(study: Path, believable: Command) -> None:
    (study / "study.yaml").write_text(
        STUDY.replace("number: {min: 18}", "numbr: {min: 18}").replace(
            "pages/consent.md", "pages/consnt.md"
        )
    )
    result = believable("check", "study", cwd=study.parent)
    assert result.exit_code == 1
    assert "study.yaml:5" in result.stdout
    assert "study.yaml:6" in result.stdout
    assert "Did you mean 'number'?" in result.stdout
    assert "Traceback" not in result.stdout + result.stderr


def test_an_order_that_cannot_be_filled_is_found(study: Path, believable: Command) -> None:
    text = STUDY.replace("seed: 1\n", "seed: 1\nconditions: [a, b]\n").replace(
        "  - finish",
        "  - block: {id: b, over: condition, each: [{watch: {id: w, stimulus: any}}]}\n  - finish",
    )
    (study / "study.yaml").write_text(text)
    result = believable("check", "study", cwd=study.parent)
    assert result.exit_code == 1, result.stdout


def test_no_study_here(tmp_path: Path, believable: Command) -> None:
    result = believable("check", ".", cwd=tmp_path)
    assert result.exit_code == 4
    assert "there is no study.yaml here" in result.stderr
    assert "Traceback" not in result.stderr


def test_wrong_usage(tmp_path: Path, believable: Command) -> None:
    assert believable("check", cwd=tmp_path).exit_code == 2


def test_placeholders_in_the_study_file_are_named_with_their_line(demo: Path) -> None:
    lines = (demo / "study.yaml").read_text("utf-8").splitlines()
    number = next(number for number, line in enumerate(lines) if line.startswith("title:"))
    lines[number] = 'title: "A study of [KIND OF GAME]"'
    (demo / "study.yaml").write_text("\n".join(lines), "utf-8")
    output = CliRunner().invoke(group, ["check", str(demo)], standalone_mode=False).output
    assert f"study.yaml:{number + 1} title: warning: the text still holds [KIND OF GAME]." in output


def test_a_game_that_phones_may_join_is_warned_of() -> None:
    definition = load(PROTOCOLS["trace"].folder)
    assert "recruit.desktop_only" not in [problem.path for problem in launch_problems(definition)]
    recruit = definition.study.recruit.model_copy(update={"desktop_only": False})
    study = definition.study.model_copy(update={"recruit": recruit})
    (problem,) = (
        problem
        for problem in launch_problems(replace(definition, study=study))
        if problem.path == "recruit.desktop_only"
    )
    assert problem.severity == "warning"
    assert "keyboard" in problem.message


def test_the_replay_study_limits_the_first_viewing() -> None:
    definition = load(PROTOCOLS["replay"].folder)
    assert "day.controls" not in [problem.path for problem in launch_problems(definition)]
    (day,) = (entry.item for entry in outline(definition.study.timeline) if entry.item.id == "day")
    controls = day.player.controls
    assert controls is not None
    assert controls.fastest_first == 50
    assert max(controls.speeds) == 100


@pytest.mark.parametrize(("limit", "fastest"), [(None, "100×"), (51, "51×"), (50, None)])
def test_a_first_viewing_too_fast_to_see_is_warned_of(
    study: Path, limit: int | None, fastest: str | None
) -> None:
    controls = "must_finish: true, speeds: [10, 50, 100], speed: 50" + (
        f", first_speed_limit: {limit}" if limit else ""
    )
    stimulus = "stimuli: [{id: day, file: day.replay.json.gz}]\ntimeline:"
    watch = f"  - watch: {{id: look, stimulus: day, controls: {{{controls}}}}}\n  - finish"
    (study / "study.yaml").write_text(
        STUDY.replace("timeline:", stimulus).replace("  - finish", watch)
    )
    problems = [one for one in launch_problems(load(study)) if one.path == "look.controls"]
    assert [one.severity for one in problems] == (["warning"] if fastest else [])
    for one in problems:
        assert f"may run at {fastest}" in one.message
        assert "first_speed_limit: 50" in one.cure

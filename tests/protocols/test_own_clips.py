"""From an agent to an open study page: an agent's episodes, recorded with the lines of the README,
judged in an `hntt` study.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from believable.bundle.read import read
from believable.cli import group
from believable.core.errors import InvalidInput
from believable.protocols import READY_STUDIES
from believable.protocols.variants import change_study, variants_of
from believable.simulate.conduct import CONDUCT
from believable.study.load import load

README = Path(__file__).resolve().parents[2] / "README.md"


def run(command: str) -> Result:
    result = CliRunner().invoke(
        group, shlex.split(command, comments=True)[1:], standalone_mode=False
    )
    assert result.exception is None, (command, result.output, result.exception)
    return result


def readme_lines() -> tuple[str, list[str]]:
    """The agent, and the lines on the command line."""
    part = README.read_text("utf-8").partition("## Judge your agent")[2]
    program, lines = re.findall(r"```(?:python)?\n(.*?)```", part, re.S)[:2]
    return program, lines.strip().splitlines()


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "my_agent", raising=False)
    return tmp_path


def test_the_readme_shows_a_route_that_a_deterministic_agent_can_take(lab: Path) -> None:
    _, (by_agent, by_people, new, check, _) = readme_lines()
    (lab / "my_agent.py").write_text("def agent(env):\n    return lambda observation: 0\n")
    short = "--episodes 2 --seconds 5"
    run(re.sub(r"--episodes \d+", short, by_agent))
    run(re.sub(r"--episodes \d+", f"{short} --agent random", by_people))
    run(new)
    assert "0 problems" in run(check).output


def test_the_readme_simulates_enough_participants_for_a_verdict() -> None:
    part = README.read_text("utf-8").partition("## Make your own study")[2]
    command = re.search(
        r"believable new my-study --protocol (\w+).*?simulate my-study --participants (\d+)",
        part,
        re.S,
    )
    assert command is not None
    plan = load(READY_STUDIES[command[1]].folder).study.analysis
    assert plan is not None
    assert plan.stopping is not None
    left = int(command[2]) * (1 - CONDUCT.drop_out) * (1 - CONDUCT.careless)
    assert left - 3 * left**0.5 / 2 > (plan.stopping.n or 0)


def test_five_lines_lead_from_an_agent_to_a_study_that_people_judge(lab: Path) -> None:
    program, lines = readme_lines()
    assert len(lines) == 5
    (lab / "my_agent.py").write_text(program)
    by_agent, by_people, new, check, serve = lines
    assert by_people.startswith("believable record gym clips/people")
    assert serve.startswith("believable serve my-study")
    short = "--episodes 2 --seconds 5"
    run(re.sub(r"--episodes \d+", short, by_agent))
    run(
        re.sub(r"--episodes \d+", f"{short} --agent random", by_people)
    )  # a script in place of the person
    run(new)
    assert "0 problems" in run(check).output
    definition = load(lab / "my-study")
    assert not definition.study.demonstration
    shown = sorted((str(s.scenario), str(s.condition)) for s in definition.study.stimuli)
    assert shown == [
        (scene, condition) for scene in ("scene_01", "scene_02") for condition in ("agent", "human")
    ]
    assert all(s.duration_ms == 5000 for s in definition.study.stimuli)
    run("believable simulate my-study --participants 3 --drop-out 0 --processes 1")
    run("believable export my-study --simulated --out judged")
    choices = [
        row
        for row in read(lab / "judged").tables["judgements"].rows()
        if row["question"] == "which"
    ]
    assert len(choices) == 3 * 2
    run("believable report judged --out report --formats ''")
    page = next((lab / "report").glob("*.html")).read_text("utf-8")
    assert "Accuracy" in page


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--clips human", "expected CONDITION=FOLDER such as human=clips/people, got 'human'"),
        ("--clips human=nowhere", "'nowhere' is no folder"),
        ("--clips human=empty", "there are no films"),
        ("--clips humn=some", "the study has no condition 'humn'. Did you mean 'human'?"),
        (
            "--clips human=some",
            "there are none for the condition 'agent'. Add --clips agent=FOLDER.",
        ),
        ("--variant dom", "'hntt' has no variant 'dom'."),
        ("--clips human=some --clips agent=some", "cannot be read as video"),
    ],
)
def test_what_cannot_be_taken_is_told_and_leaves_nothing(
    lab: Path, options: str, words: str
) -> None:
    for name in ("empty", "some"):
        (lab / name).mkdir()
    (lab / "some" / "a.mp4").write_bytes(b"no film")
    result = CliRunner().invoke(
        group, ["new", "s", "--protocol", "hntt", *options.split()], standalone_mode=False
    )
    assert isinstance(result.exception, InvalidInput)
    assert words in str(result.exception)
    assert not (lab / "s").exists()


@pytest.mark.parametrize("name", ["clips", "hntt"])
def test_changes_keep_the_rest_of_the_study_file(name: str, tmp_path: Path) -> None:
    READY_STUDIES[name].copy(tmp_path / "s")
    path = tmp_path / "s" / "study.yaml"
    before = path.read_text("utf-8")
    change_study(path, {})
    assert path.read_text("utf-8") == before
    assert "own" in variants_of(READY_STUDIES[name])


def test_a_change_of_what_is_not_there_is_told(tmp_path: Path) -> None:
    READY_STUDIES["hntt"].copy(tmp_path / "s")
    with pytest.raises(
        InvalidInput, match=r"study\.yaml\.timeline\.familarity: there is no entry with this id"
    ):
        change_study(tmp_path / "s" / "study.yaml", {"timeline": {"familarity": {"title": "x"}}})

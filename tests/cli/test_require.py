"""`believable analyse --require`: a declared hypothesis sets the exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from believable.cli import group
from believable.core.errors import InvalidInput

N_JUDGES = 10


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten simulated judges choose agent A always. Do not change the study: copy it."""
    folder = tmp_path_factory.mktemp("require") / "pairs"
    believable("new", str(folder), "--template", "compare-agents")
    change(folder, "n: 60", f"n: {N_JUDGES}")
    change(folder, "  exclusions:\n    - {rule: too_fast, below: 0.33}\n", "")
    change(folder, "\nanalysis:\n", "\nanalysis:\n  about: these clips\n")
    planted = ["--truth", "chosen_agent_a=20", "--truth", "chosen_agent_b=-20"]
    few = ["--participants", str(N_JUDGES), "--drop-out", "0", "--care", "1", *planted]
    believable("simulate", str(folder), *few)
    return folder


@pytest.fixture
def study(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "pairs"))


def believable(*arguments: str) -> Result:
    return CliRunner().invoke(group, arguments, catch_exceptions=False, standalone_mode=False)


def change(study: Path, old: str, new: str) -> None:
    file = study / "study.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def analyse(study: Path, *arguments: str) -> Result:
    return believable("analyse", str(study), "--out", str(study / "results"), *arguments)


def test_a_hypothesis_that_is_met_ends_with_0(study: Path) -> None:
    result = analyse(study, "--require", "H1")
    assert result.return_value == 0
    assert "H1: met" in result.stderr


def test_a_hypothesis_that_is_not_met_ends_with_5(study: Path) -> None:
    result = analyse(study, "--require", "H2")
    assert result.return_value == 5
    assert "H2: not met" in result.stderr


def test_one_of_several_that_is_not_met_decides(study: Path) -> None:
    assert analyse(study, "--require", "H1", "--require", "H2").return_value == 5


def test_before_the_stopping_rule_is_met_the_answer_is_open_and_the_code_is_6(study: Path) -> None:
    change(study, f"n: {N_JUDGES}", f"n: {N_JUDGES + 1}")
    result = analyse(study, "--require", "H1")
    assert result.return_value == 6
    assert "H1: not judged: the stopping rule is not met" in result.stderr


def test_without_requirements_results_never_set_the_exit_code(study: Path) -> None:
    assert analyse(study).return_value == 0


def test_json_has_the_results_and_the_same_exit_code(study: Path) -> None:
    result = analyse(study, "--require", "H2", "--json")
    assert result.return_value == 5
    claims = {claim["id"]: claim["supported"] for claim in json.loads(result.stdout)["hypotheses"]}
    assert claims == {"H1": True, "H2": False}


def test_an_unknown_hypothesis_is_named_with_the_known_ones(study: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no hypothesis 'H3'"):
        analyse(study, "--require", "H3")

"""`believable analyse`, `preregister` and `power`: from a study folder to results marked against
the registered plan.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core.errors import Conflict, InvalidInput, NotFound
from tests.quick_studies import simulate_little


def believable(*arguments: str) -> str:
    result = CliRunner().invoke(group, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of comparisons with 12 simulated participants. Do not change it: copy it."""
    folder = tmp_path_factory.mktemp("analyse") / "pairs"
    believable("new", str(folder), "--protocol", "hntt")
    simulate_little(folder)
    believable("simulate", str(folder), "--participants", "12", "--seed", "1")
    return folder


@pytest.fixture
def study(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "pairs"))


def change(study: Path, old: str, new: str) -> None:
    file = study / "study.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def analysed(study: Path, target: Path) -> dict:
    believable("analyse", str(study), "--out", str(target))
    whole: dict = json.loads((target / "results.json").read_text(encoding="utf-8"))
    return whole


def statuses(whole: dict) -> dict[str, str]:
    findings = [finding for section in whole["sections"] for finding in section["findings"]]
    return {f"{finding['outcome']} {finding['kind']}": finding["status"] for finding in findings}


def test_a_study_folder_gives_results_tables_and_words(study: Path, tmp_path: Path) -> None:
    output = believable("analyse", str(study), "--out", str(tmp_path / "results"))
    assert "! These are simulated participants" in output
    assert "! Demonstration stimuli" in output
    assert "Accuracy and verdict" in output
    assert "judges chose the human over navigator" in output
    assert (tmp_path / "results" / "tables" / "accuracy.csv").is_file()


def test_a_bundle_gives_the_same_numbers(study: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    believable("export", str(study), "--simulated", "--out", str(bundle))
    assert (
        analysed(bundle, tmp_path / "a")["sections"] == analysed(study, tmp_path / "b")["sections"]
    )


def test_register_then_change_the_plan_then_the_deviation_is_listed(
    study: Path, tmp_path: Path
) -> None:
    output = believable("preregister", str(study))
    plan = study / "preregistration" / "plan.json"
    digest = hashlib.sha256(plan.read_bytes()).hexdigest()
    assert f"SHA-256 of the plan: {digest}" in output
    for name in ("osf.md", "aspredicted.md"):
        assert digest in (study / "preregistration" / name).read_text(encoding="utf-8")
    before = analysed(study, tmp_path / "a")
    assert statuses(before)["accuracy estimate"] == "confirmatory"
    assert [one for one in before["deviations"] if "stopping" not in one] == []
    change(study, "tests: {accuracy: {margin: 0.1}}", "tests: {accuracy: {margin: 0.2}}")
    after = analysed(study, tmp_path / "b")
    assert "test of accuracy, margin: registered 0.1, now 0.2." in after["deviations"]
    assert statuses(after)["accuracy equivalence"] == "exploratory"
    assert statuses(after)["accuracy estimate"] == "confirmatory"
    change(study, "alpha: 0.05", "alpha: 0.01")
    everything = analysed(study, tmp_path / "c")
    assert set(statuses(everything).values()) == {"exploratory"}


def test_a_registered_plan_is_not_overwritten(study: Path) -> None:
    believable("preregister", str(study))
    assert "nothing was changed" in believable("preregister", str(study))
    change(study, "alpha: 0.05", "alpha: 0.01")
    with pytest.raises(Conflict, match="--again"):
        believable("preregister", str(study))
    believable("preregister", str(study), "--again")
    assert len(list((study / "preregistration" / "earlier").iterdir())) == 1


def test_what_cannot_be_analysed_says_what_to_do(demo: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="believable simulate"):
        believable("analyse", str(demo), "--out", str(tmp_path / "results"))
    file = demo / "study.yaml"
    file.write_text(file.read_text("utf-8").partition("\nanalysis:")[0], encoding="utf-8")
    with pytest.raises(InvalidInput, match="declares no analysis"):
        believable("preregister", str(demo))
    believable("simulate", str(demo), "--participants", "2")
    with pytest.raises(InvalidInput, match="--protocol"):
        believable("analyse", str(demo), "--out", str(tmp_path / "results"))


# ----------------------------------------------------------------------------------------------
# power


def test_by_formula() -> None:
    assert believable("power", "--test", "paired_t", "--effect", "0.5").startswith(
        "N = 34 pairs (exactly 33.37): power 0.808"
    )
    assert (
        "power 0.353"
        in believable("power", "--test", "paired_t", "--effect", "0.5", "--n", "12")[:60]
    )
    assert believable("power", "--test", "binomial", "--effect", "0.7").startswith("N = ")
    assert "participants in both groups" in believable(
        "power", "--test", "mann_whitney", "--effect", "0.64"
    )
    assert "pairs" in believable(
        "power", "--test", "correlation", "--effect", "0.3", "--side", "greater"
    )


def test_what_is_missing_is_named() -> None:
    with pytest.raises(InvalidInput, match="--effect"):
        believable("power", "--test", "paired_t")
    with pytest.raises(InvalidInput, match="name a study to simulate it, or a test"):
        believable("power")


def test_by_simulating_the_study(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "curve.csv"
    options = (
        "--participants",
        "10,40",
        "--studies",
        "20",
        "--workers",
        "1",
        "--truth",
        "skill=1.5",
        "--out",
        str(out),
    )
    output = believable("power", str(made), *options)
    assert "H1" in output
    rows = [line.split(",") for line in out.read_text(encoding="utf-8").splitlines()[1:]]
    found = {(int(row[0]), row[1]): float(row[4]) for row in rows}
    assert found[40, "H1"] >= found[10, "H1"]
    assert found[40, "H1"] == 1
    assert found[40, "H3"] == 0
    with pytest.raises(
        InvalidInput, match=r"--truth skil: hntt has no such parameter\. Did you mean 'skill'"
    ):
        believable("power", str(made), "--truth", "skil=1")
    with pytest.raises(InvalidInput, match="expected whole numbers"):
        believable("power", str(made), "--participants", "ten")

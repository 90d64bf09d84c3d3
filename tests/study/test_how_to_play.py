"""The study of docs/how-to/play-rounds.md loads, and the tempers it describes are the real ones."""

from __future__ import annotations

import re
from pathlib import Path

from believable.agents.temper import CALM, FRUSTRATED
from believable.instruments import INSTRUMENTS
from believable.study.load import load
from believable.study.plan import Assignment, plan
from believable.worlds.maze.rules import TICKS_PER_S

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "play-rounds.md"


def test_the_study_loads_and_can_be_planned(tmp_path: Path) -> None:
    (snippet,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    (tmp_path / "study.yaml").write_text(snippet)
    study = load(tmp_path, instruments=INSTRUMENTS).study
    kinds = [page.trial.kind for page in plan(study, Assignment({}, {}, 1))]
    assert kinds == ["play", "play", "practice", "watch", "play", "watch", "finish"]


def test_the_table_of_tempers_is_true() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([\d.]+)[^|]* \| ([\d.]+)[^|]* \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    written = [(float(calm), float(frustrated)) for _, calm, frustrated in rows]
    fields = ("view_deg", "view_tiles", "hearing_reach", "fire_health", "detour_ratio", "swerve_deg")
    true = [(getattr(CALM, name), getattr(FRUSTRATED, name)) for name in fields]
    true.append((100 * CALM.swerve_chance, 100 * FRUSTRATED.swerve_chance))
    true.append((CALM.memory_ticks / TICKS_PER_S, FRUSTRATED.memory_ticks / TICKS_PER_S))
    assert written == true


def test_pictures_of_the_page_exist() -> None:
    for name in re.findall(r"\]\((\.\./images/[^)]+)\)", PAGE.read_text("utf-8")):
        assert (PAGE.parent / name).resolve().is_file(), name

"""The whole analysis of `qa` on a simulated study in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats

from believable.analysis.data import Data, load
from believable.analysis.procedure import past
from believable.analysis.resolution import resolve
from believable.analysis.settled_plan import Plan
from believable.bundle.memory import bundle
from believable.core.nodes import from_plain
from believable.protocols.qa.analysis import analyse, main, methods, warnings
from believable.protocols.qa.annotator_scoring import score_annotators
from believable.report.colours import LIGHT
from believable.report.figure_files import specification
from believable.stimuli.signal import draw
from believable.study.definition import Definition
from believable.study.reading import read_study
from believable.traces import resample, sda

RNG = np.random.default_rng(1)
TREE: dict[str, Any] = {
    "believable": 1,
    "title": "Annotators",
    "seed": 1,
    "stimuli": [{"id": name, "file": f"{name}.mp4"} for name in ("v1", "v2", "v3")],
    "timeline": [
        {
            "form": {
                "id": "about",
                "questions": [
                    {
                        "id": "group",
                        "prompt": "Trained?",
                        "choice": {"options": ["trained", "untrained"]},
                    }
                ],
            }
        },
        {"qa": {"id": "visual", "test": "visual", "duration_s": 20, "signal_seed": 1}},
        {"qa": {"id": "auditory", "test": "auditory", "duration_s": 20, "signal_seed": 2}},
        {
            "block": {
                "id": "b",
                "order": "random",
                "over": "stimulus",
                "each": [{"watch": {"id": "task", "annotate": {"ranktrace": {}}}}],
            }
        },
        {"finish": {"text": "Thank you."}},
    ],
    "analysis": {"protocol": "qa"},
}


def definition() -> Definition:
    reading = read_study(from_plain(TREE), file="study.yaml")
    assert not reading.problems, reading.problems
    return Definition(study=reading.study, tree=TREE)


def steps(
    times: np.ndarray, levels: np.ndarray, right: float, rng: np.random.Generator
) -> np.ndarray:
    """A hand that goes the right way in this share of steps, and anywhere in the others."""
    change = np.sign(np.diff(levels, prepend=levels[0]))
    return np.cumsum(
        np.where(rng.uniform(size=len(times)) < right, change, rng.integers(-1, 2, len(times)))
    )


def study(
    people: int = 20,
    *,
    skill: tuple[float, float] = (0.95, 0.3),
    silent: str = "",
    moves: bool = True,
) -> tuple[Data, Plan]:
    rng = np.random.default_rng(2)
    made = definition()
    rows: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("participants", "trials", "answers", "traces")
    }
    times = np.arange(0, 20_000, 250.0)
    wave = np.round(np.sin(times / 1500), 1)
    for number in range(people):
        session, group = f"s{number:02}", ("trained", "untrained")[number % 2]
        rows["participants"].append({"session": session})
        rows["answers"].append(
            {
                "session": session,
                "trial": "about",
                "trial_key": "about",
                "question": "group",
                "kind": "choice",
                "value_text": group,
            }
        )
        pages = [
            ("visual", None),
            ("auditory", None),
            *(("task", name) for name in rng.permutation(["v1", "v2", "v3"])),
        ]
        for position, (trial, stimulus) in enumerate(pages, start=1):
            key = {
                "session": session,
                "position": position,
                "trial": trial,
                "trial_key": f"{trial}-{position}",
                "stimulus": stimulus,
            }
            rows["trials"].append(key | {"kind": "qa" if stimulus is None else "watch"})
            levels = wave if stimulus else draw(1 if trial == "visual" else 2, 20).levels(times)
            values = steps(times, levels, skill[number % 2], rng) * moves
            if session == silent and trial == "visual":
                continue
            rows["traces"] += [
                key
                | {
                    "instrument": "ranktrace",
                    "media_ms": float(t),
                    "value": float(v),
                    "input": "wheel",
                }
                for t, v in zip(times, values, strict=True)
            ]
    plan = resolve(made.study.analysis, made.study)  # type: ignore[arg-type]
    return load(bundle(rows, made), plan, made.study), plan


@pytest.fixture(scope="module")
def small() -> tuple[Data, Plan]:
    return study()


def test_planted_difference_between_groups(small: tuple[Data, Plan]) -> None:
    outcomes = main(*small, RNG)
    for what in ("visual", "auditory", "task"):
        assert outcomes[what].p_value < 0.01  # type: ignore[operator]
        assert outcomes[f"{what}:trained"].value > outcomes[f"{what}:untrained"].value  # type: ignore[union-attr, operator]
    assert set(outcomes) >= {"gate", "tests_agree:trained", "tests_agree:untrained"}


def test_groups_of_different_sizes_are_compared_at_one_size_and_the_finding_says_so() -> None:
    data, plan = study()
    left = data.without({data.sessions[0]: ""}, reason="test", title="test")
    sentence = {
        whole: next(
            finding.sentence
            for section in analyse(have, plan, RNG)
            for finding in section.findings
            if finding.outcome == "task"
        )
        for whole, have in ((True, data), (False, left))
    }
    assert "The difference is that of groups of 9 annotators" in sentence[False]
    assert "The difference is that of" not in sentence[True]


def test_scores_are_those_of_the_known_signal(small: tuple[Data, Plan]) -> None:
    data, plan = small
    found = score_annotators(data, plan, RNG)
    line = next(trace for trace in data.traces("visual") if trace.session == "s00")
    truth = draw(1, 20).levels(np.arange(0, 20_000, 250.0))
    expected = sda(resample(line.media_ms, line.value, duration_ms=20_000), truth)
    assert next(
        one.sda for one in found.tests["visual"] if one.annotator == "s00"
    ) == pytest.approx(expected)


def test_sections(small: tuple[Data, Plan]) -> None:
    sections = {one.name: one for one in analyse(*small, RNG)}
    assert list(sections) == ["reliability", "groups", "tests_agree", "gate", "annotators"]
    table = next(table for table in sections["reliability"].tables if table.name == "reliability")
    assert [row[:3] for row in table.rows] == [
        ("visual", "trained", 10),
        ("visual", "untrained", 10),
        ("auditory", "trained", 10),
        ("auditory", "untrained", 10),
        ("task", "trained", 10),
        ("task", "untrained", 10),
    ]
    assert [column.name for column in table.columns[3:]] == [
        "sda",
        "sda_half",
        "sda_low",
        "sda_high",
        "kappa",
        "kappa_half",
        "kappa_low",
        "kappa_high",
        "cronbach_time_items",
        "cronbach_annotator_items",
        "krippendorff",
    ]
    cross = next(table for table in sections["gate"].tables if table.name == "gate_against_task")
    assert [row[0] for row in cross.rows] == [
        "reliable in both",
        "unreliable in both",
        "failed the gate only",
        "failed the task only",
    ]
    assert sum(int(str(row[-1])) for row in cross.rows) == 20
    assert {chart.kind for chart in sections["gate"].charts} == {"scatter", "histogram"}
    counted = next(chart for chart in sections["gate"].charts if chart.kind == "histogram")
    assert counted.use.get("facet") == "group", (
        "a panel each: bars of groups are never on top of each other"
    )
    assert "colour" not in counted.use


def test_annotators_who_never_moved_are_warned_of(small: tuple[Data, Plan]) -> None:
    data, plan = small
    assert warnings(data, plan) == ()
    still, _ = study(moves=False)
    (doubt,) = warnings(still, plan)
    assert doubt.startswith("Validity: 60 traces of 60 on the task never moved.")
    assert {verdict.cell for verdict in score_annotators(still, plan, RNG).verdicts} <= {
        "reliable in both",
        "failed the gate only",
    }


def test_every_point_of_the_scatter_has_its_interval_over_stimuli(small: tuple[Data, Plan]) -> None:
    data, plan = small
    scoring = score_annotators(data, plan, RNG)
    section = next(section for section in analyse(data, plan, RNG) if section.name == "gate")
    chart = next(chart for chart in section.charts if chart.kind == "scatter")
    table = next(table for table in section.tables if table.name == chart.table)
    assert (chart.use["low"], chart.use["high"]) == ("task_low", "task_high")
    for verdict, row in zip(scoring.verdicts, table.rows, strict=True):
        own = np.array(
            [score.sda for score in scoring.task if score.annotator == verdict.annotator]
        )
        cells = dict(zip((column.name for column in table.columns), row, strict=True))
        assert cells["stimuli"] == len(own) > 1
        low, high = scipy.stats.t.interval(
            0.95, len(own) - 1, own.mean(), own.std(ddof=1) / np.sqrt(len(own))
        )
        assert (cells["task_low"], cells["task_high"]) == pytest.approx(
            (max(low, -1), min(high, 1))
        )
    layers = specification(chart, section.tables, LIGHT, {})["layer"]
    assert [layer["mark"]["type"] for layer in layers][:2] == ["rule", "point"]


def test_every_annotator_has_a_row_with_lag_and_learning(small: tuple[Data, Plan]) -> None:
    section = analyse(*small, RNG)[-1]
    (table,) = section.tables
    names = [column.name for column in table.columns]
    assert len(table.rows) == 20
    assert {"visual_lag_ms", "visual_learning", "task_learning", "cell"} <= set(names)
    for number, row in enumerate(table.rows):
        for name, cell in zip(names, row, strict=True):
            assert cell is not None or (number, name) in table.undefined


def test_a_test_without_a_single_input_is_scored_as_the_server_does() -> None:
    data, plan = study(silent="s01")
    found = score_annotators(data, plan, RNG)
    truth = draw(1, 20).levels(np.arange(0, 20_000, 250.0))
    mine = next(one for one in found.tests["visual"] if one.annotator == "s01")
    assert mine.sda == pytest.approx(sda(np.zeros(len(truth)), truth))


def test_one_group_is_not_compared() -> None:
    data, plan = study(people=6)
    keep = {session for number, session in enumerate(data.sessions) if number % 2 == 0}
    left = data.without(
        {session: "" for session in data.sessions if session not in keep},
        reason="test",
        title="test",
    )
    sections = [one.name for one in analyse(left, plan, RNG)]
    assert "groups" not in sections
    assert "visual" not in main(left, plan, RNG)


def test_selection_is_said(small: tuple[Data, Plan]) -> None:
    data, plan = small
    declared = plan.declared.model_copy(
        update={"options": {"selection": "the best 10 of 25 by the gate."}}
    )
    words = " ".join(analyse(data, resolve(declared, data.study), RNG)[0].paragraphs)
    assert "Selection of annotators: the best 10 of 25 by the gate." in words


def test_methods_name_the_threshold(small: tuple[Data, Plan]) -> None:
    assert "below a mean SDA of 0." in methods(*small, past)

"""PAGAN delivers one file per video: tests and task imported at once give gate, H2 and cross
table.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from believable.analysis.run import prepare_data, run
from believable.bundle.read import read
from believable.cli.analyse import command as analyse
from believable.cli.importing import command as importing
from believable.contracts.trial import outline
from believable.pages.qa import Qa
from believable.protocols.qa.annotator_scoring import score_annotators
from believable.protocols.qa.people import QaTruth
from believable.simulate import straight
from believable.stimuli.signal import draw
from believable.traces import normalise, resample, sda
from validation.truth.studies import ready

HEAD = (
    "OriginalName",
    "DatabaseName",
    "Participant",
    "SessionID",
    "Timestamp",
    "VideoTime",
    "Value",
    "Group",
)


def call(command: Any, *arguments: Any) -> str:
    result = CliRunner().invoke(
        command, [str(argument) for argument in arguments], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return result.output


def write_csv(path: Path, head: tuple[str, ...], rows: list[tuple[object, ...]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)
    return path


def table(results: Path, name: str) -> list[dict[str, str]]:
    with open(results / "tables" / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def own_and_imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any, str]:
    """One simulated study, analysed as it is and after a way through PAGAN's files, one per test
    and video.
    """
    folder = tmp_path_factory.mktemp("pagan")
    definition, plan = ready("qa")
    bundle = straight.bundle(definition, 60, np.random.default_rng(4), truth=QaTruth())
    data = prepare_data(bundle, plan, definition.study)
    ours = score_annotators(data, plan, np.random.default_rng(1))
    parts: dict[str, list[tuple[object, ...]]] = {}
    for row in data.table("traces").rows():
        part, who = str(row["stimulus"] or row["trial"]), str(row["session"])
        line = (
            part,
            f"DB-{part}",
            who,
            f"{part}-{who}",
            row["at_ms"],
            row["media_ms"],
            row["value"],
        )
        parts.setdefault(part, []).append((*line, ours.collected.groups[who]))
    files = {part: write_csv(folder / f"{part}.csv", HEAD, rows) for part, rows in parts.items()}
    options: list[object] = []
    for entry in outline(definition.study.timeline):
        if isinstance(entry.item, Qa):
            signal = draw(entry.item.signal_seed, entry.item.duration_s)
            times = np.arange(0, signal.duration_ms, 250.0)
            samples = list(zip(times.tolist(), signal.levels(times).tolist(), strict=True))
            path = write_csv(folder / f"{entry.item.test}_signal.csv", ("t_ms", "value"), samples)
            options += [f"--{entry.item.test}", entry.item.id, path]
    printed = call(importing, "pagan", *files.values(), *options, "--out", folder / "bundle")
    call(analyse, folder / "bundle", "--protocol", "qa", "--out", folder / "results")
    return ours, folder / "results", printed


def test_the_way_through_pagans_files_gives_the_same_reliability(
    own_and_imported: tuple[Any, Path, str],
) -> None:
    ours, results, _ = own_and_imported
    rows = {(row["test"], row["group"]): row for row in table(results, "reliability")}
    for test in ("visual", "auditory"):
        for group in ("trained", "untrained"):
            row = rows[test, group]
            assert int(row["n"]) == len(ours.sda(test, group))
            assert float(row["sda"]) == pytest.approx(np.mean(ours.sda(test, group)), abs=1e-9)


def test_gate_h2_and_cross_table_come_out_of_imported_data(
    own_and_imported: tuple[Any, Path, str],
) -> None:
    ours, results, _ = own_and_imported
    sections = {
        section["name"]: section
        for section in json.loads((results / "results.json").read_text())["sections"]
    }
    assert {"reliability", "groups", "tests_agree", "gate", "annotators"} <= set(sections)
    cells = [verdict.cell for verdict in ours.verdicts]
    (sentence,) = (finding["sentence"] for finding in sections["gate"]["findings"])
    assert f"of {len(cells)} annotators" in sentence
    for cell in set(cells):
        assert f"{cells.count(cell)} {cell}" in sentence
    for row in table(results, "tests_together"):
        visual, auditory = (
            [
                float(np.mean([s.sda for s in ours.tests[test] if s.annotator == who]))
                for who in ours.collected.groups
                if ours.collected.groups[who] == row["group"]
                and any(s.annotator == who for s in ours.tests[test])
            ]
            for test in ("visual", "auditory")
        )
        assert float(row["r"]) == pytest.approx(
            float(np.corrcoef(visual, auditory)[0, 1]), abs=1e-9
        )


def test_what_was_taken_for_what_is_said(own_and_imported: tuple[Any, Path, str]) -> None:
    printed = own_and_imported[2]
    assert "visual test, with a known signal: " in printed
    assert "auditory test, with a known signal: " in printed
    assert "no known signal, so the task: " in printed


def test_a_task_without_any_test_is_analysed_all_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [
        ("film", "F", f"p{who}", f"s{who}", 1_700_000_000_000 + at, at, int(value), "all")
        for who in range(6)
        for at, value in zip(range(0, 30_000, 500), np.cumsum(rng.integers(-1, 2, 60)), strict=True)
    ]
    film = write_csv(tmp_path / "film.csv", HEAD, rows)
    assert "no known signal, so the task: 6 traces of film" in call(
        importing, "pagan", film, "--out", tmp_path / "bundle"
    )
    printed = call(analyse, tmp_path / "bundle", "--protocol", "qa", "--out", tmp_path / "results")
    assert (
        "! No trace follows the known signal of the visual or the auditory test, so annotators have"
        " no gate score." in printed
    )
    assert "--visual FILE SIGNAL" in printed
    scores = [float(row["task_sda"]) for row in table(tmp_path / "results", "annotators")]
    assert len(scores) == 6


def test_public_recordings_of_both_tests_in_one_dataset(
    tmp_path: Path, public_data: Callable[[str], Path]
) -> None:
    """Ten people who followed a green light lend their traces to ten listed experts who followed a
    tone.
    """
    tone, green = public_data("pagan_auditory_qa"), public_data("green_intensity")
    people: dict[tuple[str, str, str], int] = {}
    with open(tone / "traces_250ms.csv", newline="") as file:
        for row in csv.DictReader(file):
            key = row["participant"], row["session"], row["group"]
            people[key] = people.get(key, 0) + 1
    experts = [key for key in people if key[2] == "Expert"]
    lines: list[tuple[object, ...]] = []
    traces: list[list[tuple[float, float]]] = []
    for number, (who, *_) in enumerate(experts, start=1):
        with open(green / "annotations_1hz" / f"TaskA_ann{number}.csv", newline="") as file:
            samples = [(1000 * float(t), float(value)) for t, value in list(csv.reader(file))[1:]]
        traces.append([sample for sample in samples if sample[0] < 267_000])  # the light's 267 s
        lines += [
            ("green", "GREEN", who, f"g{number}", 10**12 + int(t), t, value) for t, value in samples
        ]
    with open(green / "objective_truth" / "TaskA_normalized_1hz.csv", newline="") as file:
        truth = [(1000 * float(t), float(value)) for t, value in list(csv.reader(file))[1:]]
    signal = write_csv(tmp_path / "signal.csv", ("t_ms", "value"), truth)
    listed = write_csv(
        tmp_path / "listed.csv",
        ("Participant", "PaganSession", "Group", "File", "until_ms"),
        [(*key, "raw_pagan_export", 250 * bins) for key, bins in people.items()]
        + [(*key, "green", "") for key in experts],
    )
    call(
        importing,
        "pagan",
        tone / "raw_pagan_export.csv",
        write_csv(tmp_path / "green.csv", HEAD[:-1], lines),
        "--annotators",
        listed,
        "--auditory",
        "raw_pagan_export",
        tone / "Pitch_values.csv",
        "--visual",
        "green",
        signal,
        "--out",
        tmp_path / "bundle",
    )
    call(analyse, tmp_path / "bundle", "--protocol", "qa", "--out", tmp_path / "results")
    rows = {(row["test"], row["group"]): row for row in table(tmp_path / "results", "reliability")}
    expected = json.loads((tone / "expected.json").read_text())["Expert"]
    assert float(rows["auditory", "Expert"]["sda"]) == pytest.approx(expected["sda_mean"], abs=5e-5)
    length = 1000.0 * len(truth)
    levels = np.repeat([value for _, value in truth], 4)
    by_hand = [
        sda(
            resample(*map(list, zip(*own, strict=True)), step_ms=250, duration_ms=length),
            normalise(levels),
        )
        for own in traces
    ]
    assert float(rows["visual", "Expert"]["sda"]) == pytest.approx(
        float(np.mean(by_hand)), abs=1e-6
    )
    (together,) = [
        row for row in table(tmp_path / "results", "tests_together") if row["group"] == "Expert"
    ]
    assert int(together["n"]) == 10


def test_contradictory_groups_are_told_and_not_made_a_group(
    tmp_path: Path, public_data: Callable[[str], Path]
) -> None:
    tone = public_data("pagan_auditory_qa")
    printed = call(
        importing,
        "pagan",
        tone / "raw_pagan_export.csv",
        "--auditory",
        "raw_pagan_export",
        tone / "Pitch_values.csv",
        "--out",
        tmp_path / "bundle",
    )
    assert (
        "annotators have several values, such as Expert and Mturk; it is left empty for them"
        in printed
    )
    groups = {row["extra_group"] for row in read(tmp_path / "bundle")["participants"].rows()}
    assert groups == {"Expert", "Mturk", None}
    analysis = run(read(tmp_path / "bundle"), protocol="qa")
    assert any(
        "without a group" in word for section in analysis.sections for word in section.paragraphs
    )

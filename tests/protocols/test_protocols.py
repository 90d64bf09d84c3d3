"""The ready studies: complete, sound, honest about their stimuli, and taken by simulated people
from page to bundle.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.bundle.read import Bundle, read
from believable.cli import group
from believable.contracts.registries import PROTOCOLS
from believable.contracts.trial import outline
from believable.pages.check import Check
from believable.pages.consent import Consent
from believable.pages.device import Device
from believable.pages.group import Group
from believable.pages.qa import Qa
from believable.pages.recall import Recall
from believable.protocols import READY_STUDIES
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read as read_recording
from believable.simulate.demonstration import violations_of
from believable.stimuli.judging import Variant, judging_tree
from believable.study.checks.launch import PLACEHOLDER
from believable.study.load import load, problems
from believable.study.records import Study
from believable.web.templating import markdown_page

READY = tuple(
    protocol.name
    for protocol in PROTOCOLS
    if protocol.stimuli is not None or protocol.writes_stimuli
)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(group, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module", params=READY)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("ready") / str(request.param)
    run("new", str(target), "--protocol", str(request.param), "--seed", "3")
    return target


@pytest.fixture(scope="module")
def bundle(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Four simulated people through the real routes, exported and read back."""
    run(
        "simulate",
        str(folder),
        "--participants",
        "4",
        "--drop-out",
        "0",
        "--care",
        "1",
        "--seed",
        "2",
    )
    target = tmp_path_factory.mktemp("bundle") / folder.name
    run("export", str(folder), "--simulated", "--out", str(target))
    return read(target)


def study_in(folder: Path) -> Study:
    return load(folder).study


def test_all_five_and_the_demo_are_offered() -> None:
    assert {"demo", "trace", *READY} == set(READY_STUDIES.names)
    assert set(READY_STUDIES.names) - {"demo"} == set(PROTOCOLS.names)


def test_it_checks_clean(folder: Path) -> None:
    assert problems(folder) == []
    *_, summary = said = run("check", str(folder)).strip().splitlines()
    assert summary.startswith("0 problems")
    warned = [line for line in said if ": warning: " in line]
    about = ("the consent text still holds a placeholder", "`repeats: refuse`, but no platform")
    assert [line for line in warned if not any(words in line for words in about)] == []
    assert warned, "nobody has written who they are yet"


def test_it_is_complete(folder: Path) -> None:
    study = study_in(folder)
    items = [entry.item for entry in outline(study.timeline)]
    assert isinstance(items[0], Consent)
    assert study.recruit.desktop_only
    assert study.demonstration
    assert study.analysis is not None
    assert study.analysis.protocol == folder.name
    assert study.analysis.hypotheses
    assert study.analysis.outcomes.primary
    assert study.analysis.stopping is not None
    # `hntt` asks for declarations, as published, and tests nobody.
    assert folder.name == "hntt" or any(isinstance(item, Check | Qa | Recall) for item in items)
    assert all((folder / stimulus.file).is_file() for stimulus in study.stimuli)


def test_conditions_are_called_what_they_are(folder: Path) -> None:
    players = {
        "replay": {"generative", "neurosymbolic"},
        "clips": {"human", "imitation", "rule_based"},
        "hntt": {"navigator"},
    }.get(folder.name, set())
    assert all(
        name.startswith("standin_") or name in players for name in study_in(folder).conditions
    )


def test_nothing_that_people_receive_tells_conditions_or_what_was_planted(folder: Path) -> None:
    study = study_in(folder)
    for stimulus in study.stimuli:
        if not stimulus.file.endswith(RECORDING_SUFFIX):
            continue  # films: tests/protocols/test_doom_variants.py
        tree = judging_tree(read_recording(folder / stimulus.file), Variant(plan=True, log=True))
        text = json.dumps(tree)
        for word in (
            "standin_",
            "generative",
            "neurosymbolic",
            "violation",
            "fulfilled",
            f'"{stimulus.id}"',
        ):
            assert word not in text, (stimulus.id, word)


def test_the_same_seed_makes_the_same_stimuli(folder: Path, tmp_path: Path) -> None:
    run("new", str(tmp_path / "again"), "--protocol", folder.name, "--seed", "3")
    run("new", str(tmp_path / "other"), "--protocol", folder.name, "--seed", "4")
    name = study_in(folder).stimuli[0].file
    assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()
    same = (tmp_path / "other" / name).read_bytes() == (folder / name).read_bytes()
    assert same is (not name.endswith(RECORDING_SUFFIX)), "films come with the package"


def test_people_get_through_and_the_bundle_holds_the_roles(folder: Path, bundle: Bundle) -> None:
    people = bundle["participants"]
    assert people["outcome"].cells() == ("complete",) * 4
    assert bundle.simulated
    study = study_in(folder)
    assert study.analysis is not None
    asked = {(row["trial"], row["question"]) for row in bundle["answers"].rows()}
    optional = {"comment", "how_human", "adherence"}
    for role, name in study.analysis.roles.items():
        trial, dot, question = str(name).rpartition(".")
        if dot and role not in optional:
            assert (trial, question) in asked, (role, name)


def test_everybody_saw_what_the_study_says(folder: Path, bundle: Bundle) -> None:
    played = [row["condition"] for row in bundle["shown"].rows() if row["how"] == "played"]
    if folder.name == "ladder":  # ten of fifteen pairs, of six conditions
        counts = [played.count(name) for name in study_in(folder).conditions]
        assert sum(counts) == len(played) == 4 * 10 * 2
        assert max(counts) - min(counts) <= 6
        return
    expected = {
        "hntt": {("standin_human", 24), ("navigator", 24)},
        "clips": {("human", 20), ("imitation", 20), ("rule_based", 20)},
        "replay": {("generative", 4), ("neurosymbolic", 4), (None, 4)},
        "qa": {("standin_calm", 8), ("standin_frustrated", 8)},
    }[folder.name]
    assert {(name, played.count(name)) for name in set(played)} == expected


@pytest.mark.parametrize("name", READY)
def test_pages_of_clips_differ_in_what_they_hold(name: str) -> None:
    study = study_in(PROTOCOLS[name].folder)
    if not any(isinstance(entry.item, Group) for entry in outline(study.timeline)):
        pytest.skip("no pages of clips")
    mixtures = {
        tuple(
            sorted(
                str(stimulus.condition) for stimulus in study.stimuli if stimulus.scenario == page
            )
        )
        for page in study.scenarios
    }
    assert len(mixtures) == len(study.scenarios)


def test_what_is_wrong_is_in_the_bundle_and_in_nothing_that_people_send(tmp_path: Path) -> None:
    folder = tmp_path / "replay"
    run("new", str(folder), "--protocol", "replay")
    study = study_in(folder)
    run("simulate", str(folder), "--participants", "2", "--drop-out", "0")
    run("export", str(folder), "--simulated", "--out", str(tmp_path / "out"))
    bundle = read(tmp_path / "out")
    assert len(bundle["flags"]) > 0
    told = {(row["stimulus"], row["action"]): row["violations"] for row in bundle["actions"].rows()}
    for stimulus in study.stimuli:
        actions = read_recording(folder / stimulus.file).actions
        assert {
            action.id: told[stimulus.id, action.id]
            for action in actions
            if told[stimulus.id, action.id] != "none"
        } == dict(violations_of(actions))
    assert not any(
        "environment_rule" in event.body or "temporal/" in event.body for event in bundle.events()
    )


def test_the_quality_protocol_checks_the_device_first() -> None:
    items = [entry.item for entry in outline(study_in(PROTOCOLS["qa"].folder).timeline)]
    kinds = [type(item) for item in items if isinstance(item, Device | Qa)]
    assert kinds == [Device, Qa, Qa]


@pytest.mark.parametrize("name", PROTOCOLS.names)
def test_a_protocol_names_its_sources_where_people_read(name: str) -> None:
    """Authors, year and title, in the readme as in reports, preregistrations and BibTeX."""
    protocol = PROTOCOLS[name]
    assert protocol.cites
    for source in protocol.cites:
        assert source.words in protocol.readme
        assert source.title in source.bibtex


WORDS = {"five": 5, "ten": 10, "fifteen": 15, "twenty": 20}


@pytest.mark.parametrize("name", READY_STUDIES.names)
def test_consent_names_the_same_duration_as_the_landing_page(name: str) -> None:
    definition = load(READY_STUDIES[name].folder)
    (named,) = re.findall(r"about \*\*(\w+) minutes\*\*", definition.pages["pages/consent.md"])
    assert definition.study.recruit.minutes == WORDS[named]


@pytest.mark.parametrize("name", READY_STUDIES.names)
def test_participants_do_not_see_notes_to_the_author(name: str) -> None:
    """`check` warns the author that consent is not filled in; participants see no instructions for
    authors.
    """
    definition = load(READY_STUDIES[name].folder)
    for page in ("pages/consent.md", "pages/consent.de.md"):
        assert PLACEHOLDER.search(definition.pages[page])
        shown = markdown_page(definition.pages[page])
        assert not PLACEHOLDER.search(shown)
        assert "--" not in shown

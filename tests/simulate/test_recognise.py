"""Simulated participants recognise each stimulus by the copy that a browser receives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from believable.contracts.registries import PROTOCOLS
from believable.core.errors import InvalidInput
from believable.protocols import READY_STUDIES
from believable.recordings.file import read
from believable.simulate.demonstration import violations_of
from believable.simulate.recognise import (
    Recogniser,
    ServedCopy,
    look_at,
    recogniser_of,
    shown_variants,
)
from believable.stimuli.judging import served_replay
from believable.stimuli.prepare import prepare
from believable.study.definition import Definition
from believable.study.load import load


def prepared(name: str, folder: Path) -> tuple[Definition, Path]:
    READY_STUDIES[name].copy(folder)
    definition = load(folder)
    PROTOCOLS[name].write_stimuli(definition.study, folder, 5)
    return definition.with_media(prepare(definition, folder, folder / "media")), folder / "media"


def copy_of(content: bytes, player: str = "replay") -> ServedCopy:
    return ServedCopy(player, content, look_at(content))


@pytest.mark.parametrize("name", ["ladder", "replay"])
def test_every_stimulus_is_recognised_in_every_variant_that_is_served(
    name: str, tmp_path: Path
) -> None:
    definition, media_dir = prepared(name, tmp_path / name)
    recogniser = recogniser_of(definition, media_dir, study="study.yaml")
    for stimulus in definition.study.stimuli:
        for variant in shown_variants(definition.study):
            content = served_replay(media_dir, definition, stimulus.id, variant).read_bytes()
            (seen,) = recogniser.recognise([copy_of(content)])
            assert seen.stimulus == stimulus
            if variant.log:
                wrong = violations_of(read(tmp_path / name / stimulus.file).actions)
                assert [going.violations for going in seen.log if going.violations] == list(
                    wrong.values()
                )


def test_an_unknown_medium_ends_the_simulation(tmp_path: Path) -> None:
    definition, media_dir = prepared("ladder", tmp_path / "ladder")
    recogniser = recogniser_of(definition, media_dir, study="ladder/study.yaml")
    with pytest.raises(
        InvalidInput,
        match=r"ladder/study\.yaml: simulated participants cannot recognise.*video, 14 bytes",
    ):
        recogniser.recognise([copy_of(b"another video!", "video")])


def test_an_own_round_is_no_stimulus() -> None:
    copy = replace(copy_of(b"a round", "video"), own_round=True)
    (seen,) = Recogniser("study.yaml", {}).recognise([copy])
    assert seen.stimulus is None


def test_a_stimulus_without_a_served_copy_is_refused(tmp_path: Path) -> None:
    definition, media_dir = prepared("ladder", tmp_path / "ladder")
    missing = definition.study.stimuli[0]
    media = {name: medium for name, medium in definition.media.items() if name != missing.id}
    with pytest.raises(InvalidInput, match=f"no served copy of the stimulus '{missing.id}'"):
        recogniser_of(definition.with_media(media), media_dir, study="study.yaml")


def test_one_file_of_two_conditions_is_refused(tmp_path: Path) -> None:
    definition, media_dir = prepared("ladder", tmp_path / "ladder")
    first = definition.study.stimuli[0]
    other = next(
        stimulus for stimulus in definition.study.stimuli if stimulus.condition != first.condition
    )
    media = {**definition.media, other.id: definition.media[first.id]}
    recogniser = recogniser_of(definition.with_media(media), media_dir, study="study.yaml")
    variant = min(shown_variants(definition.study), key=lambda variant: variant.name)
    content = served_replay(media_dir, definition, first.id, variant).read_bytes()
    with pytest.raises(InvalidInput, match="are the same file"):
        recogniser.recognise([copy_of(content)])

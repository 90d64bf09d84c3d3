"""A study whose artifacts tell conditions apart is paused when it is served, and cannot be opened."""

from __future__ import annotations

import asyncio
import html
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from believable.giveaways.certificate import (
    Certificate,
    digest_stimuli,
    read_certificate,
    write_certificate,
)
from believable.study.load import load
from believable.web.app import Settings
from validation.damaged_inputs import small_recording

from .conftest import BASE, living

STUDY = """believable: 1
title: Pairs
seed: 1
languages: [en]
conditions: [agent, human]
timeline:
  - consent: {text: Please agree.}
  - finish: {}
stimuli:
  - {id: a, file: a.replay.json.gz, condition: agent, scenario: s}
  - {id: b, file: b.replay.json.gz, condition: human, scenario: s}
"""


def make_study(folder: Path) -> None:
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY, "utf-8")
    for name in ("a", "b"):
        small_recording(folder / f"{name}.replay.json.gz")


def certified(folder: Path, *artifacts: str) -> None:
    write_certificate(
        folder,
        Certificate(
            looked_on="2027-03-04T10:00:00+00:00",
            stimuli=digest_stimuli(folder, load(folder).study.stimuli),
            n_stimuli=12,
            pairs=(("agent", "human", 6),),
            features=(20, 30),
            artifacts=artifacts,
            behavior=(),
            least_p=0.03,
        ),
    )


def test_a_launch_stops_until_a_reason_is_on_record(
    tmp_path: Path, loop: asyncio.AbstractEventLoop, with_tables: Callable[[Path], Path]
) -> None:
    folder = tmp_path / "pairs"
    make_study(folder)
    certified(folder, "file size in bytes is larger in agent than in human in 6 of 6 pairs")
    with_tables(tmp_path / "data")
    settings = Settings(data_dir=tmp_path / "data", study_folders=(folder,), base_url=BASE)
    with living(settings, loop) as world:
        owner = world.log_in()

        def page(name: str) -> str:
            return html.unescape(owner.get(f"/console/studies/pairs{name}").text)

        assert "Now paused" in page("")
        assert "The study cannot be opened" in page("/checklist")
        answer = owner.post("/console/studies/pairs/state", state="open")
        assert answer.status_code >= 400
        assert "artifacts tell conditions apart above chance (file size" in html.unescape(
            answer.text
        )
        assert "Now paused" in page("")
        kept = read_certificate(folder)
        assert kept is not None
        write_certificate(folder, replace(kept, accepted="Both pages say so."))
        assert "Accepted, because: Both pages say so." in page("/checklist")
        owner.post("/console/studies/pairs/state", state="open")
        assert "Now open" in page("")


def test_a_study_without_artifacts_opens(
    tmp_path: Path, loop: asyncio.AbstractEventLoop, with_tables: Callable[[Path], Path]
) -> None:
    folder = tmp_path / "pairs"
    make_study(folder)
    with_tables(tmp_path / "data")
    settings = Settings(data_dir=tmp_path / "data", study_folders=(folder,), base_url=BASE)
    with living(settings, loop) as world:
        owner = world.log_in()
        address = "/console/studies/pairs/checklist"
        assert "Nobody has looked for giveaways" in html.unescape(owner.get(address).text)
        certified(folder)
        assert "none tells conditions apart above chance" in html.unescape(owner.get(address).text)
        assert "Now open" in html.unescape(owner.get("/console/studies/pairs").text)

"""Checking media: damaged files name themselves, and whatever technical tells conditions apart is
found.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from believable.core.errors import Problem
from believable.stimuli import verify
from believable.stimuli.prepare import strip_metadata
from believable.stimuli.probe import MediaFacts

pytest.importorskip("av", reason="needs the video extra")


def stimulus(name: str, condition: str | None = None, **more: Any) -> dict[str, Any]:
    found = {"id": name, "file": f"stimuli/{name}.mp4", **more}
    return found if condition is None else found | {"condition": condition}


def lines(problems: list[Problem]) -> list[str]:
    return [f"{problem.severity}: {problem}" for problem in problems]


def test_good_media_have_no_problems(make_video: Any, make_definition: Any, tmp_path: Path) -> None:
    for number in range(2):
        make_video(f"h{number}.mp4", noise_seed=number)
        make_video(f"a{number}.mp4", noise_seed=10 + number)
    definition = make_definition(
        [
            stimulus(f"{kind}{n}", condition, duration_ms=2000)
            for n in range(2)
            for kind, condition in (("h", "human"), ("a", "agent"))
        ]
    )
    seen: list[int] = []
    assert lines(verify.verify(definition, tmp_path, lambda done, total: seen.append(done))) == []
    assert seen == [1, 2, 3, 4]


def test_each_bad_file_names_itself_and_stops_nothing(
    make_video: Any, make_definition: Any, tmp_path: Path
) -> None:
    from_start = make_video("cut.mp4")
    whole = from_start.read_bytes()
    from_start.write_bytes(whole[: len(whole) // 2])
    make_video("long.mp4")
    make_video("good.mp4")
    make_video("Case.mp4")
    (tmp_path / "stimuli" / "noise.mp4").write_bytes(b"\x00" * 5000)
    spoiled = make_video("spoiled.mp4", frames=100, sound=False)
    data = bytearray(spoiled.read_bytes())
    middle = data.index(b"mdat") + (len(data) - data.index(b"mdat")) // 3
    data[middle : middle + 3000] = b"\x5a" * 3000
    spoiled.write_bytes(bytes(data))
    names = ("cut", "long", "good", "case", "noise", "spoiled", "gone")
    definition = make_definition(
        [stimulus(name, duration_ms=9000 if name == "long" else None) for name in names]
    )
    (tmp_path / "study.yaml").write_text(
        "believable: 1\nstimuli:\n" + "".join(f"  - stimuli/{name}.mp4\n" for name in names)
    )
    found = verify.verify(definition, tmp_path)
    by_line = {problem.line: problem for problem in found}
    assert [problem.severity for problem in found] == ["error"] * 6
    assert sorted(by_line) == [3, 4, 6, 7, 8, 9]
    assert "'stimuli/cut.mp4' cannot be read as video" in by_line[3].message
    assert by_line[4].path == "stimuli[1].duration_ms"
    assert "not the stated 9000 ms" in by_line[4].message
    assert "upper and lower case differ" in by_line[6].cure
    assert "'stimuli/noise.mp4'" in by_line[7].message
    assert "'stimuli/spoiled.mp4'" in by_line[8].message
    assert "'stimuli/gone.mp4' is not there" in by_line[9].message
    assert all(problem.cure for problem in found)


def test_a_file_cut_off_behind_its_index_is_found(
    make_video: Any, make_definition: Any, tmp_path: Path
) -> None:
    """With the index in front, a cut file opens well and only ends early."""

    source = make_video("source.mp4", frames=100)
    strip_metadata(source, tmp_path / "stimuli" / "front.mp4")
    data = (tmp_path / "stimuli" / "front.mp4").read_bytes()
    (tmp_path / "stimuli" / "front.mp4").write_bytes(data[: int(len(data) * 0.6)])
    found = verify.verify(make_definition([stimulus("front")]), tmp_path)
    assert [problem.severity for problem in found] == ["error"]
    assert "front.mp4" in found[0].message


@pytest.mark.parametrize(
    ("difference", "what", "severity"),
    [
        ({"size": (192, 96)}, "width in pixels", "error"),
        ({"rate": 20, "frames": 40}, "frame rate", "error"),
        ({"sound": False}, "sound coding or layout", "error"),
        ({"pix_fmt": "yuv444p"}, "pixel format", "error"),
        ({"x264": "merange=24:subme=2"}, "encoder settings", "warning"),
        ({"tags": {"title": "the agent"}}, "metadata", "note"),
        ({"frames": 75}, "length in ms", "warning"),
    ],
)
def test_technical_differences_between_conditions_are_found(
    make_video: Any,
    make_definition: Any,
    tmp_path: Path,
    difference: dict[str, Any],
    what: str,
    severity: str,
) -> None:
    for number in range(2):
        make_video(f"h{number}.mp4", noise_seed=number)
        make_video(f"a{number}.mp4", noise_seed=number, **difference)
    definition = make_definition(
        [stimulus(f"h{n}", "human") for n in range(2)]
        + [stimulus(f"a{n}", "agent") for n in range(2)]
    )
    found = [problem for problem in verify.verify(definition, tmp_path) if what in problem.message]
    assert [problem.severity for problem in found] == [severity]
    assert any(
        words in found[0].message
        for words in ("reveals the conditions", "can tell agent from human")
    )
    assert "agent" in found[0].message
    assert found[0].cure


def test_mixed_lengths_in_every_condition_are_fine(
    make_video: Any, make_definition: Any, tmp_path: Path
) -> None:
    for kind in "ha":
        for number, frames in enumerate((40, 60, 80)):
            make_video(f"{kind}{number}.mp4", frames=frames)
    definition = make_definition(
        [
            stimulus(f"{kind}{n}", condition)
            for n in range(3)
            for kind, condition in (("h", "human"), ("a", "agent"))
        ]
    )
    assert lines(verify.verify(definition, tmp_path)) == []


def test_a_difference_shared_by_some_files_is_a_warning(
    make_video: Any, make_definition: Any, tmp_path: Path
) -> None:
    make_video("h0.mp4")
    make_video("h1.mp4", size=(192, 96))
    make_video("a0.mp4")
    make_video("a1.mp4", noise_seed=5)
    definition = make_definition(
        [stimulus(f"h{n}", "human") for n in range(2)]
        + [stimulus(f"a{n}", "agent") for n in range(2)]
    )
    found = [
        problem for problem in verify.verify(definition, tmp_path) if "width" in problem.message
    ]
    assert [problem.severity for problem in found] == ["warning"]
    assert "differs between conditions" in found[0].message


def test_without_the_extra_it_says_what_was_not_checked(
    make_video: Any, make_definition: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_video("h.mp4")
    monkeypatch.setattr(verify, "have_av", lambda: False)
    found = verify.verify(make_definition([stimulus("h"), stimulus("gone")]), tmp_path)
    assert [problem.severity for problem in found] == ["error", "unchecked"]
    assert "pip install 'believable[video]'" in found[1].cure


def test_round_lengths_in_one_condition_only_are_found(make_definition: Any) -> None:
    known = facts_with_lengths(
        make_definition, {"human": (2137, 3291, 2988), "agent": (2000, 3500, 3000)}
    )
    found = verify.told_apart(known)
    assert [(problem.severity, problem.message.split(":")[0]) for problem in found] == [
        ("warning", "round lengths reveal the conditions")
    ]
    mixed = facts_with_lengths(
        make_definition, {"human": (2137, 3291, 3000), "agent": (2000, 3291, 3000)}
    )
    assert verify.told_apart(mixed) == []


def facts_with_lengths(
    make_definition: Any, lengths: dict[str, tuple[int, ...]]
) -> list[tuple[Any, MediaFacts]]:
    same = MediaFacts(
        container="mp4",
        video_codec="h264",
        video_profile="High",
        width_px=640,
        height_px=360,
        frames_per_s="25",
        pixel_format="yuv420p",
        colour="1/1",
        audio="aac mono",
        audio_rate_hz=48000,
        tags="",
        encoder="",
        duration_ms=0,
        bits_per_s=500_000,
    )
    stimuli = [
        stimulus(f"{kind}{n}", kind) for kind, many in lengths.items() for n in range(len(many))
    ]
    flat = [length for many in lengths.values() for length in many]
    return [
        (one, replace(same, duration_ms=length))
        for one, length in zip(make_definition(stimuli).study.stimuli, flat, strict=True)
    ]

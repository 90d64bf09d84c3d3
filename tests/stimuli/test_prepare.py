"""Stripped copies: nothing but the coded pictures and sound tells two files apart, and those are
kept to the bit.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest

from believable.core.errors import StudyError
from believable.core.object_storage import medium_file, remember_storage
from believable.stimuli import prepare

av = pytest.importorskip("av", reason="needs the video extra")


def pictures_and_sound(path: Path) -> tuple[str, str, int]:
    """Hashes of everything decoded."""
    picture, sound, count = hashlib.sha256(), hashlib.sha256(), 0
    with av.open(str(path)) as file:
        for frame in file.decode(video=0):
            picture.update(frame.to_ndarray().tobytes())
            count += 1
    with av.open(str(path)) as file:
        if file.streams.audio:
            for block in file.decode(audio=0):
                sound.update(block.to_ndarray().tobytes())
    return picture.hexdigest(), sound.hexdigest(), count


def different_pair(make_video: Any) -> tuple[Path, Path]:
    """The same scene twice, made as two conditions would be: other tools, settings, tags and
    clocks.
    """
    human = make_video(
        "human.mp4",
        tags={
            "title": "HUMAN-7",
            "artist": "Ann",
            "comment": "x" * 300,
            "creation_time": "2021-03-04T05:06:07Z",
        },
        x264="merange=24:qcomp=0.7",
        noise_seed=1,
    )
    agent = make_video("agent.mp4", x264="merange=16:qcomp=0.5", noise_seed=2, timescale=30_000)
    return human, agent


def test_originals_differ_and_prepared_copies_do_not(
    make_video: Any, mp4_outside: Any, tmp_path: Path
) -> None:
    pair = different_pair(make_video)
    before = [mp4_outside(path) for path in pair]
    assert before[0] != before[1]
    assert all(b"x264" in path.read_bytes() and b"Lavf" in path.read_bytes() for path in pair)

    media = [prepare.prepare_file(path, tmp_path / "media") for path in pair]
    copies = [tmp_path / "media" / medium.digest for medium in media]
    after = [mp4_outside(path) for path in copies]
    assert after[0] == after[1]
    assert {"moov[0]/mvhd[0]", "moov[0]/trak[0]/mdia[0]/hdlr[0]"} <= set(after[0])
    for copy in copies:
        content = copy.read_bytes()
        for giveaway in (
            b"x264",
            b"Lavf",
            b"Lavc",
            b"HUMAN-7",
            b"Handler of",
            b"options:",
            b"xxxx",
        ):
            assert giveaway not in content, giveaway


def test_pictures_and_sound_stay_the_same_to_the_bit(make_video: Any, tmp_path: Path) -> None:
    for path in different_pair(make_video):
        medium = prepare.prepare_file(path, tmp_path / "media")
        assert pictures_and_sound(tmp_path / "media" / medium.digest) == pictures_and_sound(path)
        assert pictures_and_sound(path)[2] == 50
        assert (medium.media_type, medium.duration_ms) == ("video/mp4", pytest.approx(2000, abs=30))
        assert medium.bytes == (tmp_path / "media" / medium.digest).stat().st_size


@pytest.mark.parametrize("source", ["mp4", "mpegts"])
def test_samples_stay_as_browsers_want_them(make_video: Any, tmp_path: Path, source: str) -> None:
    """Units in MP4 carry their length in front; start codes play in some players and fail in
    browsers.
    """
    path = make_video(f"a.{source}", container=source)
    prepare.strip_metadata(path, tmp_path / "copy.mp4")
    with av.open(str(tmp_path / "copy.mp4")) as file:
        length_bytes = (file.streams.video[0].codec_context.extradata[4] & 3) + 1
        samples = [bytes(packet) for packet in file.demux(video=0) if packet.size]
    assert len(samples) == 50
    for sample in samples:
        at, kinds = 0, []
        while at < len(sample):
            kinds.append(sample[at + length_bytes] & 0x1F)
            at += length_bytes + int.from_bytes(sample[at : at + length_bytes], "big")
        assert at == len(sample)
        assert 6 not in kinds
        assert set(kinds) & {1, 5}


def test_a_sample_that_does_not_add_up_is_left_alone() -> None:
    unit = bytes([0, 0, 0, 2, 0x65, 0xAA])
    message = bytes([0, 0, 0, 3, 0x06, 5, 0])
    assert prepare.without_messages(message + unit, "h264", 4) == unit
    assert prepare.without_messages(unit + message[:-1], "h264", 4) == unit + message[:-1]
    assert prepare.without_messages(message, "h264", 4) == message
    assert prepare.without_messages(b"", "h264", 4) == b""


def test_webm_is_stripped_too(make_video: Any, tmp_path: Path) -> None:
    path = make_video(
        "a.webm", tags={"title": "HUMAN-7"}, codec="libvpx-vp9", container="webm", frames=10
    )
    medium = prepare.prepare_file(path, tmp_path / "media")
    content = (tmp_path / "media" / medium.digest).read_bytes()
    assert medium.media_type == "video/webm"
    assert b"HUMAN-7" in path.read_bytes()
    assert b"HUMAN-7" not in content
    assert b"Lavc" not in content
    assert pictures_and_sound(tmp_path / "media" / medium.digest) == pictures_and_sound(path)


@pytest.mark.skipif("libx265" not in av.codecs_available, reason="this build of PyAV has no x265")
def test_hevc_loses_its_encoder_settings_in_header_and_stream(
    make_video: Any, tmp_path: Path
) -> None:
    path = make_video("a.mp4", codec="libx265", frames=10)
    medium = prepare.prepare_file(path, tmp_path / "media")
    assert b"x265" in path.read_bytes()
    assert b"x265" not in (tmp_path / "media" / medium.digest).read_bytes()
    assert pictures_and_sound(tmp_path / "media" / medium.digest) == pictures_and_sound(path)


def test_copies_are_named_by_content_and_made_once(
    make_video: Any, make_definition: Any, tmp_path: Path
) -> None:
    make_video("h.mp4")
    make_video("a.mp4", noise_seed=2)
    definition = make_definition(
        [
            {"id": "h1", "file": "stimuli/h.mp4", "condition": "human"},
            {"id": "h2", "file": "stimuli/h.mp4", "condition": "human"},
            {"id": "a1", "file": "stimuli/a.mp4", "condition": "agent"},
        ]
    )
    seen: list[tuple[int, int]] = []
    media = prepare.prepare(
        definition, tmp_path, tmp_path / "media", lambda done, total: seen.append((done, total))
    )
    assert list(media) == ["h1", "h2", "a1"]
    assert media["h1"] == media["h2"] != media["a1"]
    assert seen[-1] == (3, 3)
    for medium in media.values():
        content = (tmp_path / "media" / medium.digest).read_bytes()
        assert hashlib.sha256(content).hexdigest() == medium.digest
    stamps = {
        path: path.stat().st_mtime_ns for path in (tmp_path / "media").iterdir() if path.is_file()
    }
    assert prepare.prepare(definition, tmp_path, tmp_path / "media") == media
    assert {
        path: path.stat().st_mtime_ns for path in (tmp_path / "media").iterdir() if path.is_file()
    } == stamps
    assert not list((tmp_path / "media").glob(".*"))


def test_the_second_server_takes_the_copies_of_the_first(
    make_video: Any, make_definition: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    hosts = [tmp_path / "first", tmp_path / "second"]
    for folder in (shared, *hosts):
        folder.mkdir()
    for host in hosts:
        remember_storage(host, str(shared))
    make_video("clip.mp4", tags={"title": "by the agent"})
    definition = make_definition([{"id": "clip", "file": "stimuli/clip.mp4"}])
    media = prepare.prepare(definition, tmp_path, hosts[0])
    monkeypatch.setattr(
        "believable.stimuli.prepare.strip_metadata", None
    )  # nothing is left to be done there
    assert prepare.prepare(definition, tmp_path, hosts[1]) == media
    digest = media["clip"].digest
    assert not (hosts[1] / digest).exists(), (
        "a server starts without waiting for what nobody has asked for"
    )
    assert medium_file(hosts[1], digest).read_bytes() == (hosts[0] / digest).read_bytes()


def test_a_damaged_copy_is_made_again(make_video: Any, tmp_path: Path) -> None:
    path = make_video("h.mp4")
    medium = prepare.prepare_file(path, tmp_path / "media")
    (tmp_path / "media" / medium.digest).write_bytes(b"half")
    assert prepare.prepare_file(path, tmp_path / "media") == medium
    assert (tmp_path / "media" / medium.digest).stat().st_size == medium.bytes


def test_unusable_files_are_all_named_and_stop_nothing_else(
    make_video: Any, make_definition: Any, tmp_path: Path
) -> None:
    make_video("good.mp4")
    (tmp_path / "stimuli" / "text.mp4").write_text("not a video")
    definition = make_definition(
        [
            {"id": "a", "file": "stimuli/text.mp4"},
            {"id": "b", "file": "stimuli/good.mp4"},
            {"id": "c", "file": "stimuli/gone.mp4"},
        ]
    )
    with pytest.raises(StudyError) as caught:
        prepare.prepare(definition, tmp_path, tmp_path / "media")
    assert [problem.path for problem in caught.value.problems] == [
        "stimuli[0].file",
        "stimuli[2].file",
    ]
    assert "'text.mp4' cannot be read as video" in str(caught.value)
    assert "'gone.mp4' is not there" in str(caught.value)
    assert len([path for path in (tmp_path / "media").iterdir() if path.is_file()]) == 1


def test_without_the_extra_files_are_copied_as_they_are(
    make_video: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_video("h.mp4")
    monkeypatch.setattr(prepare, "have_av", lambda: False)
    monkeypatch.setitem(sys.modules, "av", None)
    medium = prepare.prepare_file(path, tmp_path / "media")
    assert (tmp_path / "media" / medium.digest).read_bytes() == path.read_bytes()
    assert medium.media_type == "video/mp4"
    assert medium.duration_ms == pytest.approx(2000, abs=30)


def test_finished_work_is_found_without_opening_video(
    make_video: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_video("h.mp4")
    medium = prepare.prepare_file(path, tmp_path / "media")
    monkeypatch.setitem(sys.modules, "av", None)
    monkeypatch.setattr(prepare, "have_av", lambda: True)
    assert prepare.prepare_file(path, tmp_path / "media") == medium


@pytest.mark.parametrize("name", [b"Lavc62.28.102", b"libfaac 1.28 and more words than fifteen"])
def test_encoder_names_in_aac_frames_are_blanked(name: bytes) -> None:
    count = len(name) + 1
    head = f"{6:03b}" + (f"{count:04b}" if count < 15 else f"1111{count - 14:08b}")
    bits = head + "0000" + "0000" + "".join(f"{byte:08b}" for byte in name) + "00010101010"
    bits += "0" * (-len(bits) % 8)
    frame = int(bits, 2).to_bytes(len(bits) // 8, "big")
    clean = prepare.without_fill_text(frame)
    assert len(clean) == len(frame)
    clean_bits = f"{int.from_bytes(clean, 'big'):0{len(bits)}b}"
    assert clean_bits.startswith(head + "0" * (8 * count))
    assert clean_bits[len(head) + 8 * count :] == bits[len(head) + 8 * count :]


def test_aac_frames_without_fill_are_left_alone() -> None:
    for frame in (b"", b"\x21\x00\x49", bytes(range(64))):
        assert prepare.without_fill_text(frame) == frame

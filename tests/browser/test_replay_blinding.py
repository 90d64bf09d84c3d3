"""What the browser gets of a recording tells neither who made it nor how."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Response, expect

from believable.recordings.recording import Actor

SECRETS = {
    "agent": "canaryagent",
    "provenance": "canaryprovenance",
    "telemetry": "canarytelemetry",
    "hidden": "canarymood",
    "hidden_key": "secret_mood",
    "seed": "918273645",
    "actor": "canaryactor",
    "action": "canaryaction",
    "plan": "canaryplan",
    "role": "canaryrole",
}


def secretive(recordings: Any) -> Any:
    """A recording whose every hidden corner holds a canary."""
    plain = recordings.walk()
    return replace(
        plain,
        actors=(Actor("canaryactor", "Ada", "canaryrole"),),
        tracks=tuple(replace(track, actor="canaryactor") for track in plain.tracks),
        actions=tuple(
            replace(action, id=f"canaryaction{n}", actor="canaryactor")
            for n, action in enumerate(plain.actions)
        ),
        plans=tuple(
            replace(
                plan,
                id=f"canaryplan{plan.id}",
                actor="canaryactor",
                parent=plan.parent and f"canaryplan{plan.parent}",
            )
            for plan in plain.plans
        ),
        telemetry={"canarytelemetry": (1,) * plain.timing.frames},
        seed=918273645,
        agent="canaryagent",
        provenance={"made_by": "canaryprovenance"},
    )


def visit(page: Page, server: Any) -> tuple[list[tuple[str, bytes]], list[Response]]:
    """Everything that travels until the player stands, media also unpacked."""
    parts: list[tuple[str, bytes]] = []
    media: list[Response] = []

    def take(response: Response) -> None:
        parts.append(
            (response.url, response.url.encode() + repr(response.headers_array()).encode())
        )
        if response.status in (200, 206):
            body = response.body()
            parts.append((response.url, body))
            if "/media/" in response.url:
                media.append(response)
                parts.append((response.url, gzip.decompress(body)))

    page.on("response", take)
    page.goto(server.link())
    page.get_by_role("button", name="Start").click()
    expect(page.locator("button.play")).to_be_visible()
    for _ in range(
        200
    ):  # the listener may still be reading the body that the page has already shown
        if media:
            break
        page.wait_for_timeout(50)
    return parts, media


def test_no_hidden_corner_of_a_recording_reaches_the_browser(
    page: Page, serve: Any, tmp_path: Path, recordings: Any
) -> None:
    watch = (
        "controls: {must_finish: false}, overlay: {plan: true, log: true}, annotate: {flags: {}}"
    )
    server = serve(recordings.study(tmp_path / "study", watch, replay=secretive(recordings)))
    parts, media = visit(page, server)
    assert [
        (where, what)
        for where, content in parts
        for what in SECRETS.values()
        if what.encode() in content
    ] == []
    tree = json.loads(gzip.decompress(media[0].body()))
    assert set(tree) == {"replay", "scene"}
    assert set(tree["replay"]) == {"format", "actors", "timing", "tracks", "actions", "plans"}
    assert tree["replay"]["actions"]["id"][:2] == ["a1", "a2"]
    assert tree["replay"]["actions"]["text"][3] == "step number 3"


def test_plan_and_log_stay_away_where_the_trial_does_not_show_them(
    page: Page, serve: Any, tmp_path: Path, recordings: Any
) -> None:
    watch = "controls: {must_finish: false}, annotate: {flags: {}}"
    server = serve(recordings.study(tmp_path / "study", watch, replay=secretive(recordings)))
    parts, media = visit(page, server)
    hidden = [*SECRETS.values(), "step number", "second half"]
    assert [
        (where, what) for where, content in parts for what in hidden if what.encode() in content
    ] == []
    assert len(media) == 1


def test_recordings_and_videos_are_served_with_the_same_headers(
    page: Page, serve: Any, tmp_path: Path, recordings: Any, long_video: Path
) -> None:
    folder = recordings.study(tmp_path / "study", "controls: {must_finish: false}")
    (folder / "stimuli/clip.mp4").write_bytes(long_video.read_bytes())
    text = (folder / "study.yaml").read_text()
    text = text.replace("conditions: [made]", "conditions: [made, other]")
    text = text.replace(
        "timeline:\n", "  - {id: clip, file: stimuli/clip.mp4, condition: other}\ntimeline:\n"
    )
    text = text.replace(
        "  - finish", "  - watch: {stimulus: clip, controls: {must_finish: false}}\n  - finish"
    )
    (folder / "study.yaml").write_text(text.replace("stimulus: any", "stimulus: walk"))
    server = serve(folder)
    media: list[Response] = []
    page.on(
        "response", lambda response: media.append(response) if "/media/" in response.url else None
    )
    page.goto(server.link())
    page.get_by_role("button", name="Start").click()
    expect(page.locator("canvas")).to_be_visible()
    page.locator("button.next").click()
    expect(page.locator("video")).to_be_visible()
    lengths = {"content-length", "date"}
    one, other = (
        {name: value for name, value in each.all_headers().items() if name not in lengths}
        for each in media
    )
    assert one == other

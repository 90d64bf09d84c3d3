"""The game can be heard: what its sounds measure, and that walking about makes some."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

#: Renders each sound to samples: loudest, how long it stays above a hundredth of that, and how
#: often it crosses zero per second.
MEASURE = """async (source) => {
  const { play } = await import("/static/play/sounds.js");
  const { SOUNDS } = await import(source);
  const measured = {};
  for (const name of [...Object.keys(SOUNDS), "no such sound"]) {
    const audio = new OfflineAudioContext(2, 44100, 44100);
    play(audio, audio.destination, SOUNDS[name] ?? [], { at_s: 0 });
    const samples = (await audio.startRendering()).getChannelData(0);
    const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    const last = samples.findLastIndex((sample) => Math.abs(sample) > peak / 100);
    let crossings = 0;
    for (let i = 1; i <= last; i += 1) crossings += samples[i] * samples[i - 1] < 0 ? 1 : 0;
    measured[name] = { peak, lasts_s: last / 44100, crossings_hz: last > 0 ? crossings / (last / 44100) : 0 };
  }
  return measured;
}"""
#: Whatever goes to the loudspeakers goes past an ear as well.
EAR = """{
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof AudioDestinationNode) {
      globalThis.ear = new AnalyserNode(this.context, { fftSize: 2048 });
      connect.call(this, globalThis.ear);
    }
    return connect.call(this, to, ...rest);
  };
}"""
LOUDNESS = """() => {
  const samples = new Float32Array(2048);
  globalThis.ear?.getFloatTimeDomainData(samples);
  return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
}"""


@pytest.fixture
def maze(serve: Callable[[Path], Any], tmp_path: Path, rounds: ModuleType) -> Any:
    return serve(rounds.short_study(tmp_path, seconds=30))


def test_steps_and_shots_are_sounds_of_their_own(page: Page, maze: Any) -> None:
    page.goto(maze.link())
    measured = page.evaluate(MEASURE, "/static/worlds/maze/sounds.js")
    assert measured.pop("no such sound")["peak"] == 0
    assert {"step", "tread", "shot", "blast", "hit", "caught"} <= measured.keys()
    for name, sound in measured.items():
        assert 0.02 < sound["peak"] <= 1.2, name
        assert 0.03 < sound["lasts_s"] < 0.9, name
    assert measured["blast"]["lasts_s"] > 3 * measured["step"]["lasts_s"]
    assert measured["shot"]["peak"] > measured["step"]["peak"]
    assert measured["shot"]["crossings_hz"] > 2 * measured["tread"]["crossings_hz"], (
        "a shot cracks, a tread thuds"
    )


def test_who_walks_and_shoots_hears_it_until_the_sound_is_switched_off(
    context: BrowserContext, maze: Any, rounds: ModuleType
) -> None:
    context.add_init_script(EAR)
    page = context.new_page()
    player = rounds.Player(page)
    player.join(maze.link())
    player.start()

    def heard() -> None:
        page.wait_for_function(f"() => ({LOUDNESS})() > 0.004", polling=20)

    page.keyboard.press("Space")
    heard()
    page.get_by_label("Sound").uncheck()
    expect(page.locator(".field canvas")).to_be_focused()
    page.wait_for_function(f"() => ({LOUDNESS})() === 0", polling=20)
    page.keyboard.press("Space")
    page.wait_for_timeout(400)
    assert page.evaluate(LOUDNESS) == 0
    page.get_by_label("Sound").check()
    for key in ("KeyW", "KeyA", "KeyS", "KeyD"):
        page.keyboard.down(key)
        page.wait_for_timeout(150)
        page.keyboard.up(key)
    page.keyboard.press("Space")
    heard()

"""Films: quality tests, demos of Freedoom, and a check that films do not reveal conditions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from believable.app.options import AnyPath, Options, argument, option, options, setting, use_case
from believable.app.stimuli import FolderOptions
from believable.core.errors import Refused, UnknownName
from believable.core.registry import did_you_mean
from believable.stimuli import freedoom, qa


@options
class QualityTestOptions(FolderOptions):
    test: Literal["visual", "auditory", "both"] = setting(
        "Brightness, pitch, or both.", default="both"
    )
    seed: int = setting("The signal follows from it.", default=1)
    duration: int = setting("Length.", default=60, metavar="SECONDS", ge=10, le=600)
    message: str = setting("Text on the auditory test's screen.", default="Listen to the tone")


@use_case(QualityTestOptions)
def make_quality_tests(options: QualityTestOptions) -> Sequence[Path]:
    """Make the quality tests of annotators: a green screen and a tone that follow a known signal.

    Ramps, holds and reversals are drawn from the seed. A table next to each film has the value that
    is shown or heard with every picture; it is the truth that annotations are scored against, and
    it is never served.
    """
    written: list[Path] = []
    for kind in qa.TESTS:
        if options.test not in (kind, "both"):
            continue
        with options.counting(f"Making {kind}", options.duration * qa.FRAMES_PER_S) as progress:
            film = qa.make(
                Path(options.folder) / "stimuli",
                kind,
                seed=options.seed,
                duration_s=options.duration,
                message=options.message,
                progress=progress,
            )
        written += [film.film, film.truth]
    return written


@options
class FreedoomOptions(Options):
    out: AnyPath = argument("Folder for the films.", path="folder", kw_only=False)
    demo: Sequence[str] = option(
        "Only this one, such as freedm-demo2. Repeatable.", default=(), metavar="NAME"
    )
    seconds: int | None = option(
        "Only the beginning of each; default: all of it.", default=None, ge=1
    )


@use_case(FreedoomOptions)
def film_freedoom(options: FreedoomOptions) -> Sequence[Path]:
    """Film the demos that people recorded for Freedoom and FreeDM: human clips, free to use (BSD).

    Plays the twelve demos of Debian's packages freedoom and freedm again (dsda-doom, ffmpeg), a
    picture for each of 35 tics a second. A recording next to each film has the keys that people
    pressed; sources.json has the origin of each.
    """
    out, known = Path(options.out), {demo.name: demo for demo in freedoom.demos()}
    for name in options.demo:
        if name not in known:
            raise UnknownName(f"--demo: there is no demo {name!r}. {did_you_mean(name, known)}")
    chosen = [known[name] for name in options.demo or known]
    if options.seconds is not None:
        chosen = [demo.first(options.seconds * freedoom.TICS_PER_S) for demo in chosen]
    for demo in chosen:
        if (film := out / f"{demo.name}.mp4").exists():
            raise Refused(f"{film} exists already. Choose another folder, or move it away.")
    with options.counting_each("Filming", len(chosen)) as count:
        films = []
        for demo in chosen:
            films.append(freedoom.film(demo, out))
            count()
    return [*films, freedoom.write_sources(out, chosen)]

"""`believable stimuli`: from recordings as they come to stimuli that differ in nothing but what is judged."""

from __future__ import annotations

import secrets
import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from believable.cli import EXIT_OK, EXIT_PROBLEMS
from believable.cli.place import FILE, FOLDER, bar, cluster_option, definition_of, setting, working_on
from believable.core.errors import InvalidInput, Refused
from believable.core.shell import quote_command
from believable.stimuli.recipe import BITS_PER_S

if TYPE_CHECKING:
    from believable.stimuli.recipe import Mask

#: No vowels, so that names make no words.
LETTERS = "bcdfghjklmnpqrstvwxz"

folder_argument = click.argument("folder", type=FOLDER)
workers_option = click.option("--workers", type=click.IntRange(min=1), help="Files worked on at once; default: one per core.")
seconds = click.FloatRange(min=0)


@click.group()
def command() -> None:
    """Turn recordings into stimuli that differ in nothing but what is judged.

    FOLDER is the study's folder. Recordings are kept in FOLDER/sources, stimuli are made in FOLDER/stimuli. Whatever was
    finished is not done again, so an interrupted command is simply repeated.

    \b
    Example:
      believable stimuli add my-study human/*.mp4 --condition human --scenario harbour
      believable stimuli add my-study agent/*.mp4 --condition agent --scenario harbour
      believable stimuli standardise my-study --size 1280x720 --fps 30 --watermark "For Research Purposes Only"
      believable stimuli list my-study --yaml
    """


def new_name() -> str:
    """Sixteen random letters: about 69 bits, no order, no meaning."""
    return "".join(secrets.choice(LETTERS) for _ in range(16))


def _masks(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[Mask, ...]:
    from believable.stimuli.recipe import Mask

    try:
        return tuple(Mask.parse(value) for value in values)
    except InvalidInput as error:
        raise click.BadParameter(str(error)) from None


def _size(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[int, int]:
    width, _, height = value.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise click.BadParameter(f"expected WIDTHxHEIGHT such as 1280x720, got {value!r}.")
    return int(width), int(height)


mask_option = click.option(
    "--mask",
    "masks",
    multiple=True,
    callback=_masks,
    metavar="X,Y,W,H",
    help="Paint this rectangle black, in pixels of the recording. Repeatable.",
)
size_option = setting("--size", default="1280x720", callback=_size, metavar="WxH", help="Size of the picture.")


@command.command(name="add")
@folder_argument
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--condition", required=True, help="What produced the behaviour, as in the study file.")
@click.option("--scenario", required=True, help="The situation shown, as in the study file.")
@click.option("--cut-start", type=seconds, default=0, metavar="SECONDS", help="Cut these recordings at their start.")
@click.option("--cut-end", type=seconds, default=0, metavar="SECONDS", help="Cut these recordings at their end.")
@mask_option
@click.option("--note", default="", help="Where they come from; kept in the record.")
@workers_option
def add_command(
    folder: Path,
    files: tuple[Path, ...],
    condition: str,
    scenario: str,
    cut_start: float,
    cut_end: float,
    masks: tuple[Mask, ...],
    note: str,
    workers: int | None,
) -> int:
    """Decode recordings from beginning to end and keep them in the pool.

    A file that is damaged or cut off is named and not added; the others are. Exit code 1 if there was one.

    \b
    Example:
      believable stimuli add my-study human/*.mp4 --condition human --scenario harbour --cut-end 3
    """
    from believable.core.clock import WallClock
    from believable.stimuli import source_pool

    _identifier("condition", condition)
    _identifier("scenario", scenario)
    about = source_pool.SourceDetails(condition, scenario, _ms(cut_start), _ms(cut_end), masks, note)
    with bar("Decoding", len(files)) as progress:
        added = source_pool.add(folder, files, about, clock=WallClock(), new_name=new_name, workers=workers, progress=progress)
    for file, source in added.new.items():
        click.echo(f"{source.name}  {source.length_ms / 1000:8.1f} s  {file.name}")
    for file, source in added.known.items():
        where = f"{source.condition}, {source.scenario}"
        click.echo(f"{source.name}  already there ({where})  {file.name}")
    click.echo(f"{len(added.new)} added, {len(added.known)} already there, {len(added.failed)} not usable.")
    return _failures({str(file): reason for file, reason in added.failed.items()})


@command.command(name="standardise")
@folder_argument
@size_option
@setting("--fps", default=30, help="Pictures per second.")
@setting("--loudness", default=-23.0, metavar="LUFS", help="Integrated loudness (ITU-R BS.1770).")
@click.option("--no-sound", is_flag=True, help="Leave the sound away.")
@click.option("--cut-start", type=seconds, default=0, metavar="SECONDS", help="Cut every recording at its start.")
@click.option("--cut-end", type=seconds, default=0, metavar="SECONDS", help="Cut every recording at its end.")
@mask_option
@click.option("--watermark", default="", metavar="TEXT", help="Words in the lower right corner.")
@setting("--crf", default=18, help="Quality of the picture; smaller is better and larger.")
@setting(
    "--bit-rate",
    default=BITS_PER_S,
    metavar="BITS",
    help="Bits per second, the same for every picture; 0: as each film needs, which can reveal its condition.",
)
@click.option("--equal-length", is_flag=True, help="Crop every scenario that several conditions have to its shortest recording.")
@click.option("--min-length", type=seconds, default=0, metavar="SECONDS", help="Only recordings of this length, before cutting.")
@click.option("--max-length", type=seconds, default=None, metavar="SECONDS", help="No longer ones, before cutting.")
@click.option("--match", is_flag=True, help="As many of every condition in each scenario; other scenarios are left out.")
@click.option(
    "--per-cell", type=click.IntRange(min=1), help="How many of each condition in each scenario; default: all that fit."
)
@setting("--seed", default=1, help="Which ones are drawn follows from it.")
@workers_option
def standardise_command(
    folder: Path,
    size: tuple[int, int],
    fps: int,
    loudness: float,
    no_sound: bool,
    cut_start: float,
    cut_end: float,
    masks: tuple[Mask, ...],
    watermark: str,
    crf: int,
    bit_rate: int,
    equal_length: bool,
    min_length: float,
    max_length: float | None,
    match: bool,
    per_cell: int | None,
    seed: int,
    workers: int | None,
) -> int:
    """Make stimuli of the pool's recordings: cut, masked, marked, of one size, rate and loudness, without metadata.

    Beside each stimulus lies its provenance record, which is never served. Recordings that are left out are named with
    the reason. One that cannot be converted is named and stops nothing else (exit code 1).

    \b
    Example:
      believable stimuli standardise my-study --min-length 10 --match --per-cell 4 --watermark "For Research Purposes Only"
    """
    from believable.core.clock import WallClock
    from believable.stimuli import inventory, source_pool, standardise
    from believable.stimuli.recipe import Recipe
    from believable.stimuli.source_pool import SampleRequest, sample

    recipe = Recipe(
        width_px=size[0],
        height_px=size[1],
        frames_per_s=fps,
        loudness_lufs=loudness,
        sound=not no_sound,
        cut_start_ms=_ms(cut_start),
        cut_end_ms=_ms(cut_end),
        masks=masks,
        watermark=watermark,
        crf=crf,
        bits_per_s=bit_rate,
    )
    longest_ms = None if max_length is None else _ms(max_length)
    drawn = sample(_pool(folder, source_pool.sources), SampleRequest(_ms(min_length), longest_ms, match, per_cell, seed))
    for skipped in drawn.left_out:
        click.echo(f"left out  {skipped.source.name}  {skipped.source.original}: {skipped.reason}")
    with bar("Standardising", len(drawn.chosen)) as progress:
        done = standardise.standardise(
            folder, drawn.chosen, recipe, clock=WallClock(), equal_lengths=equal_length, workers=workers, progress=progress
        )
    click.echo(f"{len(done.films)} made, {len(done.kept)} kept, {len(drawn.left_out)} left out, {len(done.failed)} failed.")
    if done.films or done.kept:
        click.echo("\nFor study.yaml:\n" + inventory.study_lines(folder), nl=False)
    names = {source.name: source.original for source in drawn.chosen}
    return _failures({f"{name} ({names[name]})": reason for name, reason in done.failed.items()})


@command.command(name="even")
@folder_argument
@click.option("--cut-start", type=seconds, default=0, metavar="SECONDS", help="Cut every video at its start.")
@workers_option
def even_command(folder: Path, cut_start: float, workers: int | None) -> None:
    """Make a study's stimuli anew, so that size, packets, length and first picture do not reveal their condition.

    All videos get one size and one rate, about 1.9 Mbit/s. Videos and recordings of a scenario are cropped to its shortest.
    The new files are in FOLDER/stimuli and study.yaml names them; the old files stay, and videos are kept in FOLDER/sources.

    \b
    Example:
      believable stimuli even my-study
    """
    from believable.core.clock import WallClock
    from believable.protocols.variants import change_study
    from believable.stimuli.even import even_out

    stimuli = definition_of(folder).study.stimuli
    if not stimuli:
        raise InvalidInput(f"{folder / 'study.yaml'}: it names no stimuli. Add some under `stimuli`.")
    with bar("Evening out", len(stimuli)) as progress:
        evened = even_out(
            folder, stimuli, clock=WallClock(), new_name=new_name, cut_start_ms=_ms(cut_start), workers=workers, progress=progress
        )
    change_study(
        folder / "study.yaml",
        {"stimuli": {name: {"file": new.file, "duration_ms": new.duration_ms} for name, new in evened.items()}},
    )
    for stimulus in stimuli:
        new = evened[stimulus.id]
        before = "" if stimulus.duration_ms is None else f" (before: {stimulus.duration_ms / 1000:.1f} s)"
        click.echo(f"{stimulus.id}  {new.duration_ms / 1000:6.1f} s{before}  {new.file}")
    click.echo(f"{len(evened)} stimuli. Next: believable check {shlex.quote(str(folder))}")


@command.command(name="render")
@click.argument("recordings", nargs=-1, required=True, type=FILE)
@click.option("--out", required=True, type=FOLDER, help="Folder for the videos.")
@size_option
@setting("--fps", default=30, help="Pictures per second.")
@setting("--speed", default=1.0, help="Seconds of the recording in one second of video.")
@click.option("--from", "from_s", type=seconds, default=0, metavar="SECONDS", help="First moment shown.")
@click.option("--to", "to_s", type=seconds, default=None, metavar="SECONDS", help="Last moment shown; default: the end.")
@click.option("--camera", default="", help="Where a world that draws itself is filmed from; default: as it was played.")
@click.option("--overlay", is_flag=True, help="Such worlds: health, ammunition and the like over the picture.")
@workers_option
@cluster_option
def render_command(
    recordings: tuple[Path, ...],
    out: Path,
    size: tuple[int, int],
    fps: int,
    speed: float,
    from_s: float,
    to_s: float | None,
    camera: str,
    overlay: bool,
    workers: int | None,
    cluster: str | None,
) -> int:
    """Turn recordings of worlds (*.replay.json.gz) into videos that look like the browser's replay.

    A world that draws itself plays the recording again and is filmed.

    \b
    Example:
      believable stimuli render town.replay.json.gz --out videos --speed 60
    """
    from believable.stimuli.raster import Look, render

    look = Look(
        width_px=size[0],
        height_px=size[1],
        frames_per_s=fps,
        speed=speed,
        from_ms=_ms(from_s),
        to_ms=None if to_s is None else _ms(to_s),
        camera=camera,
        overlay=overlay,
    )
    if cluster is not None:  # workers stand in other folders
        recordings, out = tuple(recording.resolve() for recording in recordings), out.resolve()
    with working_on(cluster, workers), bar("Rendering", len(recordings)) as progress:
        rendered = render(recordings, out, look, workers=workers, progress=progress)
    for video in rendered.results.values():
        click.echo(str(video))
    return _failures({str(file): reason for file, reason in rendered.failed.items()})


@command.command(name="list")
@folder_argument
@click.option("--yaml", "as_yaml", is_flag=True, help="As lines for study.yaml.")
def list_command(folder: Path, as_yaml: bool) -> None:
    """Show the recordings of the pool and what became of them.

    \b
    Example:
      believable stimuli list my-study
    """
    from believable.stimuli import inventory

    if as_yaml:
        click.echo(inventory.study_lines(folder), nl=False)
        return
    taken = _pool(folder, inventory.lines)
    for line in taken:
        source = line.source
        length = "" if line.length_ms is None else f"{line.length_ms / 1000:.1f} s"
        click.echo(
            f"{source.name}  {line.state:<8} {source.condition:<14} {source.scenario:<14}"
            f" {source.length_ms / 1000:7.1f} s → {length:<9} {source.width_px}×{source.height_px}"
            f" {source.frames_per_s} fps  {source.audio}  {source.original}"
        )
    made_count = sum(line.state == "made" for line in taken)
    click.echo(f"{len(taken)} sources, {made_count} stimuli.")


@command.command(name="verify")
@folder_argument
@workers_option
def verify_command(folder: Path, workers: int | None) -> int:
    """Decode every stimulus, compare it with its record, and look for what tells conditions apart.

    \b
    Example:
      believable stimuli verify my-study
    """
    from believable.stimuli import inventory

    with bar("Verifying", len(_pool(folder, inventory.lines))) as progress:
        problems = inventory.problems(folder, workers=workers, progress=progress)
    for problem in problems:
        click.echo(str(problem))
    errors = sum(problem.severity == "error" for problem in problems)
    click.echo(f"{errors} problems, {sum(problem.severity == 'warning' for problem in problems)} warnings.")
    return EXIT_PROBLEMS if errors else EXIT_OK


@command.command(name="qa")
@folder_argument
@setting("--test", type=click.Choice(["visual", "auditory", "both"]), default="both", help="Brightness, pitch, or both.")
@setting("--seed", default=1, help="The signal follows from it.")
@setting("--duration", type=click.IntRange(10, 600), default=60, metavar="SECONDS", help="Length.")
@setting("--message", default="Listen to the tone", help="Words on the auditory test's screen.")
def qa_command(folder: Path, test: str, seed: int, duration: int, message: str) -> None:
    """Make the quality tests of annotators: a green screen and a tone that follow a known signal.

    Ramps, holds and reversals are drawn from the seed. What is shown or heard with every picture is written beside each
    film as a table; it is the truth that annotations are scored against, and it is never served.

    \b
    Example:
      believable stimuli qa my-study --seed 7
    """
    from believable.stimuli import qa

    for kind in qa.TESTS:
        if test in (kind, "both"):
            with bar(f"Making {kind}", duration * qa.FRAMES_PER_S) as progress:
                film = qa.make(folder / "stimuli", kind, seed=seed, duration_s=duration, message=message, progress=progress)
            click.echo(f"{film.film}\n{film.truth}")


@command.command(name="freedoom")
@click.argument("out", type=FOLDER)
@click.option("--demo", "names", multiple=True, metavar="NAME", help="Only this one, such as freedm-demo2. Repeatable.")
@click.option("--seconds", type=click.IntRange(min=1), help="Only the beginning of each; default: all of it.")
def freedoom_command(out: Path, names: tuple[str, ...], seconds: int | None) -> None:
    """Film the demos that people recorded for Freedoom and FreeDM: human clips, free to use (BSD).

    Plays the twelve demos of Debian's packages freedoom and freedm again (dsda-doom, ffmpeg), a picture for each of 35 tics a
    second. Beside each film lies a recording with what people pressed; sources.json says where each comes from.

    \b
    Example:
      believable stimuli freedoom clips/people --demo freedm-demo2 --demo freedm-demo3 --seconds 30
    """
    from believable.core.registry import did_you_mean
    from believable.stimuli import freedoom

    known = {demo.name: demo for demo in freedoom.demos()}
    for name in names:
        if name not in known:
            raise InvalidInput(f"--demo: there is no demo {name!r}. {did_you_mean(name, known)}")
    longest = None if seconds is None else seconds * freedoom.TICS_PER_S
    chosen = [known[name] if longest is None else known[name].first(longest) for name in (names or known)]
    for demo in chosen:
        if (film := out / f"{demo.name}.mp4").exists():
            raise Refused(f"{film} exists already. Choose another folder, or move it away.")
    with bar("Filming", len(chosen)) as progress:
        for number, demo in enumerate(chosen, 1):
            click.echo(str(freedoom.film(demo, out)))
            progress(number, len(chosen))
    click.echo(str(freedoom.write_sources(out, chosen)))


@command.command(name="blinding")
@folder_argument
@click.option("--seed", default=1, show_default=True, help="How conditions are dealt out by chance follows from it.")
def blinding_command(folder: Path, seed: int) -> int:
    """Are conditions told apart by anything but what happens in their films?

    Sizes, packets, lengths, headers, light, colours, edges and what stands still are looked at; a guesser learns them and is
    compared with chance, within scenarios. Conditions of one film only are left out. Exit code 1 if something tells conditions
    apart: p of .05 or less, an amount that is larger in nearly every pair, or several headers. Light, colours and edges follow
    from the places that are passed, too.

    \b
    Example:
      believable stimuli blinding my-study
    """
    import numpy as np

    from believable.pages import KINDS
    from believable.protocols import PROTOCOLS
    from believable.stimuli.blinding import GuessedFilm, film_traits, guess_conditions
    from believable.study.load import load

    stimuli = load(folder, kinds=KINDS, protocols=PROTOCOLS).study.stimuli
    counted = Counter(str(stimulus.condition) for stimulus in stimuli)
    shown = [stimulus for stimulus in stimuli if counted[str(stimulus.condition)] > 1]
    films = []
    with bar("Looking", len(shown)) as progress:
        for number, stimulus in enumerate(shown, 1):
            films.append(GuessedFilm(str(stimulus.condition), stimulus.scenario, film_traits(folder / stimulus.file)))
            progress(number, len(shown))
    guess = guess_conditions(films, np.random.default_rng(seed))
    click.echo(f"{len(films)} films: guessed {guess.rate:.2f} right, by chance {guess.chance:.2f} (p = {guess.p_value:.3f})")
    click.echo(f"headers: {guess.headers}")
    for trait, p_value in sorted(guess.traits.items(), key=lambda pair: pair[1]):
        values = {name: [film.traits.amounts[trait] for film in films if film.condition == name] for name in counted}
        means = ", ".join(f"{name} {np.mean(amounts):.4g}" for name, amounts in sorted(values.items()) if amounts)
        click.echo(f"{trait:16} p = {p_value:.3f}  {means}")
    for lead in guess.leads:
        click.echo(str(lead))
    if guess.least_p > 0.05:
        click.echo(f"There are too few films for a test: p is {guess.least_p:.3f} or more, whatever they show.")
    if not guess.is_blind:
        command = f"believable stimuli even {shlex.quote(str(folder))}"
        click.echo(f"Sizes, packets and lengths are made equal by: {command}. Light, colours and edges are not.")
    return EXIT_OK if guess.is_blind else EXIT_PROBLEMS


def _pool(folder: Path, read: Callable[[Path], list[Any]]) -> list[Any]:
    sources = read(folder)
    if not sources:
        raise InvalidInput(
            f"{folder / 'sources'}: there are no recordings."
            f" Add some: {quote_command('believable stimuli add', folder)} FILES --condition C --scenario S"
        )
    return sources


def _identifier(what: str, value: str) -> None:
    from believable.study.records import Stimulus

    try:
        Stimulus(id="x", file="x", condition=value)
    except ValueError:
        raise InvalidInput(f"--{what}: expected a name as in the study file (letters, digits, - and _), got {value!r}.") from None


def _ms(value_s: float) -> int:
    return round(1000 * value_s)


def _failures(failed: Mapping[str, str]) -> int:
    for name, reason in sorted(failed.items()):
        click.echo(f"{name}: {reason}", err=True)
    return EXIT_PROBLEMS if failed else EXIT_OK

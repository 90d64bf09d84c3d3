"""Players that learn from recordings, and how close they are to the person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.app.options import AnyPath, Options, argument, option, options, setting, use_case
from believable.contracts.registries import WORLDS
from believable.core.errors import InvalidInput, Refused, WrongUsage
from believable.core.whole_files import write_whole
from believable.imitation.continuation import continue_recording
from believable.imitation.evaluation import compare_with_person
from believable.imitation.imitation_measures import ImitationMeasure
from believable.imitation.imitator import LearningOptions
from believable.imitation.imitator import learn as learn_player
from believable.imitation.learned_file import SUFFIX, read_imitation, write_imitation
from believable.imitation.observations import Observations
from believable.recordings.file import read, write
from believable.report.learned_page import learned_page


@options
class LearnOptions(Options):
    recordings: Sequence[AnyPath] = argument(
        "Recordings of one map.", metavar="RECORDING...", path="known file", kw_only=False
    )
    out: AnyPath = option("The learned player, NAME.imitation.", path="file")
    nodes: int = setting("Places of the map.", default=64, ge=2, le=1000)
    primitives: int = setting("Kinds of movements of the hand.", default=50, ge=2, le=500)
    respawn: Sequence[str] = option(
        "When something that was taken is back; default: 30 s.", default=(), metavar="ITEM=SECONDS"
    )
    seed: int = setting("Clusters follow from it.", default=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedPlayer:
    """The learned player and the page about it."""

    out: Path
    page: Path
    nodes: int
    moves: int
    goals: int
    primitives: int
    n_bytes: int


@use_case(LearnOptions)
def learn(options: LearnOptions) -> LearnedPlayer:
    """Learn to play like the person in recordings.

    The recordings are of one map. Writes the learned player, and a page about it.
    """
    out = Path(options.out)
    if out.suffix != SUFFIX:
        raise InvalidInput(
            f"{out.name!r}: learned players are known by their ending. Call it NAME{SUFFIX}."
        )
    learning = LearningOptions(
        nodes=options.nodes,
        primitives=options.primitives,
        seed=options.seed,
        respawn_ms=_respawn_ms(options.respawn),
    )
    names = [Path(file).name for file in options.recordings]
    model = learn_player(_observations(options.recordings), learning, names)
    size = write_imitation(model, out)
    page = out.with_suffix(".html")
    write_whole(page, learned_page(model, f"What {out.stem} learned"))
    return LearnedPlayer(
        out=out,
        page=page,
        nodes=len(model.topology.nodes),
        moves=int(model.topology.edges.sum()),
        goals=len(model.aims.goals),
        primitives=model.primitives.count,
        n_bytes=size,
    )


@options
class ContinueOptions(Options):
    model: AnyPath = argument("The learned player.", path="file", kw_only=False)
    recording: AnyPath = argument("The recording.", path="known file", kw_only=False)
    out: AnyPath = option("The recording to write.", path="file")
    seconds: int = setting("Length of the continuation.", default=60, ge=1, le=3600)
    seed: int = setting("The player's actions follow from it.", default=1)


@use_case(ContinueOptions)
def continue_play(options: ContinueOptions) -> str:
    """Let a learned player continue a recording.

    The figure walks on the places and ways that were learned, seen from above. The player's view
    needs the game, which a demo does not hold.
    """
    out = Path(options.out)
    if out.exists():
        raise Refused(f"{out} exists already. Choose another --out, or move it away.")
    model, recording = read_imitation(Path(options.model)), read(Path(options.recording))
    write(continue_recording(model, recording, options.seconds, options.seed), out)
    return f"{out}: {options.seconds} s on the learned ways, from above"


@options
class EvaluateImitationOptions(Options):
    model: AnyPath = argument("The learned player.", path="file", kw_only=False)
    held_out: Sequence[AnyPath] = option(
        "A recording of the person that was not learned from.", path="known file"
    )
    learned_from: Sequence[AnyPath] = option(
        "A recording that it was learned from: simpler players learn from it, too.",
        default=(),
        path="known file",
    )
    played: Sequence[AnyPath] = option(
        "A recording of the learned player; may be repeated.", default=(), path="known file"
    )
    bots: Sequence[AnyPath] = option(
        "A recording with rule-based opponents; may be repeated.", default=(), path="known file"
    )


@use_case(EvaluateImitationOptions)
def evaluate_imitation(options: EvaluateImitationOptions) -> Mapping[str, ImitationMeasure]:
    """Compare a learned player with recordings of the person.

    Next node: the share of moves that the player's utilities name. Bits: how surprised it is by
    each action; fewer are better. With recordings of its play: how far apart they were on the map,
    how many ways they share, how they turn. Options may be repeated; intervals resample lives or
    recordings.
    """
    return compare_with_person(
        read_imitation(Path(options.model)),
        held_out=_observations(options.held_out),
        learned_from=_observations(options.learned_from),
        players={
            "imitation": _observations(options.played),
            "bots": _observations(options.bots, role="opponent"),
        },
    )


def _observations(files: Sequence[AnyPath], role: str = "player") -> list[Observations]:
    """The figures with this role in the recordings; the player if there are none."""
    seen = []
    for file in files:
        try:
            recording = read(Path(file))
            actors = [actor.id for actor in recording.actors if actor.role == role] or ["player"]
            seen += [WORLDS[recording.world.kind].observe(recording, actor) for actor in actors]
        except InvalidInput as error:
            raise InvalidInput(f"{file}: {error}") from error
    return seen


def _respawn_ms(pairs: Sequence[str]) -> dict[str, float]:
    times = {}
    for pair in pairs:
        item, _, seconds = pair.partition("=")
        if not item or not seconds.replace(".", "", 1).isdigit():
            raise WrongUsage(
                f"--respawn {pair!r}: expected ITEM=SECONDS, for example 'Combat Armor=20'."
            )
        times[item] = float(seconds) * 1000
    return times

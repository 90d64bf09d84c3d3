"""`believable learn` and `believable evaluate imitation`: a player that learns from recordings, and
how near it comes.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import FILE, KNOWN_FILE, setting

if TYPE_CHECKING:
    from believable.imitation.imitation_measures import ImitationMeasure
    from believable.imitation.observations import Observations

_RECORDINGS = KNOWN_FILE


@click.command()
@click.argument("recordings", nargs=-1, required=True, type=_RECORDINGS, metavar="RECORDING...")
@click.option("--out", required=True, type=FILE, help="The learned player, NAME.imitation.")
@setting("--nodes", type=click.IntRange(2, 1000), default=64, help="Places of the map.")
@setting(
    "--primitives", type=click.IntRange(2, 500), default=50, help="Kinds of movements of the hand."
)
@click.option(
    "--respawn",
    multiple=True,
    metavar="ITEM=SECONDS",
    help="When something that was taken is back; default: 30 s.",
)
@setting("--seed", type=int, default=1, help="Clusters follow from it.")
def learn(
    recordings: tuple[Path, ...],
    out: Path,
    nodes: int,
    primitives: int,
    respawn: tuple[str, ...],
    seed: int,
) -> None:
    """Learn to play like the person in recordings.

    The recordings are of one map. Writes the learned player, and beside it a page that shows what
    was learned.

    \b
    Example:
      believable learn duel.replay.json.gz --out person.imitation
    """
    from believable.core.errors import InvalidInput
    from believable.core.whole_files import write_whole
    from believable.imitation.imitator import LearningOptions
    from believable.imitation.imitator import learn as learn_player
    from believable.imitation.learned_file import SUFFIX, write_imitation
    from believable.report.learned_page import learned_page

    if out.suffix != SUFFIX:
        raise InvalidInput(
            f"{out.name!r}: learned players are told by their ending. Call it NAME{SUFFIX}."
        )
    options = LearningOptions(
        nodes=nodes, primitives=primitives, seed=seed, respawn_ms=_respawn_ms(respawn)
    )
    model = learn_player(_observations(recordings), options, [file.name for file in recordings])
    size = write_imitation(model, out)
    page = out.with_suffix(".html")
    write_whole(page, learned_page(model, f"What {out.stem} learned"))
    click.echo(
        f"{out}: {len(model.topology.nodes)} nodes, {int(model.topology.edges.sum())} moves,"
        f" {len(model.aims.goals)} goals, {model.primitives.count} movements of the hand, {size}"
        " bytes"
    )
    click.echo(f"{page}: what was learned, as a page")


@click.command("continue")
@click.argument("model", type=FILE)
@click.argument("recording", type=_RECORDINGS)
@click.option("--out", required=True, type=FILE, help="The recording to write.")
@setting("--seconds", type=click.IntRange(1, 3600), default=60, help="How long it goes on.")
@setting("--seed", type=int, default=1, help="What the player does follows from it.")
def continue_recording(model: Path, recording: Path, out: Path, seconds: int, seed: int) -> None:
    """Let a learned player go on where a recording ends.

    The figure walks on the places and ways that were learned, seen from above. What a player would
    see needs the game, which a demo does not hold.

    \b
    Example:
      believable continue person.imitation duel.replay.json.gz --seconds 60 --out on.replay.json.gz
    """
    from believable.core.errors import Refused
    from believable.imitation.continuation import continue_recording as go_on
    from believable.imitation.learned_file import read_imitation
    from believable.recordings.file import read, write

    if out.exists():
        raise Refused(f"{out} exists already. Choose another --out, or move it away.")
    write(go_on(read_imitation(model), read(recording), seconds, seed), out)
    click.echo(f"{out}: {seconds} s on the learned ways, from above")


@click.command("imitation")
@click.argument("model", type=FILE)
@click.option(
    "--held-out",
    multiple=True,
    required=True,
    type=_RECORDINGS,
    help="A recording of the person that was not learned from.",
)
@click.option(
    "--learned-from",
    multiple=True,
    type=_RECORDINGS,
    help="What it was learned from: simpler players learn from it, too.",
)
@click.option(
    "--played",
    multiple=True,
    type=_RECORDINGS,
    help="A recording of the learned player; may be repeated.",
)
@click.option(
    "--bots",
    multiple=True,
    type=_RECORDINGS,
    help="A recording with rule-based opponents; may be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def evaluate_imitation(
    model: Path,
    held_out: tuple[Path, ...],
    learned_from: tuple[Path, ...],
    played: tuple[Path, ...],
    bots: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Compare a learned player with recordings of the person.

    Next node: the share of moves that the player's utilities name. Bits: how surprised it is by
    each action; fewer are better. With recordings of its play: how far apart they were on the map,
    how many ways they share, how they turn. Options may be repeated; intervals resample lives or
    recordings.

    \b
    Example:
      believable evaluate imitation person.imitation --held-out last-week.replay.json.gz --learned-from duel.replay.json.gz
    """
    from believable.imitation.evaluation import compare_with_person
    from believable.imitation.learned_file import read_imitation

    comparison = compare_with_person(
        read_imitation(model),
        held_out=_observations(held_out),
        learned_from=_observations(learned_from),
        players={"imitation": _observations(played), "bots": _observations(bots, role="opponent")},
    )
    if as_json:
        click.echo(
            json.dumps({name: asdict(value) for name, value in comparison.items()}, indent=2)
        )
        return
    width = max(map(len, comparison))
    for name, value in comparison.items():
        click.echo(f"{name:<{width}}  {_words(value)}")


def _words(value: ImitationMeasure) -> str:
    interval = f"  [{value.low:.3f}, {value.high:.3f}]" if value.low == value.low else ""
    return f"{value.value:8.3f}{interval}  n = {value.n}"


def _observations(files: tuple[Path, ...], role: str = "player") -> list[Observations]:
    """What recordings show of everybody with this role; of the player where nobody has it."""
    from believable.core.errors import InvalidInput
    from believable.recordings.file import read
    from believable.worlds import WORLDS

    seen = []
    for file in files:
        try:
            recording = read(file)
            actors = [actor.id for actor in recording.actors if actor.role == role] or ["player"]
            seen += [WORLDS[recording.world.kind].observe(recording, actor) for actor in actors]
        except InvalidInput as error:
            raise InvalidInput(f"{file}: {error}") from error
    return seen


def _respawn_ms(pairs: tuple[str, ...]) -> dict[str, float]:
    from believable.core.errors import InvalidInput

    times = {}
    for pair in pairs:
        item, _, seconds = pair.partition("=")
        if not item or not seconds.replace(".", "", 1).isdigit():
            raise InvalidInput(
                f"--respawn {pair!r}: expected ITEM=SECONDS, for example 'Combat Armor=20'."
            )
        times[item] = float(seconds) * 1000
    return times

"""`believable new`: a study folder from a template or a ready-made protocol."""

from __future__ import annotations

import itertools
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.agent_studies import agent_options, recording_options, town_options
from believable.cli.place import PATH, definition_of, setting
from believable.core.errors import InvalidInput
from believable.core.shell import quote_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from believable.cli.agent_studies import AgentRequest, RecordingRequest, TownRequest
    from believable.core.work import Progress
    from believable.protocols.contract import ReadyStudy
    from believable.protocols.own_clips import ClipFolder
    from believable.study.records import Study

BLANK = "blank"


@click.command()
@click.argument("folder", type=PATH)
@click.option(
    "--blank",
    is_flag=True,
    help="A small complete study of your own, with placeholders: --template blank.",
)
@click.option(
    "--template",
    metavar="NAME",
    help="A study of your own by its question: compare-agents, rate-clips, play-and-annotate.",
)
@click.option(
    "--protocol",
    metavar="NAME",
    help="A ready-made protocol; believable list --protocols has them.  [default: demo]",
)
@click.option(
    "--variant",
    metavar="NAME",
    help=(
        "The protocol's study in another form: doom for clips and hntt (extra doom), contrast for"
        " hntt, choice_time for trace."
    ),
)
@click.option(
    "--clips",
    multiple=True,
    metavar="CONDITION=FOLDER",
    help=(
        "Your own clips in place of generated stimuli: a folder of films or recordings for each"
        " condition. Clips of the same environment and seed make a pair. Repeatable."
    ),
)
@click.option(
    "--whole-clips",
    is_flag=True,
    help="With --clips: do not crop the clips of a pair to equal length.",
)
@agent_options
@town_options
@recording_options
@click.option(
    "--languages",
    metavar="LIST",
    help="What participants read, the first where they state no wish: en, de or en,de.",
)
@setting("--seed", type=int, default=7, help="Seed of the generated stimuli.")
def command(
    folder: Path,
    blank: bool,
    template: str | None,
    protocol: str | None,
    variant: str | None,
    clips: tuple[str, ...],
    whole_clips: bool,
    agents: AgentRequest | None,
    towns: TownRequest | None,
    recordings: RecordingRequest | None,
    languages: str | None,
    seed: int,
) -> None:
    """Start a study folder.

    With --blank or --template a study of your own design: consent, instructions, pages, questions,
    an analysis plan, and short recordings that hold the place of yours. With --protocol one of the
    published ways of asking. Writes study.yaml and its pages into FOLDER, which may hold `sources`
    and `stimuli` already.

    \b
    Example:
      believable new my-study --blank
      believable new my-study --template compare-agents --languages de
      believable new my-study --protocol hntt
      believable new my-study --protocol hntt --clips human=clips/people --clips agent=clips/agent
      believable new my-study --protocol hntt --agent reward_shaping --humans clips/people
      believable new my-study --protocol hntt --agent hybrid --humans clips/people --people-pairs 2 --mismatched 2
      believable new my-study --protocol replay --town --seed 3
      believable new my-study --protocol clips --recordings rec
    """
    from believable.protocols import own_clips, variants

    ready = chosen(blank=blank, template=template, protocol=protocol)
    requests = [request for request in (towns, recordings, agents) if request is not None]
    if not requests:
        folders = [own_clips.clip_folder(written) for written in clips]
        write(
            variants.variant(ready, variant, own_clips=bool(folders)),
            folder,
            seed,
            languages,
            folders,
            whole_clips=whole_clips,
        )
        click.echo(f"Wrote {folder}. Next: {quote_command('believable check', folder)}")
        return
    request = requests[0]
    if clips or len(requests) > 1 or (variant and not request.takes_variant):
        raise InvalidInput(f"new: {request.alone}")
    for place in request.write(ready, folder, seed, languages, variant):
        click.echo(f"Wrote {place}. Next: {quote_command('believable check', place)}")


def chosen(
    *, blank: bool = False, template: str | None = None, protocol: str | None = None
) -> ReadyStudy:
    """What to start from; one of the three."""
    from believable.protocols import READY_STUDIES
    from believable.protocols.templates import TEMPLATES

    if blank + (template is not None) + (protocol is not None) > 1:
        raise InvalidInput(
            "new: --blank, --template and --protocol are three ways to start. Give one of them."
        )
    if blank or template is not None:
        return TEMPLATES[BLANK if blank else str(template)]
    return READY_STUDIES[protocol or "demo"]


def create(protocol: str, folder: Path, seed: int, progress: Progress | None = None) -> None:
    """The folder of a ready-made protocol with everything in it."""
    write(chosen(protocol=protocol), folder, seed, progress=progress)


def write(
    ready: ReadyStudy,
    folder: Path,
    seed: int,
    languages: str | None = None,
    clips: Sequence[ClipFolder] = (),
    progress: Progress | None = None,
    fill: Callable[[Study, Path], None] | None = None,
    whole_clips: bool = False,
) -> None:
    """The folder with everything in it; `fill` makes the stimuli where they are not the protocol's
    own. What takes long tells `progress`, or shows a bar. What cannot be made leaves nothing
    behind.
    """
    from believable.core.whole_files import put_in_place
    from believable.protocols.variants import with_conditions_of_own

    ready.must_fit(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        draft = scratch / "study"  # the scratch folder itself is readable by nobody else
        ready.copy(draft)
        if languages is not None:
            speak(draft / "study.yaml", languages)
        if clips:
            with_conditions_of_own(draft / "study.yaml")
        study = definition_of(draft).study
        if clips:
            _take(draft, ready, study, clips, whole_clips, progress)
        elif fill is not None:
            fill(study, draft)
        elif study.stimuli:
            with counting(len(study.stimuli), progress) as count:
                ready.write_stimuli(study, draft, seed, lambda stimulus: count())
        definition_of(draft)  # what was made of clips and runs is checked, too
        put_in_place(draft, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _take(
    draft: Path,
    ready: ReadyStudy,
    study: Study,
    clips: Sequence[ClipFolder],
    whole_clips: bool,
    progress: Progress | None,
) -> None:
    from believable.cli.stimuli import new_name
    from believable.core.clock import WallClock
    from believable.protocols.own_clips import make_stimuli, pair_clips

    paired = pair_clips(study.conditions, clips)
    for note in paired.notes:
        click.echo(f"--clips: {note}", err=True)
    with counting(len(paired.clips), progress) as count:
        make_stimuli(
            draft,
            paired.clips,
            clock=WallClock(),
            new_name=new_name,
            masks=ready.masks,
            equal_lengths=not whole_clips,
            done=count,
        )


@contextmanager
def counting(total: int, progress: Progress | None = None) -> Iterator[Callable[[], None]]:
    """What to call for each stimulus that is made."""
    done = itertools.count(1)
    if progress is not None:
        yield lambda: progress(next(done), total)
        return
    with click.progressbar(length=total, label="Making stimuli", file=sys.stderr) as bar:
        yield lambda: bar.update(1)


def speak(path: Path, languages: str) -> None:
    """The study file with its `languages:` exchanged; every text of it is there in each, or loading
    says which is not.
    """
    listed = ", ".join(part.strip() for part in languages.split(","))
    text = re.sub(
        r"^languages: \[[^\]]*\]",
        f"languages: [{listed}]",
        path.read_text("utf-8"),
        count=1,
        flags=re.M,
    )
    path.write_text(text, encoding="utf-8")

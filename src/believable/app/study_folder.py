"""A study folder with everything in it, made of a ready study."""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from believable.app.options import Options
from believable.app.study_data import load_study
from believable.contracts.protocol import ReadyStudy
from believable.core.clock import WallClock
from believable.core.errors import InvalidInput, WrongUsage
from believable.core.whole_files import put_in_place
from believable.protocols import READY_STUDIES
from believable.protocols.own_clips import ClipFolder, make_stimuli, pair_clips
from believable.protocols.templates import TEMPLATES
from believable.protocols.variants import change_study, with_conditions_of_own
from believable.study.records import Study

BLANK = "blank"
#: No vowels, so that names make no words.
LETTERS = "bcdfghjklmnpqrstvwxz"


def new_name() -> str:
    """Sixteen random letters: about 69 bits, no order, no meaning."""
    return "".join(secrets.choice(LETTERS) for _ in range(16))


def choose(
    *, blank: bool = False, template: str | None = None, protocol: str | None = None
) -> ReadyStudy:
    """Return the study to start from, named in one of three ways."""
    if blank + (template is not None) + (protocol is not None) > 1:
        raise WrongUsage(
            "new: --blank, --template and --protocol are three ways to start. Give one of them."
        )
    if blank or template is not None:
        return TEMPLATES[BLANK if blank else str(template)]
    return READY_STUDIES[protocol or "demo"]


def write_study(
    ready: ReadyStudy,
    folder: Path,
    options: Options,
    *,
    seed: int,
    languages: str | None = None,
    clips: Sequence[ClipFolder] = (),
    whole_clips: bool = False,
    fill: Callable[[Study, Path], None] | None = None,
) -> None:
    """Write the folder with everything in it. `fill` makes the stimuli, unless they are the
    protocol's own or of clips. If a part cannot be made, nothing is left behind.
    """
    ready.must_fit(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        draft = scratch / "study"  # only its owner can read the scratch folder
        ready.copy(draft)
        if languages is not None:
            set_languages(draft / "study.yaml", languages)
        if clips:
            with_conditions_of_own(draft / "study.yaml")
        if clips and ready.names_conditions:
            _name_conditions(draft, ready, clips)
        study = load_study(draft).study
        if clips:
            _take_clips(draft, ready, study, clips, options, whole_clips=whole_clips)
        elif fill is not None:
            fill(study, draft)
        elif study.stimuli:
            with options.counting_each("Making stimuli", len(study.stimuli)) as count:
                ready.write_stimuli(study, draft, seed, lambda stimulus: count())
        load_study(draft)  # a study made of clips and runs is checked, too
        put_in_place(draft, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _name_conditions(draft: Path, ready: ReadyStudy, clips: Sequence[ClipFolder]) -> None:
    """Let the clips name the conditions of the study."""
    conditions = [own.condition for own in clips]
    if len(conditions) < 2 or len(set(conditions)) < len(conditions):
        raise InvalidInput(
            "--clips: expected a folder for each of two or more conditions, got"
            f" {', '.join(conditions)}."
        )
    paired = pair_clips(conditions, clips).clips
    scenarios = list(dict.fromkeys(clip.scenario for clip in paired))
    change_study(draft / "study.yaml", ready.own_changes(conditions, scenarios))


def _take_clips(
    draft: Path,
    ready: ReadyStudy,
    study: Study,
    clips: Sequence[ClipFolder],
    options: Options,
    *,
    whole_clips: bool,
) -> None:
    paired = pair_clips(study.conditions, clips)
    for note in paired.notes:
        options.say(f"--clips: {note}")
    with options.counting_each("Making stimuli", len(paired.clips)) as count:
        make_stimuli(
            draft,
            paired.clips,
            clock=WallClock(),
            new_name=new_name,
            masks=ready.masks,
            equal_lengths=not whole_clips,
            measure=ready.measures_of,
            done=count,
        )


def set_languages(path: Path, languages: str) -> None:
    """Replace `languages:` in a study file; loading it reports texts that one of them lacks."""
    listed = ", ".join(part.strip() for part in languages.split(","))
    text = re.sub(
        r"^languages: \[[^\]]*\]",
        f"languages: [{listed}]",
        path.read_text("utf-8"),
        count=1,
        flags=re.M,
    )
    path.write_text(text, encoding="utf-8")

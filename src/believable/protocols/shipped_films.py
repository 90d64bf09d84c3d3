"""Films in the package: the stimuli of a ready study, made before.

Every picture of a film is filled up with zeros to one size (`stimuli/constant_rate`), so that
compressed a film takes less than half. Without the engine, and without a codec, `films/NAME.mp4.xz`
becomes the stimulus NAME, to the byte. `python -m validation.ready_clips` makes the films again.
"""

from __future__ import annotations

import lzma
import shutil
from collections.abc import Callable
from pathlib import Path

from believable.study.records import Stimulus, Study

FOLDER, PACKED = "films", ".xz"
#: Beside the films: where each clip is from, and how it was chosen.
NOTES = (".csv", ".json")


def write_films(
    package: Path,
    study: Study,
    folder: Path,
    seed: int,
    done: Callable[[Stimulus], None] = lambda stimulus: None,
) -> None:
    """Write the stimuli of a study into its folder, with the notes about them. They do not depend
    on the seed: other clips are made with `believable new --agent` and `--people`.
    """
    films = package / FOLDER
    for stimulus in study.stimuli:
        target = folder / stimulus.file
        target.parent.mkdir(parents=True, exist_ok=True)
        packed = films / f"{target.name}{PACKED}"
        target.write_bytes(lzma.decompress(packed.read_bytes()))
        done(stimulus)
    for note in sorted(films.iterdir()):
        if note.suffix in NOTES:
            shutil.copyfile(note, folder / note.name)


def pack_film(film: Path, package: Path, name: str) -> Path:
    """Put a film into a package."""
    target = package / FOLDER / f"{name}.mp4{PACKED}"
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(lzma.compress(film.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
    return target

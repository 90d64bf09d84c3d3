"""The recording of a round as a video. It takes seconds of a core, so it is made in a separate
process: `python -m believable.collect.round_film SOURCE TARGET [WIDTH HEIGHT]`. Needs the extra
`video`; nothing else imports this module.
"""

from __future__ import annotations

import sys
from pathlib import Path

from believable.stimuli.render import Look, render_file

SIZE_PX = 720


def film(source: Path, target: Path, width_px: int = SIZE_PX, height_px: int = SIZE_PX) -> None:
    """The video of a recording, with nothing in it that the pictures do not show."""
    render_file(source, target, Look(width_px=width_px, height_px=height_px))


if __name__ == "__main__":
    film(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:]))

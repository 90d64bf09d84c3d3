"""Results while data come in, computed in a process of its own so that collecting never waits for them.

`python -m believable.report.live` reads a `Wish` as JSON from its input and writes a `Live` as JSON to its output.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from believable.analysis import registered
from believable.analysis.records import Analysis
from believable.analysis.run import prepared, run, settle, study_of
from believable.analysis.stopping import stopping
from believable.bundle.read import Bundle, read
from believable.core.clock import WallClock
from believable.core.errors import BelievableError
from believable.instruments import INSTRUMENTS
from believable.report import pictures
from believable.report.blind import blinded_run, stimulus_names
from believable.report.drawn import moments
from believable.report.live_records import Live, Wish
from believable.report.markup import join
from believable.report.page import island, parts, table_files
from believable.report.sections import Layout
from believable.store.engine import Store
from believable.store.export import export

#: Polite to the server on the same machine.
NICENESS = 10


def compute(wish: Wish) -> Live:
    """Exports what is stored now, analyses it, and lays it out."""
    with tempfile.TemporaryDirectory(prefix="believable-live-") as room:
        target = Path(room) / "bundle"
        with Store.open(wish.database, clock=WallClock()) as store:
            export(
                store, wish.study, target, instruments=INSTRUMENTS, simulated=wish.simulated,
                media_dir=Path(wish.media_dir),
            )  # fmt: skip
        bundle = read(target)
        if not len(bundle["participants"]):
            return Live(error="Nobody has taken part yet.")
        record = registered.read(Path(wish.folder)) if wish.folder else None
        analysis = (blinded_run if wish.blinded else run)(bundle, record)
        keep_script(Path(wish.script))
        return _live(bundle, analysis, wish, registered_plan=record is not None)


def _live(bundle: Bundle, analysis: Analysis, wish: Wish, *, registered_plan: bool) -> Live:
    _, study = study_of(bundle)
    plan = settle(study, None, None)
    state = stopping(prepared(bundle, plan, study), plan)
    layout = Layout(analysis, pictures.inline_svg, moments(wish.base))
    made = [part.html for part in parts(analysis, layout)]
    data = [island("figures", layout.figures), island("files", table_files(layout))]
    hidden = stimulus_names(bundle) if wish.blinded else {}
    return Live(
        html=join([*made, *data]),
        analysed=analysis.funnel[-1].after if analysis.funnel else 0,
        came=analysis.funnel[0].before if analysis.funnel else 0,
        stopping=state.words,
        target=state.target,
        reached=state.reached,
        met=state.met,
        registered=registered_plan,
        stimuli={shown: name for name, shown in hidden.items()},
    )


def keep_script(path: Path) -> None:
    """The drawing library as a file that the console serves; written once, whole or not at all."""
    if path.is_file():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_text(pictures.script(), encoding="utf-8")
    part.replace(path)


def main() -> None:
    os.nice(NICENESS)
    wish = Wish(**json.loads(sys.stdin.read()))
    try:
        found = compute(wish)
    except BelievableError as error:
        found = Live(error=str(error))
    sys.stdout.write(json.dumps(asdict(found), ensure_ascii=True))


if __name__ == "__main__":
    main()

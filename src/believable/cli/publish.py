"""`believable publish`: the anonymised release of a study."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import FOLDER, PATH, DataPlace, StudyData, data_options, extensions_option, setting
from believable.core.errors import NotFound

if TYPE_CHECKING:
    from believable.report.privacy import Spot

ALL = "all"


@click.command()
@click.argument("source", metavar="STUDY_OR_BUNDLE", type=PATH)
@click.option("--out", type=FOLDER, required=True, help="The release's folder.")
@click.option("--licence", required=True, help="CC-BY-4.0, CC0-1.0, CC-BY-SA-4.0, CC-BY-NC-4.0 or ODbL-1.0.")
@click.option("--author", "authors", multiple=True, help="Who made the study; once per person or group.")
@click.option("--accept", multiple=True, metavar="ID", help="Keep this place: it was read and gives nobody away.")
@click.option("--redact", "redacted", multiple=True, metavar="ID", help="Take this place out; `all` for every one.")
@click.option("--with-stimuli", is_flag=True, help="Release the stimuli as well.")
@setting("--formats", default="svg,pdf,png", help="Figures as files: some of svg, pdf, png; '' for none.")
@data_options
@extensions_option
def command(
    source: Path,
    out: Path,
    licence: str,
    authors: tuple[str, ...],
    accept: tuple[str, ...],
    redacted: tuple[str, ...],
    with_stimuli: bool,
    formats: str,
    where: DataPlace,
) -> None:
    """Build the anonymised release folder of a study.

    Dataset, study, registered plan, report, README, CITATION and licence. Everything participants wrote is searched for e-mail
    addresses, phone numbers, names, profiles and recruiters' ids; what is found is listed with its place, and nothing is written
    until each was taken out or accepted.

    \b
    Example:
      believable publish my-study --out release --licence CC-BY-4.0 --author "A. Researcher"
      believable publish my-study --out release --licence CC-BY-4.0 --redact all
    """
    from believable.analysis import registered
    from believable.analysis.run import run
    from believable.bundle.read import read
    from believable.cli.analyse import BUNDLE_FILE, export_now, plan_of
    from believable.protocols import PROTOCOLS
    from believable.report.figure_files import check_formats, converter
    from believable.report.privacy import column_spots, spots
    from believable.report.redact import redact, relative_times
    from believable.report.release import LICENCES, ReleaseFacts, build, check_spots, check_target

    chosen, wanted = LICENCES[licence], check_formats(formats)
    converter()
    check_target(out)
    study = None if (source / BUNDLE_FILE).is_file() else where.of(source)
    folder = None if study is None else study.folder
    with tempfile.TemporaryDirectory(prefix="believable-release-") as room:
        bundle = Path(room) / "bundle"
        if study is None:
            shutil.copytree(source, bundle)
        else:
            export_now(study, bundle)
        read(bundle)
        known = recruiter_ids(study)
        seen = (*column_spots(bundle), *spots(bundle, known))
        _must_be_known(seen, (*accept, *redacted))
        out_of = frozenset(spot.id for spot in seen) if ALL in redacted else frozenset(redacted)
        out_of -= frozenset(accept)
        check_spots(seen, frozenset(accept), frozenset(spot.id for spot in seen if spot.session and spot.id in out_of))
        taken = tuple(spot for spot in seen if spot.id in out_of)
        receipts = redact(bundle, taken, known) if taken else 0
        relative_times(bundle)
        verified = read(bundle)
        record = registered.read(folder if folder is not None else source.parent)
        facts = ReleaseFacts(
            title=verified.title,
            authors=authors or ("The researchers",),
            licence=chosen,
            accepted=tuple(spot for spot in seen if spot.id in accept),
            redacted=taken,
            new_receipts=receipts,
            stimuli=with_stimuli,
        )
        build(
            out,
            bundle=bundle,
            study=folder,
            analysis=run(verified, record, protocols=PROTOCOLS, plan=plan_of(folder) if folder is not None else None),
            facts=facts,
            formats=wanted,
        )
    done = f", {len(taken)} places taken out" if taken else ""
    kept = f", {len(facts.accepted)} accepted" if facts.accepted else ""
    click.echo(f"{out}: release under {chosen.name}{done}{kept}. Read its README.md before you publish it.")


def _must_be_known(seen: Sequence[Spot], named: tuple[str, ...]) -> None:
    from believable.core.registry import did_you_mean

    ids = [spot.id for spot in seen]
    for name in named:
        if name != ALL and name not in ids:
            raise NotFound(f"{name!r}: nothing with this id was found. {did_you_mean(name, ids)}")


def recruiter_ids(study: StudyData | None) -> Callable[[str], bool]:
    """Whether a word is the id of a participant, as far as the study's own database can tell."""
    from believable.collect.context import load_key
    from believable.collect.recruiting import participant_hash
    from believable.report.privacy import nobody
    from believable.store.collected import recruited

    if study is None:
        return nobody
    name = study.name
    with study.open() as store:
        hashes = {session.recruiter_hash for session in store.read(lambda conn: recruited(conn, name))}
    if not hashes:
        return nobody
    key = load_key(study.settings.data_dir)
    return lambda word: participant_hash(key, name, word) in hashes

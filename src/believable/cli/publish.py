"""`believable publish`: the anonymised release of a study."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import (
    FOLDER,
    KNOWN_FILE,
    PATH,
    DataPlace,
    StudyData,
    data_options,
    extensions_option,
    setting,
)
from believable.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from believable.bundle.read import Bundle
    from believable.report.coarsen import AttackList, CoarsenedBundle
    from believable.report.privacy import Spot

ALL = "all"
#: The id by which --accept keeps a release in which an attack still finds people.
ATTACK = "attack"


@click.command()
@click.argument("source", metavar="STUDY_OR_BUNDLE", type=PATH)
@click.option("--out", type=FOLDER, required=True, help="The release's folder.")
@click.option(
    "--licence", required=True, help="CC-BY-4.0, CC0-1.0, CC-BY-SA-4.0, CC-BY-NC-4.0 or ODbL-1.0."
)
@click.option(
    "--author", "authors", multiple=True, help="Who made the study; once per person or group."
)
@click.option(
    "--accept",
    multiple=True,
    metavar="ID",
    help="Keep this place: it was read and gives nobody away.",
)
@click.option(
    "--redact",
    "redacted",
    multiple=True,
    metavar="ID",
    help="Take this place out; `all` for every one.",
)
@click.option(
    "--attack",
    "platform_csv",
    type=KNOWN_FILE,
    metavar="PLATFORM.csv",
    help=(
        "Try to re-identify participants with a platform's list, and coarsen the data until that"
        " fails."
    ),
)
@click.option(
    "--keep-times",
    is_flag=True,
    help=(
        "Keep reaction times, and durations in minutes, as far as the attack allows; needs"
        " --attack, or --accept attack."
    ),
)
@click.option("--with-stimuli", is_flag=True, help="Release the stimuli as well.")
@setting(
    "--formats", default="svg,pdf,png", help="Figures as files: some of svg, pdf, png; '' for none."
)
@data_options
@extensions_option
def command(
    source: Path,
    out: Path,
    licence: str,
    authors: tuple[str, ...],
    accept: tuple[str, ...],
    redacted: tuple[str, ...],
    platform_csv: Path | None,
    keep_times: bool,
    with_stimuli: bool,
    formats: str,
    where: DataPlace,
) -> None:
    """Build the anonymised release folder of a study.

    Dataset, study, registered plan, report, README, CITATION and licence. Everything participants
    wrote is searched for e-mail addresses, phone numbers, names, profiles and recruiters' ids; what
    is found is listed with its place, and nothing is written until each was taken out or accepted.

    Sessions get random numbers. Days, durations and reaction times are left out: reaction times add
    up to a duration, and the recruiting platform knows the durations of its people. With --attack,
    a list such as Prolific's export (ids, start times, durations) is matched with the release by
    order, days, clocks and durations. The command reports how many people that finds, and coarsens
    the data until it finds no more than chance does. --keep-times starts with reaction times in
    milliseconds and durations in minutes, and coarsens them if the attack finds people.

    \b
    Example:
      believable publish my-study --out release --licence CC-BY-4.0 --author "A. Researcher"
      believable publish my-study --out release --licence CC-BY-4.0 --redact all
      believable publish my-study --out release --licence CC-BY-4.0 --attack prolific_export.csv
    """
    from believable.analysis import registered
    from believable.analysis.followed_plan import plan_to_follow
    from believable.analysis.run import run
    from believable.bundle.read import read
    from believable.cli.analyse import BUNDLE_FILE, export_now
    from believable.protocols import PROTOCOLS
    from believable.report.attack import arrival_by_seed
    from believable.report.coarsen import check_leaks, coarsen, exact_facts
    from believable.report.figure_files import check_formats, converter
    from believable.report.precision import PRECISIONS, PRECISIONS_WITH_TIMES
    from believable.report.privacy import column_spots, spots
    from believable.report.redact import redact
    from believable.report.release import LICENCES, ReleaseFacts, build, check_spots, check_target

    chosen, wanted = LICENCES[licence], check_formats(formats)
    if keep_times and platform_csv is None and ATTACK not in accept:
        raise InvalidInput(
            "--keep-times: reaction times add up to durations, by which a recruiting platform's"
            " list finds people. Add --attack PLATFORM.csv to see how many, or --accept attack if"
            " there is no such list."
        )
    converter()
    check_target(out)
    study = None if (source / BUNDLE_FILE).is_file() else where.of(source)
    folder = None if study is None else study.folder
    with tempfile.TemporaryDirectory(prefix="believable-release-") as room:
        bundle, anonymous = Path(room) / "exact", Path(room) / "bundle"
        if study is None:
            shutil.copytree(source, bundle)
        else:
            export_now(study, bundle)
        exact = read(bundle)
        if exact.released is not None:
            raise InvalidInput(
                f"{source}: this dataset is a release already. Publish the study, or the bundle"
                " that `export` wrote."
            )
        known = recruiter_ids(study)
        seen = (*column_spots(bundle), *spots(bundle, known))
        listed = None if platform_csv is None else _attack_list(platform_csv, study, exact)
        _must_be_known(seen, (*(name for name in accept if name != ATTACK), *redacted))
        out_of = frozenset(spot.id for spot in seen) if ALL in redacted else frozenset(redacted)
        out_of -= frozenset(accept)
        # A whole column cannot be redacted.
        check_spots(
            seen,
            frozenset(accept),
            frozenset(spot.id for spot in seen if spot.question and spot.id in out_of),
        )
        taken = tuple(spot for spot in seen if spot.id in out_of)
        receipts = redact(bundle, taken, known) if taken else 0
        record = registered.read(folder if folder is not None else source.parent)
        plan = plan_to_follow(folder, PROTOCOLS)
        exact = read(bundle)
        decided = exact_facts(exact, plan, record, PROTOCOLS)
        precisions = PRECISIONS_WITH_TIMES if keep_times else PRECISIONS
        key = _release_key(study)
        coarsened = coarsen(
            bundle, anonymous, key=key, facts=decided, known=listed, precisions=precisions
        )
        _echo_attack(coarsened)
        check_leaks(coarsened, accepted=ATTACK in accept)
        verified = read(anonymous)
        facts = ReleaseFacts(
            title=verified.title,
            authors=authors or ("The researchers",),
            licence=chosen,
            accepted=tuple(spot for spot in seen if spot.id in accept),
            redacted=taken,
            new_receipts=receipts,
            stimuli=with_stimuli,
            times=coarsened.precision.text,
            arrival_by_seed=not verified.simulated and bool(arrival_by_seed(verified)),
            attack=tuple(attempt.text for attempt in coarsened.attempts),
        )
        build(
            out,
            bundle=anonymous,
            study=folder,
            analysis=run(verified, record, protocols=PROTOCOLS, plan=plan),
            facts=facts,
            formats=wanted,
        )
    done = f", {len(taken)} places taken out" if taken else ""
    kept = f", {len(facts.accepted)} accepted" if facts.accepted else ""
    if facts.arrival_by_seed:
        click.echo(
            "Warning: the order of pages in this release shows the order in which people arrived,"
            " because an earlier version derived both from the study's seed. Anyone with a list of"
            " start times can use it.",
            err=True,
        )
    click.echo(
        f"{out}: release under {chosen.name}{done}{kept}. {facts.times} Read its README.md before"
        " you publish it."
    )
    if platform_csv is None:
        click.echo(
            "Nobody has tried to re-identify participants in it. Try it with --attack PLATFORM.csv."
        )


def _echo_attack(coarsened: CoarsenedBundle) -> None:
    if coarsened.attempts:
        click.echo("Attack with the platform's list (people found, in expectation):")
    for attempt in coarsened.attempts:
        click.echo(f"  {attempt.text}")


def _release_key(study: StudyData | None) -> bytes:
    """Decides the random numbers of sessions: the study's own key, or a fresh one for a dataset
    without its study.
    """
    from believable.collect.context import load_key

    return secrets.token_bytes(32) if study is None else load_key(study.settings.data_dir)


def _attack_list(source: Path, study: StudyData | None, exact: Bundle) -> AttackList:
    """The platform's people, and the session of each: by the stored hashes, or by a column
    `session` of the list.
    """
    from believable.collect.match import read_platform
    from believable.report.attack import platform_people, sessions_of_list
    from believable.report.coarsen import AttackList

    file = read_platform(source, expected="prolific")
    if study is None or "session" in (name.casefold() for name in file.header):
        sessions = sessions_of_list(file, source)
    else:
        sessions = _recruited_sessions(
            study, exact, [submission.participant for submission in file.submissions]
        )
    return AttackList(platform_people(file, source), sessions)


def _recruited_sessions(
    study: StudyData, exact: Bundle, participants: Sequence[str]
) -> dict[str, str]:
    """The session of each participant that has exactly one, found by the keyed hash of the
    platform's id.
    """
    from believable.collect.context import load_key
    from believable.collect.recruiting import participant_hash
    from believable.store.collected import recruited

    name, people = study.name, exact["participants"]
    by_number = dict(
        zip(people["number"].values.tolist(), people["session"].values.tolist(), strict=True)
    )
    numbers: dict[str, list[int]] = {}
    with study.open() as store:
        for session in store.read(lambda conn: recruited(conn, name)):
            numbers.setdefault(session.recruiter_hash, []).append(session.number)
    key = load_key(study.settings.data_dir)
    own = {
        participant: numbers.get(participant_hash(key, name, participant), [])
        for participant in participants
    }
    return {
        participant: by_number[found[0]]
        for participant, found in own.items()
        if len(found) == 1 and found[0] in by_number
    }


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
        hashes = {
            session.recruiter_hash for session in store.read(lambda conn: recruited(conn, name))
        }
    if not hashes:
        return nobody
    key = load_key(study.settings.data_dir)
    return lambda word: participant_hash(key, name, word) in hashes

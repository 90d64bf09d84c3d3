"""Build the anonymised release of a study."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.analysis import registered
from believable.analysis.followed_plan import plan_to_follow
from believable.analysis.run import run
from believable.app.analyse import DatasetOptions, export_now, is_bundle
from believable.app.options import AnyPath, argument, option, options, setting, use_case
from believable.app.report import FORMATS
from believable.app.study_data import StudyData
from believable.bundle.read import Bundle, read
from believable.collect.context import load_key
from believable.collect.match import read_platform
from believable.collect.recruiting import participant_hash
from believable.core.errors import InvalidInput, UnknownName, WrongUsage
from believable.core.registry import did_you_mean
from believable.report.attack import arrival_by_seed
from believable.report.coarsen import AttackList, CoarsenedBundle, check_leaks, coarsen, exact_facts
from believable.report.figure_files import check_formats, converter
from believable.report.platform_list import platform_people, sessions_of_list
from believable.report.precision import PRECISIONS, PRECISIONS_WITH_TIMES
from believable.report.privacy import Spot, column_spots, nobody, spots
from believable.report.redact import redact
from believable.report.release import LICENCES, ReleaseFacts, build, check_spots, check_target
from believable.store.collected import recruited_sessions

ALL = "all"
#: The id by which --accept keeps a release in which an attack still finds people.
ATTACK = "attack"


@options
class PublishOptions(DatasetOptions):
    source: AnyPath = argument("A study or a bundle.", metavar="STUDY_OR_BUNDLE", kw_only=False)
    out: AnyPath = option("The release's folder.", path="folder")
    licence: str = option("CC-BY-4.0, CC0-1.0, CC-BY-SA-4.0, CC-BY-NC-4.0 or ODbL-1.0.")
    author: Sequence[str] = option(
        "Who made the study; once per person or group.", default=(), metavar="NAME"
    )
    accept: Sequence[str] = option(
        "Keep this place: it was read and gives no person away.", default=(), metavar="ID"
    )
    redact: Sequence[str] = option(
        "Take this place out; `all` for every one.", default=(), metavar="ID"
    )
    attack: AnyPath | None = option(
        "Try to re-identify participants with a platform's list, and coarsen the data until that"
        " fails.",
        default=None,
        metavar="PLATFORM.csv",
        path="known file",
    )
    keep_times: bool = option(
        "Keep reaction times, and durations in minutes, as far as the attack allows; needs"
        " --attack, or --accept attack.",
        default=False,
    )
    with_stimuli: bool = option("Release the stimuli as well.", default=False)
    formats: str = setting(FORMATS, default="svg,pdf,png")


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """The release that was built. `attacked`: re-identification was tried."""

    folder: Path
    facts: ReleaseFacts
    attacked: bool

    def as_json(self) -> object:
        facts = self.facts
        return {
            "folder": self.folder,
            "licence": facts.licence.name,
            "redacted": [spot.id for spot in facts.redacted],
            "accepted": [spot.id for spot in facts.accepted],
            "times": facts.times,
            "attack": facts.attack,
        }


@use_case(PublishOptions)
def publish(options: PublishOptions) -> Release:
    """Build the anonymised release folder of a study.

    Dataset, study, registered plan, report, README, CITATION and licence. Everything participants
    wrote is searched for e-mail addresses, phone numbers, names, profiles and recruiters' ids;
    every
    find is listed with its place, and nothing is written until each was taken out or accepted.

    Sessions get random numbers. Days, durations and reaction times are left out: reaction times add
    up to a duration, and the recruiting platform knows the durations of its people. With --attack,
    a list such as Prolific's export (ids, start times, durations) is matched with the release by
    order, days, clocks and durations. The command reports how many people that finds, and coarsens
    the data until it finds no more than chance does. --keep-times starts with reaction times in
    milliseconds and durations in minutes, and coarsens them if the attack finds people.
    """
    source, out = Path(options.source), Path(options.out)
    chosen, formats = LICENCES[options.licence], check_formats(options.formats)
    if options.keep_times and options.attack is None and ATTACK not in options.accept:
        raise WrongUsage(
            "--keep-times: reaction times add up to durations, by which a recruiting platform's"
            " list finds people. Add --attack PLATFORM.csv to see how many, or --accept attack if"
            " there is no such list."
        )
    converter()
    check_target(out)
    study = None if is_bundle(source) else options.data_of(source)
    folder = None if study is None else study.folder
    with tempfile.TemporaryDirectory(prefix="believable-release-") as room:
        bundle, anonymous = Path(room) / "exact", Path(room) / "bundle"
        if study is None:
            shutil.copytree(source, bundle)
        else:
            export_now(study, bundle, options)
        exact = read(bundle)
        if exact.released is not None:
            raise InvalidInput(
                f"{source}: this dataset is a release already. Publish the study, or the bundle"
                " that `export` wrote."
            )
        known = recruiter_ids(study)
        seen = (*column_spots(bundle), *spots(bundle, known))
        listed = None if options.attack is None else _attack_list(options.attack, study, exact)
        taken = find_redactions(seen, options)
        receipts = redact(bundle, taken, known) if taken else 0
        record = registered.read(folder if folder is not None else source.parent)
        plan = plan_to_follow(folder)
        coarsened = coarsen(
            bundle,
            anonymous,
            key=_release_key(study),
            facts=exact_facts(read(bundle), plan, record),
            known=listed,
            precisions=PRECISIONS_WITH_TIMES if options.keep_times else PRECISIONS,
        )
        _report_attack(coarsened, options)
        check_leaks(coarsened, accepted=ATTACK in options.accept)
        verified = read(anonymous)
        facts = ReleaseFacts(
            title=verified.title,
            authors=tuple(options.author) or ("The researchers",),
            licence=chosen,
            accepted=tuple(spot for spot in seen if spot.id in options.accept),
            redacted=taken,
            new_receipts=receipts,
            stimuli=options.with_stimuli,
            times=coarsened.precision.text,
            arrival_by_seed=not verified.simulated and bool(arrival_by_seed(verified)),
            attack=tuple(attempt.text for attempt in coarsened.attempts),
        )
        build(
            out,
            bundle=anonymous,
            study=folder,
            analysis=run(verified, record, plan=plan),
            facts=facts,
            formats=formats,
        )
    if facts.arrival_by_seed:
        options.say(
            "Warning: the order of pages in this release shows the order in which people arrived,"
            " because an earlier version derived both from the study's seed. Anyone with a list of"
            " start times can use it."
        )
    return Release(folder=out, facts=facts, attacked=options.attack is not None)


def find_redactions(seen: Sequence[Spot], options: PublishOptions) -> tuple[Spot, ...]:
    """The places to take out; an error if one is neither taken out nor accepted."""
    ids = [spot.id for spot in seen]
    for name in (*options.accept, *options.redact):
        if name not in (ALL, ATTACK, *ids):
            raise UnknownName(
                f"{name!r}: nothing with this id was found. {did_you_mean(name, ids)}"
            )
    accepted = frozenset(options.accept)
    out = frozenset(ids if ALL in options.redact else options.redact) - accepted
    # a whole column cannot be redacted
    check_spots(
        seen, accepted, frozenset(spot.id for spot in seen if spot.question and spot.id in out)
    )
    return tuple(spot for spot in seen if spot.id in out)


def _report_attack(coarsened: CoarsenedBundle, options: PublishOptions) -> None:
    if coarsened.attempts:
        options.say("Attack with the platform's list (people found, in expectation):")
    for attempt in coarsened.attempts:
        options.say(f"  {attempt.text}")


def _release_key(study: StudyData | None) -> bytes:
    """Decides the random numbers of sessions: the study's key, or a fresh one for a dataset without
    its study.
    """
    return secrets.token_bytes(32) if study is None else load_key(study.settings.data_dir)


def _attack_list(source: AnyPath, study: StudyData | None, exact: Bundle) -> AttackList:
    """The platform's people, and the session of each: by the stored hashes, or by a column
    `session` of the list.
    """
    source = Path(source)
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
    name, people = study.name, exact["participants"]
    by_number = dict(
        zip(people["number"].values.tolist(), people["session"].values.tolist(), strict=True)
    )
    numbers: dict[str, list[int]] = {}
    with study.open() as store:
        for session in store.read(lambda conn: recruited_sessions(conn, name)):
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


def recruiter_ids(study: StudyData | None) -> Callable[[str], bool]:
    """Whether a word is the id of a participant, as far as the study's own database shows."""
    if study is None:
        return nobody
    name = study.name
    with study.open() as store:
        hashes = {
            session.recruiter_hash
            for session in store.read(lambda conn: recruited_sessions(conn, name))
        }
    if not hashes:
        return nobody
    key = load_key(study.settings.data_dir)
    return lambda word: participant_hash(key, name, word) in hashes

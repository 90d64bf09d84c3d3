"""`believable recruit`: match a platform's export with the sessions, and make personal links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import (
    ACTOR,
    FOLDER,
    PATH,
    StudyData,
    base_url_option,
    extensions_option,
    note,
    setting,
    study_argument,
    study_data_options,
)

if TYPE_CHECKING:
    from believable.collect.match import MatchResult, PlatformFile
    from believable.store.collected import Recruited
    from believable.store.engine import Store
    from believable.study.records import Recruit


@click.group()
def command() -> None:
    """Match a recruiting platform's export with the sessions.

    \b
    Example:
      believable recruit match prolific_export.csv --study my-study
      believable recruit links my-study --count 20
    """


@command.command(name="match")
@click.argument("export", type=PATH, metavar="PLATFORM.CSV")
@click.option("--study", required=True, type=PATH, help="The study's folder.")
@click.option(
    "--platform",
    type=click.Choice(["prolific", "connect", "sona", "mturk"]),
    help="Default: known by the columns.",
)
@click.option(
    "--column",
    metavar="NAME",
    help="The column with the participants' ids, if it has an unusual name.",
)
@click.option(
    "--bonus",
    type=click.FloatRange(min=0, min_open=True),
    help="Bonus for everybody approved, in the platform's currency.",
)
@click.option(
    "--bonus-if",
    metavar="PAGE.ANSWER",
    help=(
        "Only for those whose answer is yes, such as `auditory.reliable`: who passed the quality"
        " tests."
    ),
)
@click.option(
    "--screen-out-bonus",
    type=click.FloatRange(min=0, min_open=True),
    help="Bonus for everybody screened out.",
)
@click.option("--out", type=FOLDER, help="Default: beside the export, named after it.")
@study_data_options
@extensions_option
def match_command(
    export: Path,
    study: StudyData,
    platform: str | None,
    column: str | None,
    bonus: float | None,
    bonus_if: str | None,
    screen_out_bonus: float | None,
    out: Path | None,
) -> None:
    """Write approve, reject and bonus lists for a recruiting platform.

    The platform's ids are hashed here, with the study's own key, and compared with the stored
    hashes. They are written to the lists and nowhere else. Whatever is not clear goes to
    review.csv: nobody is paid or rejected on a guess.

    \b
    Example:
      believable recruit match prolific_export.csv --study my-study --bonus 0.50
      believable recruit match prolific_export.csv --study my-study --bonus 0.50 --bonus-if auditory.reliable
    """
    from believable.collect.context import load_key
    from believable.collect.match import match, read_platform

    name = study.name
    with study.open() as store:
        key = load_key(study.settings.data_dir)
        sessions, codes, recruit = _stored(store, name, key)
        earned = _earned(store, name, key, bonus, bonus_if)
        own_column = recruit.id_parameter if recruit.platform == "custom" else None
        file = read_platform(
            export, platform=platform, id_column=column or own_column, expected=recruit.platform
        )
        matched = match(file, sessions, key=key, study_id=name, codes=codes)
        note(store, f"matched the sessions with {export.name[:80]}", study=name, kind="export")
    target = out or export.with_name(f"{export.stem}-matched")
    written = write_lists(
        file, matched, target, bonus=bonus, screen_out_bonus=screen_out_bonus, earned=earned
    )
    click.echo(
        f"{file.layout.platform}: {len(file.submissions)} submissions, {len(sessions)} sessions"
        " with a recruiter's id"
    )
    for path, count in written:
        click.echo(f"  {count:>5}  {path}")
    if file.without_id:
        click.echo(
            f"  {len(file.without_id):>5}  rows without an id (lines"
            f" {', '.join(map(str, file.without_id[:10]))})"
        )
    if matched.absent:
        click.echo(f"  {matched.absent:>5}  sessions of people who are not in the file")


@command.command(name="links")
@study_argument
@setting("--count", type=click.IntRange(1, 10_000), default=20, help="How many links.")
@click.option(
    "--label", default="", help="A note kept with the links, such as the class or the mailing."
)
@base_url_option
@study_data_options
def links_command(study: StudyData, count: int, label: str, base_url: str | None) -> None:
    """Make personal links, each good for one session, and print them.

    \b
    Example:
      believable recruit links my-study --count 20 --label pilot --base-url https://study.example.org
    """
    from believable.core.ids import new_token
    from believable.store import studies
    from believable.store.audit_log import noted
    from believable.store.engine import Connection

    name, address = study.name, (base_url or study.settings.base_url).rstrip("/")
    tokens = [new_token() for _ in range(count)]

    def create(conn: Connection) -> None:
        studies.get(conn, name)
        for token in tokens:
            studies.create_link(
                conn, token=token, study=name, kind="personal", at_ms=now_ms, label=label
            )

    with study.open() as store:
        now_ms = store.clock.now_ms()
        store.write(
            noted(create, user=ACTOR, what=f"made {count} personal links", study=name, at_ms=now_ms)
        )
    for token in tokens:
        click.echo(f"{address}/join/{token}")


def _stored(
    store: Store, name: str, key: bytes
) -> tuple[Sequence[Recruited], dict[str, dict[str, str]], Recruit]:
    """The sessions that came from a recruiter, the completion codes of every definition, and how
    the study recruits now.
    """
    from believable.collect.match import codes_of
    from believable.pages import KINDS
    from believable.store import studies
    from believable.store.collected import recruited, study_record
    from believable.study.definition import Definition

    sessions = store.read(lambda conn: recruited(conn, name))
    bodies = store.read(lambda conn: study_record(conn, name, simulated=False)).definitions
    current = store.read(lambda conn: studies.get(conn, name)).definition
    parsed = {digest: Definition.from_json(body, KINDS) for digest, body in bodies.items()}
    codes = {
        digest: codes_of(definition.study, key=key, study_id=name)
        for digest, definition in parsed.items()
    }
    return sessions, codes, parsed[current].study.recruit


def _earned(
    store: Store, name: str, key: bytes, bonus: float | None, rule: str | None
) -> Callable[[str], bool]:
    """Who among the approved gets the bonus: everybody, or those with a yes on the page that the
    rule names.
    """
    from believable.collect.recruiting import participant_hash
    from believable.core.errors import InvalidInput
    from believable.store.collected import answered_true

    if rule is None:
        return lambda participant: True
    trial, _, answer = rule.partition(".")
    if bonus is None or not trial or not answer:
        raise InvalidInput(
            f"--bonus-if: expected `PAGE.ANSWER` together with --bonus, got {rule!r}. Write both."
        )
    hashes = store.read(lambda conn: answered_true(conn, name, trial, answer))
    return lambda participant: participant_hash(key, name, participant) in hashes


def write_lists(
    file: PlatformFile,
    matched: MatchResult,
    folder: Path,
    *,
    bonus: float | None,
    screen_out_bonus: float | None,
    earned: Callable[[str], bool] = lambda participant: True,
) -> list[tuple[Path, int]]:
    """One file per list that has somebody in it, readable by the owner only: it names people."""
    from believable.bundle.cells import csv_line, neutralised
    from believable.collect.match import LISTS

    folder.mkdir(parents=True, exist_ok=True)
    written: list[tuple[Path, int]] = []
    for name in LISTS:
        lines = [
            csv_line(
                [
                    own.participant,
                    own.submission,
                    own.status,
                    judged.outcome,
                    neutralised(judged.reason),
                ]
            )
            for judged in matched.of(name)
            for own in (judged.submission,)
        ]
        header = [file.id_column, "submission", "platform_status", "outcome", "reason"]
        written += _write(folder / f"{name}.csv", lines, csv_line(header))
    amounts = {"approve": bonus, "screened_out": screen_out_bonus}
    paid = [
        csv_line([judged.submission.participant, f"{amount:.2f}"])
        for name, amount in amounts.items()
        if amount is not None
        for judged in matched.of(name)
        if name != "approve" or earned(judged.submission.participant)
    ]
    written += _write(folder / "bonus.csv", paid)
    if file.layout.platform == "mturk":
        written += _write(folder / "mturk_upload.csv", *_mturk(file, matched))
    return written


def _mturk(file: PlatformFile, matched: MatchResult) -> tuple[list[str], str]:
    """The requester site takes the batch file back with two more columns."""
    from believable.bundle.cells import csv_line, neutralised

    header = [name for name in file.header if name not in ("Approve", "Reject")]
    lines = []
    for judged in (*matched.of("approve"), *matched.of("reject")):
        verdict = ["x", ""] if judged.list == "approve" else ["", neutralised(judged.reason)]
        lines.append(csv_line([*(judged.submission.cells[name] for name in header), *verdict]))
    return lines, csv_line([*header, "Approve", "Reject"])


def _write(path: Path, lines: Sequence[str], header: str = "") -> Iterable[tuple[Path, int]]:
    from believable.core.whole_files import whole_file, writing

    with writing(path):
        path.unlink(missing_ok=True)
    if not lines:
        return []
    with whole_file(path, 0o600) as draft:
        draft.write_text(header + "".join(lines), encoding="utf-8", newline="")
    return [(path, len(lines))]

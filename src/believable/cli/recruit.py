"""`believable recruit`: match a platform's export with the sessions, and make personal links."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import data_options, settings_for, study_folder
from believable.core.errors import NotFound

if TYPE_CHECKING:
    from believable.collect.match import Matched, PlatformFile
    from believable.store.export import Recruited
    from believable.study.records import Recruit
    from believable.web.settings import Settings


@click.group()
def command() -> None:
    """Match a recruiting platform's export with the sessions.

    \b
    Example:
      believable recruit match prolific_export.csv --study my-study
      believable recruit links my-study --count 20
    """


@command.command(name="match")
@click.argument("export", type=click.Path(path_type=Path), metavar="PLATFORM.CSV")
@click.option("--study", required=True, type=click.Path(path_type=Path), help="The study's folder.")
@click.option(
    "--platform",
    type=click.Choice(["prolific", "connect", "sona", "mturk"]),
    help="Default: known by the columns.",
)
@click.option(
    "--column", metavar="NAME", help="The column with the participants' ids, if it has an unusual name."
)
@click.option(
    "--bonus",
    type=click.FloatRange(min=0, min_open=True),
    help="Bonus for everybody approved, in the platform's currency.",
)
@click.option(
    "--screen-out-bonus",
    type=click.FloatRange(min=0, min_open=True),
    help="Bonus for everybody screened out.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Default: beside the export, named after it.",
)
@data_options
def match_command(
    export: Path,
    study: Path,
    platform: str | None,
    column: str | None,
    bonus: float | None,
    screen_out_bonus: float | None,
    out: Path | None,
    data: Path | None,
    database: str | None,
) -> None:
    """Write approve, reject and bonus lists for a recruiting platform.

    The platform's ids are hashed here, with the study's own key, and compared with the stored hashes. They are written to the
    lists and nowhere else. Whatever is not clear goes to review.csv: nobody is paid or rejected on a guess.

    \b
    Example:
      believable recruit match prolific_export.csv --study my-study --bonus 0.50
    """
    from believable.collect.match import match, read_platform
    from believable.collect.secret import load_key
    from believable.web.publish import study_id

    folder = study_folder(study)
    settings = settings_for([folder], data, database)
    _must_exist(settings)
    name = study_id(folder)
    key = load_key(settings.data_dir)
    sessions, codes, recruit = _stored(settings, name, key)
    own_column = recruit.id_parameter if recruit.platform == "custom" else None
    file = read_platform(export, platform=platform, id_column=column or own_column, expected=recruit.platform)
    found = match(file, sessions, key=key, study_id=name, codes=codes)
    target = out or export.with_name(f"{export.stem}-matched")
    written = write_lists(file, found, target, bonus=bonus, screen_out_bonus=screen_out_bonus)
    click.echo(
        f"{file.layout.platform}: {len(file.submissions)} submissions, {len(sessions)} sessions with a recruiter's id"
    )
    for path, count in written:
        click.echo(f"  {count:>5}  {path}")
    if file.without_id:
        click.echo(
            f"  {len(file.without_id):>5}  rows without an id (lines {', '.join(map(str, file.without_id[:10]))})"
        )
    if found.absent:
        click.echo(f"  {found.absent:>5}  sessions of people who are not in the file")


@command.command(name="links")
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "--count", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many links."
)
@click.option("--label", default="", help="A note kept with the links, such as the class or the mailing.")
@click.option(
    "--base-url", default="http://127.0.0.1:8000", show_default=True, help="The address people use."
)
@data_options
def links_command(
    study: Path, count: int, label: str, base_url: str, data: Path | None, database: str | None
) -> None:
    """Make personal links, each good for one session, and print them.

    \b
    Example:
      believable recruit links my-study --count 20 --label pilot --base-url https://study.example.org
    """
    from believable.core.clock import WallClock
    from believable.core.ids import new_token
    from believable.store import links, studies
    from believable.store.engine import Connection, Store
    from believable.web.publish import study_id

    folder = study_folder(study)
    settings = settings_for([folder], data, database, base_url)
    _must_exist(settings)
    name, clock = study_id(folder), WallClock()
    tokens = [new_token() for _ in range(count)]

    def create(conn: Connection) -> None:
        studies.get(conn, name)
        for token in tokens:
            links.create(conn, token=token, study=name, kind="personal", at_ms=clock.now_ms(), label=label)

    with Store.open(settings.url, clock=clock) as store:
        store.write(create)
    for token in tokens:
        click.echo(f"{settings.base_url}/join/{token}")


def _must_exist(settings: Settings) -> None:
    if settings.database_url is None and not (settings.data_dir / "believable.db").exists():
        raise NotFound(
            f"{settings.data_dir}: there is no database here. Serve the study first: believable serve STUDY"
        )


def _stored(
    settings: Settings, name: str, key: bytes
) -> tuple[Sequence[Recruited], dict[str, dict[str, str]], Recruit]:
    """The sessions that came from a recruiter, the completion codes of every definition, and how the study recruits now."""
    from believable.collect.match import codes_of
    from believable.core.clock import WallClock
    from believable.instruments import INSTRUMENTS
    from believable.store import studies
    from believable.store.engine import Store
    from believable.store.export import recruited, study_record
    from believable.study.definition import Definition

    with Store.open(settings.url, clock=WallClock()) as store:
        sessions = store.read(lambda conn: recruited(conn, name))
        bodies = store.read(lambda conn: study_record(conn, name, simulated=False)).definitions
        current = store.read(lambda conn: studies.get(conn, name)).definition
    parsed = {digest: Definition.from_json(body, INSTRUMENTS) for digest, body in bodies.items()}
    codes = {digest: codes_of(one.study, key=key, study_id=name) for digest, one in parsed.items()}
    return sessions, codes, parsed[current].study.recruit


def write_lists(
    file: PlatformFile, found: Matched, folder: Path, *, bonus: float | None, screen_out_bonus: float | None
) -> list[tuple[Path, int]]:
    """One file per list that has somebody in it, readable by the owner only: it names people."""
    from believable.bundle.cells import csv_line, neutralised
    from believable.collect.match import LISTS

    folder.mkdir(parents=True, exist_ok=True)
    written: list[tuple[Path, int]] = []
    for name in LISTS:
        rows = [
            [
                one.submission.participant,
                one.submission.submission,
                one.submission.status,
                one.outcome,
                neutralised(one.reason),
            ]
            for one in found.of(name)
        ]
        header = [file.id_column, "submission", "platform_status", "outcome", "reason"]
        written += _write(folder / f"{name}.csv", [csv_line(row) for row in rows], csv_line(header))
    amounts = {"approve": bonus, "screened_out": screen_out_bonus}
    paid = [
        csv_line([one.submission.participant, f"{amount:.2f}"])
        for name, amount in amounts.items()
        if amount is not None
        for one in found.of(name)
    ]
    written += _write(folder / "bonus.csv", paid)
    if file.layout.platform == "mturk":
        written += _write(folder / "mturk_upload.csv", *_mturk(file, found))
    return written


def _mturk(file: PlatformFile, found: Matched) -> tuple[list[str], str]:
    """The requester site takes the batch file back with two more columns."""
    from believable.bundle.cells import csv_line, neutralised

    header = [name for name in file.header if name not in ("Approve", "Reject")]
    lines = []
    for one in (*found.of("approve"), *found.of("reject")):
        verdict = ["x", ""] if one.list == "approve" else ["", neutralised(one.reason)]
        lines.append(csv_line([*(one.submission.cells[name] for name in header), *verdict]))
    return lines, csv_line([*header, "Approve", "Reject"])


def _write(path: Path, lines: Sequence[str], header: str = "") -> Iterable[tuple[Path, int]]:
    path.unlink(missing_ok=True)
    if not lines:
        return []
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(header + "".join(lines))
    return [(path, len(lines))]

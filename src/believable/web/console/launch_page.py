"""Before a study opens: finished and open tasks; while it runs: the remaining time and money."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from starlette.responses import Response

from believable.analysis import registered
from believable.analysis.power_record import PowerRecord, read_power, share_words
from believable.contracts.trial import outline
from believable.core.errors import BelievableError, Problem
from believable.core.processes import FunctionElsewhere, in_child
from believable.giveaways.certificate import Certificate
from believable.stimuli.verify import definition_problems, study_problems
from believable.store import monitor, studies
from believable.store.backups import last_backup_ms
from believable.store.monitor import CompletionRate
from believable.store.studies import StudyRow
from believable.study.definition import Definition
from believable.study.platforms import Recruit
from believable.study.records import Study
from believable.web.console.console_page import RESEARCHERS, ConsoleVisit, Route
from believable.web.console.studies_page import current_certificate, the_study

#: Needs the analyses, which the server does not load: runs in a separate process, once per
#: definition.
PLAN_DIGEST = FunctionElsewhere("believable.web.results_worker", "plan_digest")
#: Less free space than this needs attention before people arrive.
LEAST_FREE_BYTES = 2 * 10**9
BACKUP_AGE_MS = 7 * 86_400_000
_CONTACT = re.compile(r"[\w.+-]+@[\w-]+\.\w+|https?://|\+?\d[\d ()/-]{6,}\d")


@dataclass(frozen=True, slots=True)
class LaunchItem:
    """One line of the list. `done` is None if only a person can decide."""

    title: str
    done: bool | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Whereabouts:
    """Facts about the machine, for the list."""

    base_url: str
    free_bytes: int
    backup_age_ms: int | None
    registered_on: str | None
    has_study_folder: bool = True
    powered: PowerRecord | None = None
    plan: str | None = None
    certificate: Certificate | None = None


def check_item(problems: Sequence[Problem], *, whole: bool) -> LaunchItem:
    """What `believable check` says, in one line; `whole`: media files were looked at as well."""
    wrong = [
        problem for problem in problems if problem.severity in ("error", "warning", "unchecked")
    ]
    looked = "The study's file, its pages, its arms" + (" and its media" if whole else "")
    if not wrong:
        return LaunchItem("Checked", True, f"{looked} are in order.")
    errors = sum(problem.severity == "error" for problem in wrong)
    kind = f"{errors} of them must be fixed" if errors else "none of them stops the study"
    return LaunchItem("Checked", False, f"{len(wrong)} to look at, {kind}; they are listed below.")


def blinding_item(study: Study, where: Whereabouts) -> LaunchItem:
    """The blinding certificate, and whether it stops the launch."""
    if len({stimulus.condition for stimulus in study.stimuli} - {None}) < 2:
        return LaunchItem("Blinding", None, "No two conditions are shown.")
    if not where.has_study_folder:
        words = "The server was started without the study's folder, where the certificate would be."
        return LaunchItem("Blinding", None, words)
    kept = where.certificate
    if kept is None:
        words = "Nobody has looked for giveaways in these stimuli. Run `believable giveaways`."
        return LaunchItem("Blinding", False, words)
    if kept.stops_launch:
        words = (
            f"{kept.sentence} {'; '.join(kept.artifacts)}. The study cannot be opened: remove them,"
            " or run `believable giveaways` with --accept and the reason."
        )
        return LaunchItem("Blinding", False, words)
    return LaunchItem("Blinding", True, kept.sentence)


def consent_item(study: Study) -> LaunchItem:
    pages = [entry for entry in outline(study.timeline) if entry.item.kind == "consent"]
    if not pages:
        return LaunchItem(
            "Consent", False, "There is no consent page. Put one at the beginning of the timeline."
        )
    return LaunchItem("Consent", True, "People agree before anything is asked.")


def contact_item(study: Study, pages: Mapping[str, str]) -> LaunchItem:
    words = f"{study.model_dump_json()} {' '.join(pages.values())}"
    known = bool(_CONTACT.search(words))
    cure = (
        "No page contains an e-mail address, a telephone number or a web address. Say whom people"
        " can ask."
    )
    return LaunchItem("Contact", known, "A page says whom people can ask." if known else cure)


def ending_item(study: Study) -> LaunchItem:
    """A code or a return address, if people arrive from a platform."""
    closing = study.timeline[-1].closing
    if closing and (closing.codes or "complete" in closing.addresses or closing.platform):
        return LaunchItem("Code or way back", True, "Who completes gets a code or is sent back.")
    if study.recruit.platform == "none":
        return LaunchItem(
            "Code or way back",
            None,
            "None is set. That is right only if no platform pays participants.",
        )
    words = (
        f"People come from {study.recruit.platform}, but get neither a code nor a way back. Set it"
        " in `finish`."
    )
    return LaunchItem("Code or way back", False, words)


def tried_item(sizes: Mapping[str, int]) -> LaunchItem:
    n_simulated, n_preview = sizes.get("simulated", 0), sizes.get("preview", 0)
    if n_simulated or n_preview:
        return LaunchItem("Tried", True, f"Sessions: {n_simulated} simulated, {n_preview} preview.")
    return LaunchItem(
        "Tried",
        False,
        "It has no sessions yet. Open the preview link, or run `believable simulate`.",
    )


def registered_item(study: Study, where: Whereabouts) -> LaunchItem:
    if study.analysis is None:
        return LaunchItem(
            "Preregistered",
            None,
            "The study declares no analysis, so there is no plan to put on record.",
        )
    if not where.has_study_folder:
        words = "The server was started without the study's folder, where the record would be."
        return LaunchItem("Preregistered", None, words)
    if where.registered_on is None:
        return LaunchItem(
            "Preregistered", False, "The plan is not on record. Run `believable preregister`."
        )
    return LaunchItem(
        "Preregistered",
        True,
        f"The plan is on record since {where.registered_on or 'an unknown day'}.",
    )


def backup_item(where: Whereabouts) -> LaunchItem:
    if where.backup_age_ms is None:
        return LaunchItem(
            "Backup", False, "There is none. Run `believable backup`, best every night."
        )
    days = where.backup_age_ms // 86_400_000
    words = f"The latest is {days} days old." if days else "The latest is of today."
    return LaunchItem("Backup", where.backup_age_ms <= BACKUP_AGE_MS, words)


def disk_item(where: Whereabouts) -> LaunchItem:
    words = f"{where.free_bytes / 10**9:.1f} GB are free where the data are kept."
    return LaunchItem("Disk space", where.free_bytes >= LEAST_FREE_BYTES, words)


def address_item(base_url: str) -> LaunchItem:
    parts = urlsplit(base_url)
    try:
        local = ipaddress.ip_address(parts.hostname or "").is_private
    except ValueError:
        local = parts.hostname in (None, "localhost") or "." not in (parts.hostname or "")
    if local:
        return LaunchItem(
            "Address",
            False,
            f"Links lead to {base_url}, which others cannot reach. Serve with --base-url.",
        )
    if parts.scheme != "https":
        return LaunchItem(
            "Address", False, f"{base_url} is not encrypted. Put a proxy with HTTPS in front."
        )
    return LaunchItem("Address", True, f"Links lead to {base_url}.")


def limit_item(study: Study) -> LaunchItem:
    if study.recruit.limit is None:
        return LaunchItem("Number of people", False, "No limit is set. Set recruit.limit.")
    return LaunchItem("Number of people", True, f"Up to {study.recruit.limit} people.")


def power_item(study: Study, where: Whereabouts) -> LaunchItem:
    """Whether power was simulated, for this plan, with its numbers nearest to the limit."""
    if study.analysis is None:
        return LaunchItem(
            "Power", None, "The study declares no analysis whose power could be simulated."
        )
    if not where.has_study_folder:
        words = "The server was started without the study's folder, where the result would be."
        return LaunchItem("Power", None, words)
    record = where.powered
    if record is None:
        return LaunchItem("Power", False, "It has not been simulated. Run `believable power`.")
    day = record.simulated_on[:10]
    if record.plan != where.plan:
        return LaunchItem(
            "Power",
            False,
            f"Simulated on {day}, for another form of the plan. Run `believable power`.",
        )
    wanted = study.recruit.limit
    size = max(
        (size for size in record.sizes if wanted is None or size <= wanted), default=record.sizes[0]
    )
    shares = "; ".join(
        f"{point.what} {share_words(point, record.studies)}" for point in record.at(size)
    )
    words = f"Simulated on {day}, {record.studies} studies: with {size} participants {shares}."
    return LaunchItem("Power", True, words)


def launch_items(
    study: Study,
    pages: Mapping[str, str],
    sizes: Mapping[str, int],
    where: Whereabouts,
    checked: LaunchItem,
) -> list[LaunchItem]:
    """The whole list, in the order in which things are usually done. Pure."""
    return [
        checked,
        consent_item(study),
        contact_item(study, pages),
        ending_item(study),
        blinding_item(study, where),
        tried_item(sizes),
        limit_item(study),
        power_item(study, where),
        registered_item(study, where),
        backup_item(where),
        disk_item(where),
        address_item(where.base_url),
    ]


def whereabouts(visit: ConsoleVisit, study: StudyRow) -> Whereabouts:
    """Reads the disk: call it in a thread."""
    data_dir = visit.console.media_dir.parent
    backed_up_ms = last_backup_ms(data_dir)
    age_ms = None if backed_up_ms is None else visit.now_ms - backed_up_ms
    folder = visit.console.study_folders.get(study.id)
    record = None if folder is None else _registered_sentence(folder)
    powered = None if folder is None else _power_record(folder)
    return Whereabouts(
        base_url=visit.console.base_url,
        free_bytes=shutil.disk_usage(data_dir).free,
        backup_age_ms=None if age_ms is None else max(0, age_ms),
        registered_on=record,
        has_study_folder=folder is not None,
        powered=powered,
    )


async def plan_name(visit: ConsoleVisit, definition: Definition) -> str | None:
    """Identifies the plan of a definition: stored with it, computed on first use."""
    digest = definition.hash
    if definition.study.analysis is None:
        return None
    name = await visit.read(lambda conn: studies.definition_plan(conn, digest))
    if name is None:
        name = str(await asyncio.to_thread(in_child, PLAN_DIGEST, definition.to_json()))
        kept = name
        await visit.console.store.awrite(
            lambda conn: studies.keep_definition_plan(conn, digest, kept)
        )
    return name


def _registered_sentence(folder: Path) -> str | None:
    try:
        record = registered.read(folder)
    except BelievableError:
        return None
    return None if record is None else record.registered_on


def _power_record(folder: Path) -> PowerRecord | None:
    try:
        return read_power(folder)
    except BelievableError:
        return None


def checked_problems(
    visit: ConsoleVisit, study: StudyRow, definition: Definition, *, media: bool
) -> list[Problem]:
    """What `believable check` says of the study's folder; without one, of the study that is served.
    Reads the disk.
    """
    folder = visit.console.study_folders.get(study.id)
    if folder is None:
        return definition_problems(definition)
    return study_problems(folder, media=media)


@dataclass(frozen=True, slots=True)
class MoneyLeft:
    """The cost of complete sessions and, if there is a limit, the expected cost of the others."""

    spent: float
    left: float | None
    currency: str


def money_left(recruit: Recruit, complete: int) -> MoneyLeft | None:
    """Pure. None if the study does not state the cost of a session."""
    if recruit.payment is None:
        return None
    left = None if recruit.limit is None else max(0, recruit.limit - complete) * recruit.payment
    return MoneyLeft(complete * recruit.payment, left, recruit.currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLeft:
    """The progress of the study. `ends_ms` is when the limit is reached if people arrive as in the
    last week.
    """

    complete: int
    under_way: int
    limit: int | None
    per_day: float
    ends_ms: int | None


def time_left(
    complete: int, under_way: int, limit: int | None, completion_rate: CompletionRate, now_ms: int
) -> TimeLeft:
    """Pure. Without a limit, or without recent completions, the end is unknown."""
    per_day = (
        completion_rate.n_complete / (completion_rate.window_ms / 86_400_000)
        if completion_rate.window_ms
        else 0.0
    )
    left = None if limit is None else max(0, limit - complete)
    ends_ms = (
        now_ms + int(left / per_day * 86_400_000)
        if left and per_day
        else now_ms
        if left == 0
        else None
    )
    return TimeLeft(
        complete=complete, under_way=under_way, limit=limit, per_day=per_day, ends_ms=ends_ms
    )


async def page(visit: ConsoleVisit) -> Response:
    study, now_ms = await the_study(visit), visit.now_ms
    definition = await visit.definition(study.definition)
    sizes = await visit.read(lambda conn: monitor.pool_sizes(conn, study.id))
    where = await asyncio.to_thread(whereabouts, visit, study)
    if where.powered is not None:
        where = replace(where, plan=await plan_name(visit, definition))
    kept = await asyncio.to_thread(current_certificate, visit, study, definition)
    where = replace(where, certificate=kept)
    media = visit.query("media") == "yes"
    problems = await asyncio.to_thread(checked_problems, visit, study, definition, media=media)
    groups = await visit.read(lambda conn: monitor.groups(conn, study.id, "real", now_ms=now_ms))
    completion_rate = await visit.read(
        lambda conn: monitor.completion_rate(conn, study.id, "real", now_ms=now_ms)
    )
    checked = check_item(problems, whole=media and where.has_study_folder)
    items = launch_items(definition.study, definition.pages, sizes, where, checked)
    complete = sum(group.n_sessions for group in groups if group.complete)
    return visit.render(
        "launch.html",
        study=study,
        items=items,
        n_open=sum(item.done is False for item in items),
        left=time_left(
            complete,
            sum(group.n_sessions for group in groups if group.running),
            definition.study.recruit.limit,
            completion_rate,
            now_ms,
        ),
        money=money_left(definition.study.recruit, complete),
        problems=[problem for problem in problems if problem.severity != "note"],
        with_folder=where.has_study_folder,
        with_media=media,
        median_ms=await visit.read(lambda conn: monitor.median_duration_ms(conn, study.id, "real")),
    )


ROUTES = (
    Route(
        method="GET",
        path="/studies/{study}/checklist",
        access=RESEARCHERS,
        answer=page,
        tab="Checklist",
    ),
)

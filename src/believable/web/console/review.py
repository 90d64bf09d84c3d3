"""The review queue: one free-text answer at a time, with hints, blind to condition and arm, decided by keyboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.store import review
from believable.store.monitor import link_kinds
from believable.store.studies import StudyRow
from believable.web.console.desk import RESEARCHERS, Page, Visit
from believable.web.console.guard import PATH
from believable.web.console.hints import HINT_KINDS
from believable.web.console.monitor import POOL_WORDS
from believable.web.console.queue import Item, queue
from believable.web.console.studies import the_study

TEXT_CHARACTERS = 20_000
#: Items listed beside the one being read.
LISTED = 30
REASON_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Preset:
    """A decision with its reason, chosen by its number on the keyboard. Without words, the reason must be typed."""

    name: str
    kind: str
    words: str


PRESETS: tuple[Preset, ...] = (
    Preset("genuine", "keep", "reads as a genuine answer"),
    Preset("brief", "keep", "short but to the point"),
    Preset("keep_other", "keep", ""),
    Preset("copied", "exclude_text", "copied from elsewhere"),
    Preset("nonsense", "exclude_text", "nonsense"),
    Preset("off_topic", "exclude_text", "not about what was shown"),
    Preset("exclude_other", "exclude_text", ""),
)


@dataclass(frozen=True, slots=True)
class View:
    """Which part of the queue is looked at."""

    pool: str
    show: str
    hint: str

    def takes(self, item: Item) -> bool:
        if self.hint and all(hint.kind != self.hint for hint in item.hints):
            return False
        decided = item.decision is not None
        return {
            "hinted": bool(item.hints) and not decided,
            "undecided": not decided,
            "decided": decided,
            "all": True,
        }[self.show]

    def address(self, study: str, at: str = "") -> str:
        fields = {"pool": self.pool, "show": self.show, "hint": self.hint, "at": at}
        return f"{PATH}/studies/{study}/review?{urlencode({k: v for k, v in fields.items() if v})}"


SHOWS: Mapping[str, str] = {
    "hinted": "With hints, undecided",
    "undecided": "All undecided",
    "decided": "Decided",
    "all": "All",
}


def the_view(fields: Mapping[str, str]) -> View:
    view = View(fields.get("pool") or "real", fields.get("show") or "hinted", fields.get("hint") or "")
    link_kinds(view.pool)
    if view.show not in SHOWS:
        raise InvalidInput(
            f"show: unknown part of the queue {view.show[:40]!r}. {did_you_mean(view.show, SHOWS)}"
        )
    if view.hint and view.hint not in HINT_KINDS:
        raise InvalidInput(f"hint: unknown hint {view.hint[:40]!r}. {did_you_mean(view.hint, HINT_KINDS)}")
    return view


async def the_queue(visit: Visit, study: StudyRow, pool: str) -> list[Item]:
    console = visit.console
    return await visit.read(lambda conn: queue(conn, console.collect, console.hints, study.id, pool))


async def page(visit: Visit) -> Response:
    study, view = await the_study(visit), the_view(visit.request.query_params)
    everything = await the_queue(visit, study, view.pool)
    shown = [item for item in everything if view.takes(item)]
    at = next((i for i, item in enumerate(shown) if item.name == visit.query("at")), 0)
    start = max(0, at - LISTED // 3)
    return visit.render(
        "review.html",
        study=study,
        view=view,
        pools=POOL_WORDS,
        shows=SHOWS,
        hint_kinds=HINT_KINDS,
        presets=PRESETS,
        item=shown[at] if shown else None,
        before=shown[at - 1] if shown and at > 0 else None,
        after=shown[at + 1] if at + 1 < len(shown) else None,
        listed=shown[start : start + LISTED],
        n_shown=len(shown),
        at=at,
        n_all=len(everything),
        n_decided=sum(item.decision is not None for item in everything),
        n_excluded=sum(
            item.decision is not None and item.decision.kind == "exclude_text" for item in everything
        ),
        most=TEXT_CHARACTERS,
    )


def reason_from(form: Mapping[str, str]) -> tuple[Preset, str]:
    """The decision and its reason in words. Pure."""
    chosen = next((one for one in PRESETS if one.name == form.get("preset", "")), None)
    if chosen is None:
        raise InvalidInput("decision: expected one of the listed ones, got none. Choose one with its number.")
    note = form.get("note", "").strip()
    if len(note) > REASON_CHARACTERS:
        raise InvalidInput(
            f"reason: expected at most {REASON_CHARACTERS} characters, got {len(note)}. Shorten it."
        )
    reason = ": ".join(part for part in (chosen.words, note) if part)
    if not reason:
        raise InvalidInput("reason: expected some words, got none. Say why in the field below the decision.")
    return chosen, reason


def following(items: Sequence[Item], name: str) -> str:
    """The item after this one, or nothing at the end."""
    names = [item.name for item in items]
    i = names.index(name) + 1
    return names[i] if i < len(names) else ""


async def decide(visit: Visit) -> Response:
    study, view = await the_study(visit), the_view(visit.form)
    chosen, reason = reason_from(visit.form)
    everything = await the_queue(visit, study, view.pool)
    item = next((one for one in everything if one.name == visit.form.get("item")), None)
    if item is None:
        raise NotFound(
            "that answer is not there any more; its session may have been withdrawn. Open the queue again."
        )
    at_ms = visit.now_ms
    await visit.change(
        lambda conn: review.decide(
            conn,
            session=item.answer.session,
            answer=item.target,
            kind=chosen.kind,
            reason=reason,
            user=visit.user,
            at_ms=at_ms,
        ),
        f"decided to {'keep' if chosen.kind == 'keep' else 'exclude'} answer {item.name}: {reason}",
        study=study.id,
    )
    shown = [one for one in everything if view.takes(one) or one.name == item.name]
    return RedirectResponse(view.address(study.id, following(shown, item.name)), 303)


PAGES = (
    Page("GET", "/studies/{study}/review", RESEARCHERS, page),
    Page("POST", "/studies/{study}/review", RESEARCHERS, decide),
)

"""The current trial as the browser gets it. Nothing here may name a condition, arm, scenario, stimulus, file or right answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from believable.collect.desk import SessionView
from believable.collect.media import ShownMedium
from believable.collect.seen import Seen
from believable.instruments import INSTRUMENTS
from believable.players import PLAYERS
from believable.study.plan import PlannedTrial
from believable.study.progress import page_questions
from believable.study.records import (
    Break,
    Compare,
    Consent,
    Controls,
    Finish,
    Group,
    Play,
    Practice,
    Qa,
    Question,
    Text,
    Trial,
    Watch,
)
from believable.study.rules import holds
from believable.study.texts import Texts
from believable.web.pages import fragment
from believable.web.participant import annotation, markdown, play, quality, several
from believable.web.participant.questions import QuestionView, client_rule, localised, view

_TITLES = {
    "watch": "watch.title",
    "compare": "compare.title",
    "group": "group.title",
    "rate": "rate.title",
    "check": "check.title",
    "break": "break.title",
    "practice": "practice.title",
    "device": "device.title",
    "qa": "qa.title",
}


@dataclass(frozen=True, slots=True)
class Box:
    """A consent box."""

    id: str
    label: str


def trial_json(session: SessionView, *, base: str, now_ms: int) -> dict[str, Any]:
    """Everything the page needs to show the current trial, and to go on from a reload."""
    if session.finished is not None:
        return _frame(session, "finished", finished_html(session))
    trial = session.trial.trial
    if isinstance(trial, Finish):
        return _frame(session, "finish", fragment("participant/sending.html", texts=texts_of(session)))
    asked = shown_questions(session)
    views = _views(session, [question for question, _ in asked])
    kinds = dict.fromkeys(one.kind for one in views)
    kinds.update(dict.fromkeys(annotation.kinds(trial)))
    players = [
        PLAYERS[name] for name in dict.fromkeys(one.player for one in (*session.media, *session.stills))
    ]
    return {
        **_frame(session, trial.kind, _html(session, views)),
        "styles": [f"/static/instruments/{kind}/widget.css" for kind in kinds if _has_style(kind)]
        + [f"/static/players/{one.name}/{one.style}" for one in players]
        + (["/static/participant/overlay.css"] if _opens_beside(trial) else [])
        + (["/static/participant/several.css"] if isinstance(trial, Compare | Group) else [])
        + quality.styles(trial)
        + play.styles(trial),
        "modules": {kind: f"/static/instruments/{kind}/widget.js" for kind in kinds}
        | {one.name: f"/static/players/{one.name}/{one.module}" for one in players}
        | quality.modules(trial),
        "media": _media(session.media, base),
        "stills": _media(session.stills, base),
        "questions": [_question(question, rule, session.language) for question, rule in asked],
        "boxes": [item.id for item in trial.require] if isinstance(trial, Consent) else [],
        "drafts": {one.id: session.drafts[one.id] for one in views if one.id in session.drafts},
        "orders": {one.id: order for one in views if (order := one.order()) is not None},
        "controls": _controls(trial.controls) if isinstance(trial, Watch | Compare | Group | Qa) else None,
        "overlay": trial.overlay.model_dump() if isinstance(trial, Watch) else None,
        "wait_s": _wait_s(session, now_ms),
        **annotation.trial_json(session),
        **several.trial_json(session),
        **quality.trial_json(session),
        **play.trial_json(session),
    }


def texts_of(session: SessionView) -> Texts:
    return Texts(session.definition.study, session.language)


def shown_questions(session: SessionView) -> list[tuple[Question, dict[str, Any] | None]]:
    """The questions of the page with the rule the browser has to follow; those already ruled out are not there at all."""
    planned = session.trial
    found: list[tuple[Question, dict[str, Any] | None]] = []
    for question in page_questions(planned.trial):
        rule = client_rule(question.show_if, planned) if question.show_if else None
        if (
            rule is not None
            or question.show_if is None
            or holds(question.show_if, session.answers, session.arms)
        ):
            found.append((question, rule))
    return found


def finished_html(session: SessionView) -> Markup:
    """The last page. The author's own words are for those who went through to the end."""
    end, finish = session.finished, session.plan[-1].trial
    assert end is not None
    own = end.outcome == "complete" and isinstance(finish, Finish)
    return fragment(
        "participant/finished.html",
        texts=texts_of(session),
        outcome=end.outcome,
        prose=_prose(session, session.plan[-1]) if own else None,
        code=end.code,
        redirect=end.redirect,
        receipt=end.receipt,
    )


def _frame(session: SessionView, kind: str, html: Markup) -> dict[str, Any]:
    seen = session.seen[0] if session.seen else Seen()
    empty: dict[str, Any] = {
        "styles": [],
        "modules": {},
        "media": [],
        "stills": [],
        "questions": [],
        "boxes": [],
        "drafts": {},
        "orders": {},
        "controls": None,
        "overlay": None,
        "opened": sorted(session.opened),
        "seen": {"views": seen.views, "position_ms": seen.position_ms},
        "several": None,
        "device": None,
        "signal": None,
        "play": None,
        "wait_s": 0,
        "annotate": None,
        "saved": [],
        "streams": [],
    }
    return {"position": session.position, "total": len(session.plan), "kind": kind, "html": html, **empty}


def _views(session: SessionView, questions: Sequence[Question]) -> list[QuestionView]:
    texts, labels = texts_of(session), several.labels(session.trial.trial)
    return [
        view(
            one,
            position=session.position,
            language=session.language,
            texts=texts,
            seed=session.seed,
            labels=labels,
            stills=bool(labels or session.stills),
        )
        for one in questions
    ]


def _html(session: SessionView, views: Sequence[QuestionView]) -> Markup:
    trial, texts = session.trial.trial, texts_of(session)
    prose = _prose(session, session.trial)
    return fragment(
        "participant/trial.html",
        kind=trial.kind,
        title=_title(session, prose),
        study_title=session.definition.study.title.in_language(session.language),
        prose=prose,
        boxes=_boxes(trial, texts, session.language) if isinstance(trial, Consent) else (),
        questions=several.about_page(trial, views),
        panes=several.panes(trial, views, texts),
        first_words=several.first_words(trial, texts),
        annotate=annotation.shown(trial, session.language, texts),
        device=quality.device_parts(trial),
        notice=quality.notice(session, texts),
        next_words=_next_words(trial),
        texts=_page_texts(session),
    )


def _next_words(trial: Trial) -> str:
    if isinstance(trial, Play) and trial.practice:
        return "play.ready"
    return "consent.accept" if isinstance(trial, Consent) else "button.next"


#: A page that shows a recording does not speak of a video.
_RECORDING_WORDS = {
    "watch.title": "replay.title",
    "watch.first": "replay.first",
    "media.loading": "replay.loading",
    "media.unplayable": "replay.unplayable",
}


def _page_texts(session: SessionView) -> Mapping[str, str]:
    texts = texts_of(session)
    if not any(one.player == "replay" for one in session.media):
        return texts
    return {**texts, **{key: texts[other] for key, other in _RECORDING_WORDS.items()}}


def _title(session: SessionView, prose: Markup | None) -> str | None:
    """The author's title; else the built-in one, unless the author's text begins with a heading of its own."""
    trial, texts = session.trial.trial, _page_texts(session)
    own: Text | None = getattr(trial, "title", None)
    if own is not None:
        return own.in_language(session.language)
    if prose is not None and prose.startswith("<h1"):
        return None
    if trial.kind == "consent":
        return texts["consent.title"]
    key = _TITLES.get(trial.kind) or play.title(trial)
    return None if key is None else texts[key]


def _prose(session: SessionView, planned: PlannedTrial) -> Markup | None:
    """The author's words on the page, from a file or in place."""
    path: Text | None = getattr(planned.trial, "page", None)
    text: Text | None = getattr(planned.trial, "text", None)
    if path is not None:
        return markdown.page(session.definition.pages[path.in_language(session.language)])
    if text is not None:
        return markdown.page(text.in_language(session.language))
    if isinstance(planned.trial, Practice):
        return markdown.page(texts_of(session)[f"practice.text.{planned.trial.annotate.kind}"])
    texts = texts_of(session)
    words = quality.words(planned.trial, texts) or play.words(planned.trial, texts)
    if words is not None:
        return markdown.page(words)
    fallback = {"break": "break.text", "rate": "rate.text"}.get(planned.trial.kind)
    return markdown.page(texts_of(session)[fallback]) if fallback else None


def _boxes(trial: Consent, texts: Mapping[str, str], language: str) -> list[Box]:
    return [
        Box(item.id, item.label.in_language(language) if item.label else texts[f"consent.{item.id}"])
        for item in trial.require
    ]


def _question(question: Question, rule: dict[str, Any] | None, language: str) -> dict[str, Any]:
    return {
        "id": question.id,
        "kind": question.kind,
        "required": question.required,
        "params": localised(question.params, language),
        **({"show_if": rule} if rule else {}),
    }


def _media(media: Sequence[ShownMedium], base: str) -> list[dict[str, Any]]:
    """`log` is the address of a video's action log where the page shows it; a recording has its own inside."""
    return [
        {
            "url": f"{base}/media/{one.name}",
            "bytes": one.bytes,
            "player": one.player,
            "log": None if one.log_name is None else f"{base}/media/{one.log_name}",
        }
        for one in media
    ]


def _opens_beside(trial: Trial) -> bool:
    return isinstance(trial, Watch) and (trial.overlay.plan or trial.overlay.log)


def _controls(controls: Controls) -> dict[str, Any]:
    return controls.model_dump() | {"speed": controls.first_speed}


def _wait_s(session: SessionView, now_ms: int) -> int:
    trial = session.trial.trial
    if not isinstance(trial, Break):
        return 0
    left_ms = session.session.opened_ms + 1000 * trial.at_least_s - now_ms
    return max(0, -(-left_ms // 1000))


def _has_style(kind: str) -> bool:
    return (INSTRUMENTS[kind].folder / "widget.css").is_file()

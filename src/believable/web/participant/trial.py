"""The current trial as the browser gets it. Nothing here may name a condition, arm, scenario, stimulus, file or right answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from believable.collect.desk import SessionView
from believable.collect.media import ShownMedium
from believable.collect.page_events import ViewingProgress
from believable.instruments import INSTRUMENTS
from believable.pages import PAGES
from believable.pages.contract import PRACTICE_TRIES, PageKind, ShownPage
from believable.pages.message import AnnotatePart, ControlsPart, MediumPart, TrialMessage, seen_part
from believable.players import PLAYERS
from believable.study.bases import holds
from believable.study.plan import PlannedTrial
from believable.study.records import Question, Text, TrialBase
from believable.study.texts import Texts
from believable.web.participant.questions import QuestionView, client_rule, localised, view
from believable.web.templating import fragment, markdown_page


@dataclass(frozen=True, slots=True)
class AnnotateView:
    """The annotation as the page's template sees it."""

    kind: str
    prompt: str | None


def trial_message(session: SessionView, *, base: str, now_ms: int) -> TrialMessage:
    """Everything the page needs to show the current trial, and to go on from a reload."""
    if session.finished is not None:
        return _bare(session, "finished", finished_html(session))
    planned, trial = session.trial, session.trial.trial
    if trial.is_end:
        return _bare(session, "finish", fragment("participant/sending.html", texts=texts_of(session)))
    kind = PAGES[trial.kind]
    asked = shown_questions(session)
    views = _views(session, [question for question, _ in asked])
    page = ShownPage(
        planned, session.seed, session.attempts, session.drafts, session.seen, session.session.opened_ms, now_ms
    )
    parts: dict[str, Any] = {
        "media": _media(session.media, base),
        "stills": _media(session.stills, base),
        "questions": [_question(question, rule, session.language) for question, rule in asked],
        "drafts": {question.id: session.drafts[question.id] for question in views if question.id in session.drafts},
        "orders": {question.id: order for question in views if (order := question.order()) is not None},
        "controls": _controls(trial),
        "annotate": _annotate(session),
        "saved": [(event.seq, event.kind, event.data) for event in session.saved],
        "streams": list(session.streams),
        **_loaded(session, kind, views),
        **kind.message(trial, page),
    }
    return _bare(session, trial.kind, _html(session, kind, views), **parts)


def _bare(session: SessionView, kind: str, html: Markup, **parts: Any) -> TrialMessage:
    seen = session.seen[0] if session.seen else ViewingProgress()
    return TrialMessage(
        position=session.position,
        total=len(session.plan),
        kind=kind,
        html=html,
        opened=sorted(session.opened),
        seen=seen_part(seen),
        **parts,
    )


def _loaded(session: SessionView, kind: PageKind[Any], views: Sequence[QuestionView]) -> dict[str, Any]:
    """What the browser loads: of the instruments, of the players, of the kind of page."""
    trial = session.trial.trial
    annotated = () if trial.annotation is None else (trial.annotation.kind,)
    instruments = dict.fromkeys((*(question.kind for question in views), *annotated))
    players = [PLAYERS[name] for name in dict.fromkeys(medium.player for medium in (*session.media, *session.stills))]
    return {
        "styles": [
            *(f"/static/instruments/{name}/widget.css" for name in instruments if _has_style(name)),
            *(f"/static/players/{player.name}/{player.style}" for player in players),
            *kind.styles(trial),
        ],
        "modules": {
            **{name: f"/static/instruments/{name}/widget.js" for name in instruments},
            **{player.name: f"/static/players/{player.name}/{player.module}" for player in players},
            **kind.modules(trial),
        },
    }


def texts_of(session: SessionView) -> Texts:
    return Texts(session.definition.study, session.language)


def shown_questions(session: SessionView) -> list[tuple[Question, dict[str, Any] | None]]:
    """The questions of the page with the rule the browser has to follow; those already ruled out are not there at all."""
    planned = session.trial
    shown: list[tuple[Question, dict[str, Any] | None]] = []
    for question in planned.trial.page_questions:
        rule = client_rule(question.show_if, planned) if question.show_if else None
        if rule is not None or question.show_if is None or holds(question.show_if, session.answers, session.arms):
            shown.append((question, rule))
    return shown


def finished_html(session: SessionView) -> Markup:
    """The last page. The author's own words are for those who went through to the end."""
    end = session.finished
    assert end is not None
    return fragment(
        "participant/finished.html",
        texts=texts_of(session),
        outcome=end.outcome,
        prose=_prose(session, session.plan[-1]) if end.outcome == "complete" else None,
        code=end.code,
        redirect=end.redirect,
        receipt=end.receipt,
    )


def _views(session: SessionView, questions: Sequence[Question]) -> list[QuestionView]:
    texts, labels = texts_of(session), session.trial.trial.player_labels
    return [
        view(
            question,
            position=session.position,
            language=session.language,
            texts=texts,
            seed=session.seed,
            labels=labels,
            stills=bool(labels or session.stills),
        )
        for question in questions
    ]


def _html(session: SessionView, kind: PageKind[Any], views: Sequence[QuestionView]) -> Markup:
    trial, texts = session.trial.trial, _page_texts(session)
    prose = _prose(session, session.trial)
    return fragment(
        kind.template,
        trial=trial,
        language=session.language,
        script=kind.script_address,
        title=_title(session, kind, prose),
        study_title=session.definition.study.title.in_language(session.language),
        prose=prose,
        questions=views,
        annotate=_annotate_view(trial, session.language),
        reminder=_reminder(session),
        wrong_before=session.attempts > 0,
        notice=_notice(session, texts),
        next_words=kind.next_words(trial),
        texts=texts,
    )


#: A page that shows a recording does not speak of a video.
_RECORDING_WORDS = {
    "watch.title": "replay.title",
    "watch.first": "replay.first",
    "media.loading": "replay.loading",
    "media.unplayable": "replay.unplayable",
}


def _page_texts(session: SessionView) -> Mapping[str, str]:
    texts = texts_of(session)
    if not any(medium.player == "replay" for medium in session.media):
        return texts
    return {**texts, **{key: texts[other] for key, other in _RECORDING_WORDS.items()}}


def _title(session: SessionView, kind: PageKind[Any], prose: Markup | None) -> str | None:
    """The author's title; else the built-in one, unless the author's text begins with a heading of its own."""
    trial = session.trial.trial
    own: Text | None = getattr(trial, "title", None)
    if own is not None:
        return own.in_turn(session.language, session.trial.turn)
    key = None if prose is not None and prose.startswith("<h1") else kind.title(trial)
    return None if key is None else _page_texts(session)[key]


def _prose(session: SessionView, planned: PlannedTrial) -> Markup | None:
    """The author's words on the page, from a file or in place; else the built-in ones."""
    path: Text | None = getattr(planned.trial, "page", None)
    text: Text | None = getattr(planned.trial, "text", None)
    if path is not None:
        return markdown_page(session.definition.pages[path.in_language(session.language)])
    if text is not None:
        return markdown_page(text.in_turn(session.language, planned.turn))
    key = PAGES[planned.trial.kind].words(planned.trial)
    return None if key is None else markdown_page(texts_of(session)[key])


def _reminder(session: SessionView) -> Markup | None:
    """The words of an earlier page, which this one has at hand, with headings a level lower than its own."""
    name = session.trial.trial.reminds_of
    pages = [page for page in session.plan[: session.position] if page.trial.id == name]
    prose = _prose(session, pages[-1]) if pages else None
    return None if prose is None else Markup(re.sub(r"(</?h)1\b", r"\g<1>2", str(prose)))


def _notice(session: SessionView, texts: Mapping[str, str]) -> str | None:
    """What the page says about the one just before it."""
    before = [closed for closed in session.closed if closed.position < session.position and closed.status != "skipped"]
    if not before:
        return None
    last = max(before, key=lambda closed: closed.position)
    trial = session.plan[last.position].trial
    key = PAGES[trial.kind].notice(trial, last.answers)
    return None if key is None else texts[key]


def _question(question: Question, rule: dict[str, Any] | None, language: str) -> dict[str, Any]:
    return {
        "id": question.id,
        "kind": question.kind,
        "required": question.required,
        "params": localised(question.params, language),
        **({"show_if": rule} if rule else {}),
    }


def _media(media: Sequence[ShownMedium], base: str) -> list[MediumPart]:
    return [
        MediumPart(
            url=f"{base}/media/{medium.name}",
            bytes=medium.bytes,
            player=medium.player,
            log=None if medium.log_name is None else f"{base}/media/{medium.log_name}",
        )
        for medium in media
    ]


def _controls(trial: TrialBase) -> ControlsPart | None:
    controls = trial.player_controls
    if controls is None:
        return None
    return ControlsPart(**controls.model_dump(exclude={"speed"}), speed=controls.first_speed)


def _annotate(session: SessionView) -> AnnotatePart | None:
    annotation = session.trial.trial.annotation
    if annotation is None:
        return None
    instrument = INSTRUMENTS[annotation.kind]
    return AnnotatePart(
        kind=annotation.kind,
        params=localised(annotation.params, session.language),
        practice=f"/static/instruments/{instrument.practice}" if session.trial.trial.practises else None,
        tries=PRACTICE_TRIES,
    )


def _annotate_view(trial: TrialBase, language: str) -> AnnotateView | None:
    if trial.annotation is None or trial.practises:
        return None
    prompt = trial.annotation.prompt
    return AnnotateView(trial.annotation.kind, None if prompt is None else prompt.in_language(language))


def _has_style(kind: str) -> bool:
    return (INSTRUMENTS[kind].folder / "widget.css").is_file()

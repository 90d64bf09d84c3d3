"""The current trial as the browser gets it. Nothing here may name a condition, arm, scenario,
stimulus, file or right answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from believable.collect.context import LatestKept
from believable.collect.desk import SessionView
from believable.collect.media import ShownMedium
from believable.collect.page_events import ViewingProgress
from believable.contracts.page import PRACTICE_TRIES, PageKind, ShownPage
from believable.contracts.record import Rule, Text, holds
from believable.contracts.registries import INSTRUMENTS, PAGES, PLAYERS
from believable.contracts.texts import Texts
from believable.contracts.trial import PlannedTrial, Question, TrialBase
from believable.pages.expected_time import minutes_left
from believable.pages.message import AnnotatePart, ControlsPart, MediumPart, TrialMessage, seen_part
from believable.study.definition import Definition
from believable.web.bundles import find_bundled
from believable.web.participant.questions import QuestionView, client_rule, localise, view
from believable.web.templating import fragment, markdown_page


@dataclass(frozen=True, slots=True)
class AnnotateView:
    """The annotation as the page's template sees it."""

    kind: str
    prompt: str | None


def trial_message(session: SessionView, *, base: str, now_ms: int) -> TrialMessage:
    """All data that the page needs to show the current trial, and to resume after a reload."""
    if session.finished is not None:
        return _bare(session, "finished", finished_html(session))
    trial = session.trial.trial
    if trial.closing is not None:
        return _bare(
            session, "finish", fragment("participant/sending.html", texts=texts_of(session))
        )
    kind = PAGES[trial.kind]
    asked = shown_questions(session)
    page = _shown_page(session, now_ms)
    drawn = _drawn(session, kind, asked)
    parts: dict[str, Any] = {
        "media": _media(session.media, base),
        "stills": _media(session.stills, base),
        "drafts": {
            question.id: session.drafts[question.id]
            for question, _ in asked
            if question.id in session.drafts
        },
        "saved": [(event.seq, event.kind, event.data) for event in session.saved],
        "streams": list(session.streams),
        **drawn.parts,
        **kind.looks.message(trial, page),
    }
    if play := parts.get("play"):
        parts["play"] = {**play, "script": _in_bundle(play["script"])}
    return _bare(session, trial.kind, drawn.html, **parts)


def _shown_page(session: SessionView, now_ms: int) -> ShownPage:
    return ShownPage(
        planned=session.trial,
        seed=session.seed,
        attempts=session.attempts,
        drafts=session.drafts,
        seen=session.seen,
        opened_ms=session.session.opened_ms,
        now_ms=now_ms,
    )


def trial_json(session: SessionView, *, base: str, now_ms: int) -> bytes:
    """The same as JSON. A page without earlier events, without media and without fields of its kind
    is the same for all participants who see it: its text is kept, which saves a sixth of the time
    of a request (8 questions: 230 instead of 280 µs).
    """
    trial = session.trial.trial
    personal = (
        session.media
        or session.stills
        or session.drafts
        or session.saved
        or session.seen
        or session.opened
    )
    if personal or session.finished is not None or trial.closing is not None:
        return trial_message(session, base=base, now_ms=now_ms).model_dump_json().encode()
    kind = PAGES[trial.kind]
    page = _shown_page(session, now_ms)
    drawn = _drawn(session, kind, shown_questions(session))
    if kind.looks.message(trial, page):
        return trial_message(session, base=base, now_ms=now_ms).model_dump_json().encode()
    if not drawn.untouched:
        message = trial_message(session, base=base, now_ms=now_ms)
        drawn.untouched.append(
            message.model_dump_json(exclude={"position", "total", "minutes_left"}).encode()[1:]
        )
    place = (session.position, len(session.plan), _minutes_left(session))
    return b'{"position":%d,"total":%d,"minutes_left":%d,%b' % (*place, drawn.untouched[0])


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """The part of a message that is the same for all participants: texts, questions, and the files
    that the browser loads. `trial` is the record behind it; keeping it keeps its identity in use.
    `untouched` is the message without earlier events, after its position in the plan, once it was
    needed.
    """

    trial: TrialBase
    html: Markup
    parts: Mapping[str, Any]
    untouched: list[bytes] = field(default_factory=list)


#: Cached pages, some kilobytes each. Rendering takes a millisecond or two, nearly all of a page's
#: cost.
DRAWN_KEPT = 500
_drawn_pages: LatestKept[tuple[Any, ...], DrawnPage] = LatestKept(DRAWN_KEPT)


def _drawn(
    session: SessionView,
    kind: PageKind[Any],
    asked: Sequence[tuple[Question, dict[str, Any] | None]],
) -> DrawnPage:
    """The page, rendered now or earlier for a participant with the same content."""
    planned, trial = session.trial, session.trial.trial
    shuffled = any(getattr(question.params, "shuffle", False) for question, _ in asked)
    reminded, notice = _reminded_trial(session), _notice(session)
    key = (
        session.definition.hash,
        session.language,
        id(trial),
        planned.turn,
        tuple(question.id for question, _ in asked),
        tuple(medium.player for medium in session.media),
        tuple(medium.player for medium in session.stills),
        session.attempts > 0,
        notice,
        None if reminded is None else reminded.key,
        (session.seed, planned.position) if shuffled else None,
    )
    drawn = _drawn_pages.get(key)
    if drawn is not None:
        return drawn
    views = _views(session, [question for question, _ in asked])
    loaded = _files_to_load(session, kind, views)
    scripts = find_bundled((*filter(None, [kind.script_address]), *loaded["modules"].values()))
    parts = {
        "questions": [_question(question, rule, session.language) for question, rule in asked],
        "orders": {
            question.id: order for question in views if (order := question.order()) is not None
        },
        "controls": _controls(trial),
        "annotate": _annotate(session),
        "styles": loaded["styles"],
        "modules": {name: scripts[address] for name, address in loaded["modules"].items()},
    }
    script = scripts.get(kind.script_address or "")
    html = _html(session, kind, script, views, reminded, notice)
    return _drawn_pages.put(key, DrawnPage(trial, html, parts))


def _bare(session: SessionView, kind: str, html: Markup, **parts: Any) -> TrialMessage:
    seen = session.seen[0] if session.seen else ViewingProgress()
    return TrialMessage(
        position=session.position,
        total=len(session.plan),
        minutes_left=_minutes_left(session),
        kind=kind,
        html=html,
        opened=sorted(session.opened),
        seen=seen_part(seen),
        **parts,
    )


def _minutes_left(session: SessionView) -> int:
    return minutes_left(session.plan, session.position, session.definition)


def styles_of(instruments: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        f"/static/instruments/{name}/widget.css" for name in instruments if _has_style(name)
    )


def _files_to_load(
    session: SessionView, kind: PageKind[Any], views: Sequence[QuestionView]
) -> dict[str, Any]:
    """The files that the browser loads: of the instruments, of the players, of the kind of page."""
    trial = session.trial.trial
    annotated = () if trial.annotation is None else (trial.annotation.kind,)
    instruments = dict.fromkeys((*(question.kind for question in views), *annotated))
    players = [
        PLAYERS[name]
        for name in dict.fromkeys(medium.player for medium in (*session.media, *session.stills))
    ]
    return {
        "styles": [
            *styles_of(instruments),
            *(f"/static/players/{player.name}/{player.style}" for player in players),
            *kind.looks.styles(trial),
        ],
        "modules": {
            **{name: f"/static/instruments/{name}/widget.js" for name in instruments},
            **{player.name: f"/static/players/{player.name}/{player.module}" for player in players},
            **kind.looks.modules(trial),
        },
    }


_texts: LatestKept[tuple[str, str], Texts] = LatestKept(100)


def texts_in(definition: Definition, language: str) -> Texts:
    """A study's words in a language, put together once."""
    key = (definition.hash, language)
    return _texts.get(key) or _texts.put(key, Texts(definition.study, language))


def texts_of(session: SessionView) -> Texts:
    return texts_in(session.definition, session.language)


def shown_questions(session: SessionView) -> list[tuple[Question, dict[str, Any] | None]]:
    """The questions of the page with the rule the browser has to follow; those already ruled out
    are not there at all.
    """
    planned = session.trial
    shown: list[tuple[Question, dict[str, Any] | None]] = []
    for question in planned.trial.page_questions:
        rule = client_rule(question.show_if, planned) if question.show_if else None
        if rule is not None or question.show_if is None or _holds(question.show_if, session):
            shown.append((question, rule))
    return shown


def _holds(rule: Rule, session: SessionView) -> bool:
    return holds(rule, session.answers, session.arms, session.opened)


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
    texts, labels = texts_of(session), session.trial.trial.player.labels
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


def _html(
    session: SessionView,
    kind: PageKind[Any],
    script: str | None,
    views: Sequence[QuestionView],
    reminded: PlannedTrial | None,
    notice: str | None,
) -> Markup:
    trial, texts = session.trial.trial, _page_texts(session)
    prose = _prose(session, session.trial)
    return fragment(
        kind.template,
        trial=trial,
        language=session.language,
        script=script,
        title=_title(session, kind, prose),
        study_title=session.definition.study.title.in_language(session.language),
        prose=prose,
        questions=views,
        annotate=_annotate_view(trial, session.language),
        reminder=None if reminded is None else _reminder(session, reminded),
        wrong_before=session.attempts > 0,
        notice=None if notice is None else texts[notice],
        next_words=kind.looks.next_words(trial),
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
    """The author's title; else the built-in one, unless the author's text begins with a heading."""
    trial = session.trial.trial
    own: Text | None = getattr(trial, "title", None)
    if own is not None:
        return own.in_turn(session.language, session.trial.turn)
    key = None if prose is not None and prose.startswith("<h1") else kind.looks.title(trial)
    return None if key is None else _page_texts(session)[key]


def _prose(session: SessionView, planned: PlannedTrial) -> Markup | None:
    """The author's words on the page, from a file or in place; else the built-in ones."""
    path: Text | None = getattr(planned.trial, "page", None)
    text: Text | None = getattr(planned.trial, "text", None)
    if path is not None:
        return markdown_page(session.definition.pages[path.in_language(session.language)])
    if text is not None:
        return markdown_page(text.in_turn(session.language, planned.turn))
    key = PAGES[planned.trial.kind].looks.words(planned.trial)
    return None if key is None else markdown_page(texts_of(session)[key])


def _reminded_trial(session: SessionView) -> PlannedTrial | None:
    """The earlier page whose words this one has at hand."""
    name = session.trial.trial.quiz.reminds_of
    if name is None:
        return None
    pages = [page for page in session.plan[: session.position] if page.trial.id == name]
    return pages[-1] if pages else None


def _reminder(session: SessionView, reminded: PlannedTrial) -> Markup | None:
    """The words of an earlier page, with headings a level lower than this one's own."""
    prose = _prose(session, reminded)
    return None if prose is None else Markup(re.sub(r"(</?h)1\b", r"\g<1>2", str(prose)))


def _notice(session: SessionView) -> str | None:
    """The key of the page's remark about the previous one."""
    before = (page for page in reversed(session.closed) if page.position < session.position)
    last = next((page for page in before if page.status != "skipped"), None)
    if last is None:
        return None
    trial = session.plan[last.position].trial
    return PAGES[trial.kind].looks.notice(trial, last.answers)


def _question(question: Question, rule: dict[str, Any] | None, language: str) -> dict[str, Any]:
    return {
        "id": question.id,
        "kind": question.kind,
        "required": question.required,
        "params": localise(question.params, language),
        **({"show_if": rule} if rule else {}),
    }


def _media(media: Sequence[ShownMedium], base: str) -> list[MediumPart]:
    return [
        MediumPart(
            url=f"{base}/media/{medium.name}",
            bytes=medium.bytes,
            player=medium.player,
            log=None if medium.log_name is None else f"{base}/media/{medium.log_name}",
            round=medium.round_position,
        )
        for medium in media
    ]


def _controls(trial: TrialBase) -> ControlsPart | None:
    controls = trial.player.controls
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
        params=localise(annotation.params, session.language),
        practice=_in_bundle(f"/static/instruments/{instrument.practice}")
        if session.trial.trial.practises
        else None,
        tries=PRACTICE_TRIES,
    )


def _in_bundle(address: str) -> str:
    return find_bundled((address,))[address]


def _annotate_view(trial: TrialBase, language: str) -> AnnotateView | None:
    if trial.annotation is None or trial.practises:
        return None
    prompt = trial.annotation.prompt
    return AnnotateView(
        trial.annotation.kind, None if prompt is None else prompt.in_language(language)
    )


def _has_style(kind: str) -> bool:
    return (INSTRUMENTS[kind].folder / "widget.css").is_file()

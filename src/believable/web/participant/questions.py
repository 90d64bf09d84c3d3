"""One question as its widget's template sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from markupsafe import Markup, escape
from pydantic import BaseModel

from believable.contracts.record import Record, Rule, Text
from believable.contracts.trial import PlannedTrial, Question
from believable.core.seeds import generator
from believable.web.templating import fragment, markdown_line

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """`heading` is the prompt (with a note on optional ones), `help` its explanation, `dom` the
    base of all element ids.

    `labels` name the players of a comparison; `stills` says whether the page can remind of them
    with small pictures.
    """

    id: str
    kind: str
    dom: str
    required: bool
    heading: Markup
    help: Markup
    described: str
    params: Record
    language: str
    texts: Mapping[str, str]
    seed: int
    labels: tuple[str, ...] = ()
    stills: bool = False

    def say(self, text: Text) -> str:
        return text.in_language(self.language)

    def order_options(self, options: Sequence[T]) -> Sequence[T]:
        """The options as this session sees them: as listed, or in its own order."""
        if not getattr(self.params, "shuffle", False):
            return options
        mixed = list(options)
        generator(self.seed, "options", self.dom).shuffle(mixed)
        return mixed

    def order(self) -> list[str] | None:
        """The values in the order shown, if the order was drawn."""
        if not getattr(self.params, "shuffle", False):
            return None
        listed: Sequence[Any] = getattr(self.params, "options", ()) or getattr(
            self.params, "rows", ()
        )
        return [str(getattr(option, "value", option)) for option in self.order_options(listed)]

    def html(self) -> Markup:
        return fragment("participant/question.html", q=self)


def view(
    question: Question,
    *,
    position: int,
    language: str,
    texts: Mapping[str, str],
    seed: int,
    labels: tuple[str, ...] = (),
    stills: bool = False,
) -> QuestionView:
    """A question in the participant's language. Its own order of options follows from the session's
    seed.
    """
    dom = f"q-{question.id}"
    return QuestionView(
        id=question.id,
        kind=question.kind,
        dom=dom,
        required=question.required,
        heading=_heading(question, language, texts),
        help=_help(question, language, dom),
        described=f"{dom}-help {dom}-error" if question.help else f"{dom}-error",
        params=question.params,
        language=language,
        texts=texts,
        seed=generator(seed, "position", position).getrandbits(63),
        labels=labels,
        stills=stills,
    )


def client_rule(rule: Rule, planned: PlannedTrial) -> dict[str, Any] | None:
    """A rule on something of the same page, for the browser to follow; others are settled before
    the page is made.
    """
    if rule.opened is not None:
        return {"opened": rule.opened} if planned.trial.player.overlays else None
    own = {question.id for question in planned.trial.page_questions}
    trial, _, rest = (rule.answer or "").partition(".")
    question, _, item = rest.partition(".")
    if trial != planned.trial.id or question not in own:
        return None
    test, value = rule.test
    return {"question": question, "test": test, "value": value, **({"item": item} if item else {})}


def localise(value: Any, language: str) -> Any:
    """Parameters as plain data, with every text in one language, and without what browsers must not
    get.
    """
    if isinstance(value, Text):
        return value.in_language(language)
    if isinstance(value, BaseModel):
        hidden = value.lab_only if isinstance(value, Record) else frozenset()
        return {
            name: localise(getattr(value, name), language)
            for name in type(value).model_fields
            if name not in hidden
        }
    if isinstance(value, tuple | list):
        return [localise(element, language) for element in value]
    return value


def _heading(question: Question, language: str, texts: Mapping[str, str]) -> Markup:
    words = question.prompt.in_language(language) if question.prompt else texts["watch.questions"]
    note = (
        Markup("")
        if question.required
        else Markup(' <span class="optional">({})</span>').format(texts["question.optional"])
    )
    hidden = (
        Markup(' class="prompt"') if question.prompt else Markup(' class="prompt visually-hidden"')
    )
    return Markup("<span{}>{}</span>{}").format(hidden, markdown_line(words), note)


def _help(question: Question, language: str, dom: str) -> Markup:
    if question.help is None:
        return Markup("")
    return Markup('<p class="help" id="{}-help">{}</p>').format(
        escape(dom), markdown_line(question.help.in_language(language))
    )

"""Whether a protocol fits the study: what its roles are asked about has to occur on the pages that
people will see.
"""

from __future__ import annotations

from collections.abc import Iterator

from believable.contracts.protocol import Declaration, Role
from believable.contracts.trial import PlannedTrial, Question
from believable.core.errors import BelievableError
from believable.core.nodes import Node
from believable.study.declaration import DeclaredPlan
from believable.study.earlier_pages import rated_positions
from believable.study.own_design import questions
from believable.study.plan import Assignment, cells, plan, session_seed
from believable.study.reading import Reading
from believable.study.records import Study

#: Conditions of the stimuli that a page is about.
Conditions = tuple[str | None, ...]


def check_protocol_fit(
    reading: Reading, declared: DeclaredPlan, node: Node, declaration: Declaration
) -> None:
    """Refuse an analysis of pages that no participant sees. Only for a study without other
    problems.
    """
    if any(problem.severity == "error" for problem in reading.problems):
        return
    played = {role.name: _role_players(role, declared, reading.study) for role in declaration.roles}
    place = node.get("protocol") or node
    sides = [name for name in declaration.compares if played[name]]
    if declaration.compares and len(sides) < 2:
        message = (
            f"{declaration.name} compares conditions of at least two kinds"
            f" ({', '.join(declaration.compares)});"
        )
        have = ", ".join(reading.study.conditions) or "none"
        reading.report(
            place,
            f"{message} this study has {'only ' + sides[0] if sides else 'none of them'}.",
            f"Say which conditions play them in `roles` (there are: {have}), or remove `protocol`"
            " and declare `measures`.",
        )
    asked = [role for role in declaration.roles if role.stimuli is not None and played[role.name]]
    if not asked:
        return
    try:
        pages = list(_pages(reading.study))
    except BelievableError:
        return  # no plan can be made: other checks say why
    for role in asked:
        _asked_rightly(reading, declaration, role, played, pages, place)


def _asked_rightly(
    reading: Reading,
    declaration: Declaration,
    role: Role,
    played: dict[str, tuple[str, ...]],
    pages: list[tuple[PlannedTrial, Conditions]],
    place: Node,
) -> None:
    cure = (
        f"Name another question in `roles: {{{role.name}: …}}`, or remove `protocol` and declare"
        " `measures`."
    )
    about = [
        conditions
        for page, shown in pages
        if (asked := _asks(page, played[role.name])) is not None
        for conditions in _about(page, asked, shown)
    ]
    fitting = [conditions for conditions in about if len(conditions) == role.stimuli]
    name = played[role.name][0]
    if not fitting:
        counts = sorted({len(conditions) for conditions in about})
        message = (
            f"{declaration.name} does not fit: {role.name!r} has to be asked about {role.stimuli}"
            " stimuli at once,"
        )
        many = " or ".join(map(str, counts)) or "0"
        reading.report(place, f"{message} and {name!r} is asked about {many}.", cure)
        return
    wanted = set(played.get(role.beside, ()))
    if role.beside and not any(
        len({condition in wanted for condition in both}) == 2 for both in fitting
    ):
        message = (
            f"{declaration.name} does not fit: {name!r} never compares a condition that plays"
            f" {role.beside!r} ({', '.join(sorted(wanted)) or 'none'}) with another one."
        )
        reading.report(place, message, cure)


def _asks(page: PlannedTrial, names: tuple[str, ...]) -> Question | None:
    for name in names:
        trial, _, question = name.rpartition(".")
        asked = (asked for asked in page.trial.all_questions if asked.id == question)
        if trial in ("", page.trial.id) and (match := next(asked, None)) is not None:
            return match
    return None


def _about(page: PlannedTrial, asked: Question, shown: Conditions) -> list[Conditions]:
    """The conditions that a question is about: those of the page, or of one clip after the
    other.
    """
    if asked in page.trial.repeated_questions:
        return [(condition,) for condition in shown]
    return [shown]


def _role_players(role: Role, declared: DeclaredPlan, study: Study) -> tuple[str, ...]:
    choice = declared.roles.get(role.name)
    if choice is not None:
        return (choice,) if isinstance(choice, str) else tuple(choice)
    if role.of == "condition":
        names = tuple(name for name in role.defaults if name in study.conditions)
    elif role.of == "question":
        names = tuple(name for name in role.defaults if _exists(name, study))
    else:
        return role.defaults
    return names if role.several else names[:1]


def _exists(name: str, study: Study) -> bool:
    trial, _, question = name.rpartition(".")
    return any(trial in ("", where) and asked.id == question for where, asked in questions(study))


def _pages(study: Study) -> Iterator[tuple[PlannedTrial, Conditions]]:
    """Every page of one plan per cell, with the conditions of its stimuli."""
    of_stimulus = {stimulus.id: stimulus.condition for stimulus in study.stimuli}
    for number, cell in enumerate(cells(study)):
        pages = plan(
            study, Assignment(dict(cell.arms), dict(cell.rows), session_seed(study, number))
        )
        for page in pages:
            about = [pages[position] for position in rated_positions(pages, page.position)]
            if page.played_stimuli:
                yield page, tuple(of_stimulus.get(name) for name in page.played_stimuli)
            elif about:
                yield page, tuple(watched.condition for watched in about)
            else:
                yield page, ()

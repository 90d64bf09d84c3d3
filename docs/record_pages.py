"""The references of the study file, the instruments and the players as Markdown, made from their
records: what is documented is what runs.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from believable.contracts.controls import Controls
from believable.contracts.fields import as_yaml, keys, record_inside, type_words
from believable.contracts.instrument import AnswerColumn, Instrument
from believable.contracts.player import Player
from believable.contracts.protocol import Declaration, Option
from believable.contracts.record import Record, Rule
from believable.contracts.registries import INSTRUMENTS, PROTOCOLS
from believable.contracts.trial import Annotation, Question, TrialBase
from believable.core.event_chain import EventKind
from believable.study.codebook import Codebook
from believable.study.declaration import DeclaredPlan
from believable.study.kinds import annotating, answering, whole_forms
from believable.study.platforms import PLATFORMS
from believable.study.records import Stimulus, Study

STUDY_FILE = """# The study file

Generated from the records by `make reference`; do not edit by hand.

A study is a folder with `study.yaml` (YAML 1.2, UTF-8), the pages it names (Markdown) and its stimuli.
`believable check STUDY` lists every problem with its line and its fix; `believable schema` prints a JSON Schema for
editors. For **text**, write one string, or one per language: `{en: Next, de: Weiter}`.
"""


def study_file_page() -> str:
    """Every key of a study file."""
    parts = [STUDY_FILE, *_section("Study", Study), *_section("Stimulus", Stimulus)]
    parts.append("## Timeline\n\nEach entry has one key, its kind: `- watch: {stimulus: any}`.\n")
    for kind, record in whole_forms().items():
        parts += _section(f"`{kind}`", record, level=3, id_needed=record.named)
    parts += _section("Codebooks", Codebook)
    parts += _section("Analysis", DeclaredPlan)
    parts += _declared()
    parts += _section("Rules", Rule)
    parts += _section("Questions", Question)
    parts += _kinds(answering())
    parts += _section("Annotations", Annotation)
    parts += _kinds(annotating())
    parts.append(_platforms())
    return "\n".join(parts)


def _kinds(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        yield from _section(
            f"`{name}`", INSTRUMENTS[name].params, level=3, about=INSTRUMENTS[name].about
        )


def _section(
    title: str, record: type[Record], *, level: int = 2, about: str = "", id_needed: bool = True
) -> Iterator[str]:
    yield f"{'#' * level} {title}\n"
    words = f"{about} {inspect.getdoc(record) or ''}".strip()
    yield f"{words}\n"
    yield table(record, id_needed=id_needed)
    for name, inner in _inner_records(record):
        yield f"**`{name}`**: {inspect.getdoc(inner) or ''}\n"
        yield table(inner, id_needed=True)


def _inner_records(record: type[Record]) -> Iterator[tuple[str, type[Record]]]:
    """Records that occur in one place only and are explained there."""
    shared = (Annotation, DeclaredPlan, Codebook, Question, Rule, Stimulus)
    for key, name in keys(record).items():
        inner = record_inside(record.model_fields[name].annotation)
        if inner is not None and inner not in shared and not issubclass(inner, TrialBase):
            yield key, inner


def table(record: type[Record], *, id_needed: bool) -> str:
    rows = ["| key | expects | default | meaning |", "|---|---|---|---|"]
    for key, name in keys(record).items():
        field = record.model_fields[name]
        default = "" if key == "id" and not id_needed else _default(field)
        expects = _cell(f"{type_words(field.annotation)}{_bounds(field)}")
        rows.append(
            f"| `{key}` | {expects} | {default} | {_cell(record.descriptions().get(name, ''))} |"
        )
    return "\n".join(rows) + "\n"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    if (
        default is None
        or default is PydanticUndefined
        or isinstance(default, Record)
        or default in ((), {})
    ):
        return ""
    return f"`{_cell(_written(default))}`"


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_written(entry) for entry in value)}]"
    if isinstance(value, Record):
        return str(next(iter(value.model_dump().values())))
    return value if isinstance(value, str) else json.dumps(value)


def _bounds(field: FieldInfo) -> str:
    """`, 1 to 10` from the field's constraints."""
    limits = {
        name: getattr(constraint, name)
        for constraint in field.metadata
        for name in ("ge", "gt", "le")
        if hasattr(constraint, name)
    }
    low, high = limits.get("ge"), limits.get("le")
    if low is not None and high is not None:
        return f", {low} to {high}"
    if low is not None:
        return f", at least {low}"
    return f", above {limits['gt']}" if "gt" in limits else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _platforms() -> str:
    rows = [
        "## Platforms\n",
        "| platform | participant id | other parameters | `redirect` by name |",
        "|---|---|---|---|",
    ]
    for platform in PLATFORMS.values():
        extra = ", ".join(f"`{name}`" for name in platform.extra_parameters)
        name = f"`{platform.id_parameter}`" if platform.id_parameter else ""
        rows.append(
            f"| `{platform.name}` | {name} | {extra} | {'yes' if platform.sends_back else 'no'} |"
        )
    return "\n".join(rows) + "\n"


def _declared() -> Iterator[str]:
    """One part per protocol."""
    for declaration in (protocol.declaration for protocol in PROTOCOLS):
        yield f"### Analysis of `{declaration.name}`\n"
        yield f"{declaration.about}\n"
        yield _roles(declaration)
        yield _outcomes(declaration)
        yield _analysis_options(declaration)


def _roles(declaration: Declaration) -> str:
    rows = ["| role | names | default | meaning |", "|---|---|---|---|"]
    for role in declaration.roles:
        names = (
            f"{role.of}s" if role.several else f"a{'n' if role.of[0] in 'aeiou' else ''} {role.of}"
        )
        kinds = f" ({', '.join(role.kinds)})" if role.kinds else ""
        first = ", else ".join(f"`{name}`" for name in role.defaults)
        needed = "; needed" if role.required else ""
        rows.append(f"| `{role.name}` | {names}{kinds} | {first}{needed} | {role.about} |")
    return "\n".join(rows) + "\n"


def _outcomes(declaration: Declaration) -> str:
    rows = ["| outcome | meaning | test | options in `tests` |", "|---|---|---|---|"]
    for outcome in declaration.outcomes:
        tests = ["p value"] * outcome.tested + ["equivalence"] * outcome.equivalence
        options = "; ".join(
            f"`{test.name}` ({_option_default(test)}): {test.about}" for test in outcome.tests
        )
        rows.append(
            f"| `{outcome.name}` | {outcome.about} | {', '.join(tests) or 'interval'} | {options} |"
        )
    return "\n".join(rows) + "\n"


def _analysis_options(declaration: Declaration) -> str:
    rows = ["| option | default | meaning |", "|---|---|---|"]
    for option in declaration.options:
        words = f" ({' or '.join(option.one_of)})" if option.one_of else ""
        rows.append(f"| `{option.name}` | {_option_default(option)} | {option.about}{words} |")
    return "\n".join(rows) + "\n"


def _option_default(option: Option) -> str:
    default = option.default
    if default is None:
        return ""
    if isinstance(default, tuple):
        return f"`[{', '.join(str(item) for item in default)}]`"
    return f"`{default if isinstance(default, str) else json.dumps(default)}`"


# ----------------------------------------------------------------------------------------------
# instruments and players

INSTRUMENTS_HEAD = """# Instruments

Generated from the records by `make reference`; do not edit by hand.

An instrument is the means by which a person answers. Try each with `believable gallery`. [The study file](study-file.md)
shows how pages use them; [players](players.md) show the stimuli.
"""
_INSTRUMENT_USES = {
    "answer": (
        "Questions",
        "Below `ask:` or `questions:`: `{id: seemed, prompt: How human?, likert: {points: 5}}`.",
    ),
    "annotate": (
        "Annotations",
        "While watching: `watch: {stimulus: any, annotate: {ranktrace: {}}}`.",
    ),
}


def instruments_page(instruments: Iterable[Instrument[Any]]) -> str:
    """Every instrument with its parameters and its recorded data."""
    parts = [INSTRUMENTS_HEAD]
    listed = tuple(instruments)
    for use, (title, where) in _INSTRUMENT_USES.items():
        parts.append(f"## {title}\n\n{where}\n")
        for instrument in listed:
            if instrument.use == use:
                parts += _instrument_section(instrument)
    return "\n".join(parts)


def _events(recorded: Sequence[EventKind]) -> str:
    """A table of kinds of events."""
    rows = ["| event | data | meaning |", "|---|---|---|"]
    rows += [
        f"| `{event.kind}` | {_names(event.data)} | {_cell(event.about)} |" for event in recorded
    ]
    return "\n".join(rows) + "\n"


def _instrument_section(instrument: Instrument[Any]) -> Iterator[str]:
    yield f"### `{instrument.name}`\n"
    yield f"{instrument.about} Version {instrument.version}.\n"
    if instrument.params.model_fields:
        yield table(instrument.params, id_needed=True)
    else:
        yield "It has no parameters.\n"
    examples = "\n".join(
        f"{instrument.name}:{_indented(as_yaml(params))}" for params in instrument.examples
    )
    yield f"```yaml\n{examples}\n```\n"
    yield "Records:\n"
    yield _columns(instrument.records)
    if instrument.streams:
        yield _events(instrument.streams)


def _columns(columns: Sequence[AnswerColumn]) -> str:
    rows = ["| column | type | meaning |", "|---|---|---|"]
    rows += [f"| `{column.name}` | {column.type} | {_cell(column.about)} |" for column in columns]
    return "\n".join(rows) + "\n"


def _indented(yaml: str) -> str:
    if yaml == "{}\n":
        return " {}"
    return "".join(f"\n  {line}" for line in yaml.splitlines())


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


PLAYERS_HEAD = """# Players

Generated from the records by `make reference`; do not edit by hand.

A player shows a stimulus: `*.replay.json.gz` is a recording, every other file is a video. Try each with `believable gallery`.

## Controls

The controls of a player are the same for all players: `watch: {stimulus: any, controls: {seek: true}}`.
"""


_SIGNAL_PART = (
    "Not for stimuli: the part of a quality test (`qa`) that draws or sounds its signal, with the"
    " contract of all players.\n"
)


def players_page(players: Iterable[Player], signal: Player) -> str:
    """The whole page: the players of stimuli, then the one of quality tests."""
    parts = [PLAYERS_HEAD, table(Controls, id_needed=True)]
    for player in players:
        parts += _player_section(player)
    heading, *rest = _player_section(signal)
    return "\n".join([*parts, heading, _SIGNAL_PART, *rest])


def _player_section(player: Player) -> Iterator[str]:
    yield f"## `{player.name}`\n"
    yield f"{player.about} Version {player.version}.\n"
    yield "Records:\n"
    yield _events(player.records)

"""The reference of declared analyses as Markdown: roles, outcomes and options of every protocol, from their declarations."""

from __future__ import annotations

import json
from collections.abc import Iterator

from believable.study.declaration import Declaration, Option
from believable.study.declarations import DECLARATIONS


def declared_reference() -> Iterator[str]:
    """One part per protocol."""
    for declaration in DECLARATIONS:
        yield f"### Analysis of `{declaration.name}`\n"
        yield f"{declaration.about}\n"
        yield _roles(declaration)
        yield _outcomes(declaration)
        yield _options(declaration)


def _roles(declaration: Declaration) -> str:
    rows = ["| role | names | where it is left out | meaning |", "|---|---|---|---|"]
    for role in declaration.roles:
        names = f"{role.of}s" if role.several else f"a{'n' if role.of[0] in 'aeiou' else ''} {role.of}"
        kinds = f" ({', '.join(role.kinds)})" if role.kinds else ""
        first = ", else ".join(f"`{name}`" for name in role.defaults)
        needed = "; needed" if role.required else ""
        rows.append(f"| `{role.name}` | {names}{kinds} | {first}{needed} | {role.about} |")
    return "\n".join(rows) + "\n"


def _outcomes(declaration: Declaration) -> str:
    rows = ["| outcome | meaning | test | options in `tests` |", "|---|---|---|---|"]
    for outcome in declaration.outcomes:
        tests = ["p value"] * outcome.tested + ["equivalence"] * outcome.equivalence
        options = "; ".join(f"`{one.name}` ({_default(one)}): {one.about}" for one in outcome.tests)
        rows.append(f"| `{outcome.name}` | {outcome.about} | {', '.join(tests) or 'interval'} | {options} |")
    return "\n".join(rows) + "\n"


def _options(declaration: Declaration) -> str:
    rows = ["| option | default | meaning |", "|---|---|---|"]
    for option in declaration.options:
        words = f" ({' or '.join(option.one_of)})" if option.one_of else ""
        rows.append(f"| `{option.name}` | {_default(option)} | {option.about}{words} |")
    return "\n".join(rows) + "\n"


def _default(option: Option) -> str:
    default = option.default
    if default is None:
        return ""
    if isinstance(default, tuple):
        return f"`[{', '.join(str(one) for one in default)}]`"
    return f"`{default if isinstance(default, str) else json.dumps(default)}`"

"""Documents for people: a template in the folder of the module that knows the facts, filled in."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def template_environment(folder: Path, *, escaped: bool) -> Environment:
    """Templates of a folder. A name that is not there is an error; lines that only decide something
    leave none behind.
    """
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


_plain = cache(template_environment)


def document(template: Path, **facts: object) -> str:
    """A text file from its template: Markdown, a citation, a licence. Nothing is escaped."""
    return _plain(template.parent, escaped=False).get_template(template.name).render(**facts)

"""Commands in messages, written so that a shell takes them as they are."""

from __future__ import annotations

import shlex
from pathlib import PurePath


def quote_command(command: str, *arguments: str | PurePath) -> str:
    """A command to copy: the arguments are quoted if a shell would split or change them.

    >>> quote_command("believable check", "my study")
    "believable check 'my study'"
    """
    return " ".join([command, *(shlex.quote(str(argument)) for argument in arguments)])

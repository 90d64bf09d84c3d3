"""The exit codes of every command, and the errors that they report."""

from __future__ import annotations

from collections.abc import Mapping

from believable.core.errors import (
    BelievableError,
    InvalidInput,
    MissingPart,
    Paused,
    UnknownName,
    WrongUsage,
)

OK, PROBLEMS, USAGE, UNCHECKED, REFUSED, NOT_MET, OPEN = range(7)
PAUSED, INTERRUPTED = 7, 130

#: Also printed by `believable --help`, and part of the documentation.
EXIT_CODES: Mapping[int, str] = {
    OK: "done",
    PROBLEMS: "problems in the input: a study, a file, its content",
    USAGE: (
        "wrong usage: a command, an option or its value is unknown, missing, or excludes another"
    ),
    UNCHECKED: (
        "an optional part or a package is missing, so something was not done or not checked"
    ),
    REFUSED: "refused by the environment: not found, not allowed, in use, disk full",
    NOT_MET: (
        "the answer is not the required one: a hypothesis of `analyse --require`, the verdict of"
        " `versus`"
    ),
    OPEN: "there is no answer yet: the required claim needs more judges, or cannot be judged",
    PAUSED: "paused: it waits for something outside, and the same command continues later",
    INTERRUPTED: "interrupted",
}


def exit_code(error: BaseException) -> int:
    """Return the exit code that reports an error."""
    if isinstance(error, MissingPart):
        return UNCHECKED
    if isinstance(error, Paused):
        return PAUSED
    if isinstance(error, WrongUsage | UnknownName):
        return USAGE
    return PROBLEMS if isinstance(error, InvalidInput) else REFUSED


def error_json(error: BaseException) -> Mapping[str, object]:
    """Return the one shape in which `--json` reports an error."""
    kind = type(error).__name__ if isinstance(error, BelievableError) else "Refused"
    return {"error": {"kind": kind, "message": str(error), "exit_code": exit_code(error)}}

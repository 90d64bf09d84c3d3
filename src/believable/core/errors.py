"""What can go wrong, as one tree. Every message names place, value, expectation and cure.

BelievableError
├── InvalidInput      a value given by the caller (function argument, option, file content)
│   ├── WrongUsage    options that are missing, unknown, or exclude each other
│   └── StudyError    a study file with problems; carries all of them
├── NotFound          a named thing does not exist
│   └── UnknownName   a name that is not among those that can be chosen
├── Refused           allowed in general, not now or not for you
├── Paused            nothing is wrong: the work continues when something outside is done
├── Conflict          another request was faster, or the same id arrived with other content
├── StorageFull       the disk or database cannot take more; nothing was acknowledged
├── BrokenPlugin      a part of another package cannot be loaded
└── MissingPart       a package is not installed
    ├── MissingPackage  one that an input names; also an InvalidInput
    └── MissingExtra  an optional part of this package is not installed
"""

from __future__ import annotations

import csv
import errno
import traceback
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath


class BelievableError(Exception):
    """Any error that `believable` raises on purpose."""


class InvalidInput(BelievableError, ValueError):
    """A value that cannot be used: `place: expectation, got value. Cure.`"""


class WrongUsage(InvalidInput):
    """Options that are missing, unknown, or exclude each other."""


#: The fix for a table of another origin.
AS_CSV = "Save it as CSV, in UTF-8."
#: Damaged content raises these, whatever reads it. `TypeError` and `AttributeError` are not among
#: them: they are our own bugs, and must not be reported as damage.
_DAMAGE = (
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    RecursionError,
    ValueError,
    csv.Error,
    zlib.error,
)


@contextmanager
def reading(source: object, cure: str) -> Iterator[None]:
    """Whatever goes wrong while a file from outside is read becomes one error with its name and the
    cure; our own pass.

    >>> with reading("x.json", "Copy it again."):
    ...     {}["title"]
    Traceback (most recent call last):
    believable.core.errors.InvalidInput: x.json: cannot be read ('title' is missing). Copy it again.
    """
    try:
        yield
    except BelievableError:
        raise
    except _DAMAGE as error:
        if isinstance(error, KeyError):
            what = f"{error} is missing"
        elif isinstance(error, RecursionError):
            what = "nested too deeply"
        else:
            what = str(error)[:200] or type(error).__name__
        raise InvalidInput(f"{source}: cannot be read ({what}). {cure}") from error


@contextmanager
def parsing(source: object, cure: str) -> Iterator[None]:
    """Like `reading`, for code that takes a parsed tree apart. There a `TypeError` may be caused by
    content of another shape, or by a bug; the message names both, and the line of our code.

    >>> with parsing("x.json", "Copy it again."):
    ...     [1, 2]["title"]
    Traceback (most recent call last): believable.core.errors.InvalidInput: x.json: cannot be read
    (TypeError: list indices must be integers or slices, not str). ...
    """
    with reading(source, cure):
        try:
            yield
        except (AttributeError, TypeError) as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            raise InvalidInput(
                f"{source}: cannot be read ({type(error).__name__}: {str(error)[:200]}). Its"
                " content has another shape than expected, or this is a bug of believable"
                f" ({PurePath(frame.filename).name}:{frame.lineno}). {cure}"
            ) from error


#: The errors of a full disk, or of a full quota.
NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class TooLarge(InvalidInput):
    """More than is taken at once."""


class NotFound(BelievableError, LookupError):
    """A named thing does not exist."""


class UnknownName(NotFound):
    """A name that is not among those that can be chosen."""


class Paused(BelievableError):
    """The work stops and waits for something outside. The same command continues later."""


class Withdrawn(BelievableError):
    """The participant took everything back; it is deleted and cannot be reached again."""


class Refused(BelievableError):
    """Allowed in general, but not now or not for this caller."""


class TooManyTries(Refused):
    """Too often in too short a time."""


class Conflict(BelievableError):
    """Another request was faster, or the same id arrived with other content."""


class TakenOver(Conflict):
    """Another tab or device writes this session now."""


class StorageFull(BelievableError):
    """Nothing was stored and nothing was acknowledged."""


class Unavailable(BelievableError):
    """The database cannot be reached now. Nothing was acknowledged; trying again later is safe."""


class BrokenPlugin(BelievableError):
    """A part that an installed package, or a study's own folder, declares and that cannot be
    loaded.
    """


class MissingPart(BelievableError, ImportError):
    """A package is not installed."""


class MissingPackage(MissingPart, InvalidInput):
    """A package that an input names is not installed."""


class MissingExtra(MissingPart):
    """An optional part is not installed."""

    def __init__(self, *, what: str, extra: str = "", install: str = "") -> None:
        self.what, self.extra, self.install = what, extra, install or f"believable[{extra}]"
        super().__init__(
            f"{what} needs an optional part. Install it with: pip install '{self.install}'"
        )

    def __reduce__(self) -> tuple[Callable[..., MissingExtra], tuple[str, str, str]]:
        """Errors travel between processes."""
        return _missing_extra, (self.what, self.extra, self.install)


def _missing_extra(what: str, extra: str, install: str) -> MissingExtra:
    return MissingExtra(what=what, extra=extra, install=install)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One problem in a file: location, problem, fix."""

    file: str
    line: int
    path: str
    message: str
    cure: str
    severity: str = "error"

    def __str__(self) -> str:
        note = "" if self.severity == "error" else f"{self.severity}: "
        place = f"{self.file}:{self.line} {self.path}".rstrip()
        return f"{place}: {note}{self.message} {self.cure}".rstrip()


class StudyError(InvalidInput):
    """A study file that cannot be used. `problems` holds every one found, in file order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[StudyError], tuple[tuple[Problem, ...]]]:
        """Errors travel between processes."""
        return StudyError, (self.problems,)

"""How this package starts other Python processes: the current folder is never one of the folders
that modules are loaded from.

`python -m` and `python -c` put the current folder first on `sys.path`, so that a file such as
`threading.py` in a study folder would run in place of the library's own. `-P` and `PYTHONSAFEPATH`
switch this off. The module imports nothing but the standard library's built-in parts, because it
runs before the path is safe.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SAFE_PATH = "PYTHONSAFEPATH"


def python_command(*arguments: str) -> list[str]:
    """The command that runs this Python with these arguments, without the current folder on its
    path.

    >>> python_command("-m", "believable")[1:]
    ['-P', '-m', 'believable']
    """
    return [sys.executable, "-P", *arguments]


def protect_children() -> None:
    """Every Python that this process starts from now on leaves the current folder off its path. For
    commands, not libraries.
    """
    os.environ[SAFE_PATH] = "1"


@contextmanager
def protected_start() -> Iterator[None]:
    """The same for the processes that are started inside, as `multiprocessing` takes no arguments
    for its children.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before

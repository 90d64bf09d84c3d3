"""The drawing library of reports, put together once per run of the tests: it takes two seconds, and
every report holds it. `tests/report/test_folder.py` tests how it is put together.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

#: Where it is kept: all processes of a run inherit it.
FILE = "BELIEVABLE_TESTS_DRAWING_LIBRARY"


def choose_file() -> Path | None:
    """Name the file, in a folder of this run. None: another process of the run has named it."""
    if FILE in os.environ:
        return None
    folder = Path(tempfile.mkdtemp(prefix="drawing-library-"))
    os.environ[FILE] = str(folder / "library.js")
    return folder


def fill() -> None:
    """Let this process know the library, if it draws figures and does not know it yet.

    Another process puts it together: the renderer starts threads, and some tests fork this one.
    """
    drawing = sys.modules.get("believable.report.figure_files")
    if drawing is None or FILE not in os.environ or drawing.script.cache_info().currsize:
        return
    if importlib.util.find_spec("vl_convert") is None:
        return
    file = Path(os.environ[FILE])
    if not file.exists():
        made = subprocess.run(
            [sys.executable, "-P", "-m", drawing.__name__], stdout=subprocess.PIPE, check=True
        )
        part = file.with_name(f"{os.getpid()}.part")
        part.write_bytes(made.stdout)
        part.replace(file)
    text = file.read_text(encoding="utf-8")
    kept = SimpleNamespace(javascript_bundle=lambda **_: text)
    with mock.patch.object(drawing, "converter", return_value=kept):
        drawing.script()

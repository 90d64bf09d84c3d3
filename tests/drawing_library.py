"""The drawing library of reports, put together once per run of the tests: it takes two seconds, and
every report holds it. `tests/report/test_folder.py` tests how it is put together.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from pathlib import Path
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
    """Let this process know the library, if it draws figures and does not know it yet."""
    drawing = sys.modules.get("believable.report.figure_files")
    if drawing is None or FILE not in os.environ or drawing.script.cache_info().currsize:
        return
    if importlib.util.find_spec("vl_convert") is None:
        return
    file = Path(os.environ[FILE])
    if file.exists():
        made = file.read_text(encoding="utf-8")
        with mock.patch.object(drawing.converter(), "javascript_bundle", return_value=made):
            drawing.script()
        return
    part = file.with_name(f"{os.getpid()}.part")
    part.write_text(drawing.script(), encoding="utf-8")
    part.replace(file)

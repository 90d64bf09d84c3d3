"""What the console lets other processes do, loaded once: `conftest.py` forks them from a process that
has imported this.
"""

from __future__ import annotations

import importlib

from tests import drawing_library

for _name in (
    "believable.web.results_worker",
    "believable.web.review_worker",
    "believable.web.export_worker",
    "believable.analysis.run",
    "believable.report.page",
    "believable.protocols",
    "believable.study.load",
):
    importlib.import_module(_name)
drawing_library.fill()

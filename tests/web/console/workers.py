"""What the console lets other processes do, loaded once: `conftest.py` forks them from a process that
has imported this.
"""

from __future__ import annotations

import importlib

for _name in (
    "believable.web.review_worker",
    "believable.web.export_worker",
    "believable.analysis.run",
    "believable.protocols",
    "believable.study.load",
):
    importlib.import_module(_name)

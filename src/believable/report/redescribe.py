"""Rewriting the descriptions of a bundle's files and columns, so that they describe a release."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from believable.bundle.cells import csv_line, neutralise
from believable.bundle.package import RELEASE
from believable.report.precision import Precision, format_minutes
from believable.report.redact import json_text

#: The reason of sessions that took too little time, as the exclusions table has it.
TOO_FAST = "too_fast"


def _descriptions(precision: Precision) -> dict[tuple[str, str], str]:
    """The descriptions that differ in a release, by table and column."""
    step = None if precision.step_ms is None else format_minutes(precision.step_ms)
    length = f"rounded to multiples of {step}." if step else "left out of this release."
    clock = f"rounded down to multiples of {step}." if step else "left out of this release."
    page = (
        {}
        if precision.page_times
        else {
            ("trials", "rt_ms"): "Left out of this release.",
            ("trials", "hidden_ms"): "Left out of this release.",
            ("judgements", "seconds"): "Left out of this release.",
            ("shown", "open_ms"): "Left out of this release.",
        }
    )
    at_ms = (
        "since the first row of this trial"
        if precision.page_times
        else "in the medium: other times are left out"
    )
    events = (
        {}
        if precision.raw_events
        else {
            ("participants", "events"): "0: the raw events are left out of this release.",
            ("participants", "receipt"): "Left out of this release, with the raw events.",
        }
    )
    mono_ms = (
        "The same on the page's monotonic clock."
        if precision.page_times
        else "Left out of this release."
    )
    return (
        page
        | events
        | {
            ("participants", "number"): "Random number of the session in this release.",
            ("participants", "started_on"): "Left out of this release.",
            (
                "participants",
                "duration_ms",
            ): f"From joining to finishing, on the server's clock, {length}",
            ("trials", "opened_ms"): (
                "When it became the current trial, since the session started (server's clock),"
                f" {clock}"
            ),
            (
                "trials",
                "closed_ms",
            ): f"When it was closed, since the session started (server's clock), {clock}",
            ("rounds", "started_ms"): f"Since the session began, on the server's clock, {clock}",
            ("rounds", "ended_ms"): f"Since the session began, on the server's clock, {clock}",
            ("traces", "at_ms"): f"Milliseconds {at_ms}.",
            ("traces", "mono_ms"): mono_ms,
            ("exclusions", "decided_on"): "Left out of this release.",
            ("versions", "first_used_on"): "Left out of this release.",
            ("versions", "revised_on"): "Left out of this release.",
        }
    )


_LAST_EVENT = re.compile(r" Last event received on \S+ \(UTC\)\.")
_RAW_CLOCKS = "The raw events hold the wall-clock times of the participants' browsers, and"
_ROUNDED_CLOCKS = (
    "Times in the raw events count from the beginning of each session and are rounded, and"
)
_REPLAYS = re.compile(r"(?:^- `materials/replays/.*\n\n?)+", re.M)
_CODEBOOK_ROW = re.compile(
    r"\| (?P<column>\w+) \| (?P<type>\w+) \| (?P<about>(?:\\.|[^|\\])*) \|(?P<rest>.*)"
)


def redescribe(
    folder: Path, precision: Precision, note: Mapping[str, Any], n_rows: Mapping[str, int]
) -> None:
    texts = _descriptions(precision)
    _redescribe_package(folder / "datapackage.json", texts, note, n_rows)
    _redescribe_dataset(folder / "dataset_description.json", texts)
    _redescribe_codebook(folder / "documentation" / "codebook.csv", texts)
    _rewrite_text(
        folder / "documentation" / "codebook.md",
        lambda text: _redescribed_codebook_text(text, texts),
    )
    _rewrite_text(folder / "CHANGES.md", lambda text: _LAST_EVENT.sub("", text))
    _rewrite_text(folder / "README.md", _redescribed_readme)


def _rewrite_text(path: Path, rewrite: Callable[[str], str]) -> None:
    if path.is_file():
        path.write_text(rewrite(path.read_text("utf-8")), encoding="utf-8", newline="\n")


def _redescribe_package(
    path: Path,
    texts: Mapping[tuple[str, str], str],
    note: Mapping[str, Any],
    n_rows: Mapping[str, int],
) -> None:
    package = json.loads(path.read_text("utf-8"))
    for resource in package["resources"]:
        name = resource["name"]
        if name in n_rows:
            resource["rows"] = n_rows[name]
        for field in resource.get("schema", {}).get("fields", ()):
            field["description"] = texts.get((name, field["name"]), field["description"])
            values = field.get("constraints", {}).get("enum")
            if (
                (name, field["name"]) == ("exclusions", "reason")
                and values is not None
                and TOO_FAST not in values
            ):
                values.append(TOO_FAST)
    # Recordings of rounds were listed in the order in which their players came.
    package["resources"].sort(
        key=lambda entry: entry["path"] if entry["path"].startswith("materials/replays/") else ""
    )
    package[RELEASE] = dict(note)
    path.write_text(json_text(package, indent=2) + "\n", encoding="utf-8")


def _redescribe_dataset(path: Path, texts: Mapping[tuple[str, str], str]) -> None:
    """Each name is listed once, whichever tables have it."""
    by_column = {column: text for (_, column), text in texts.items()}
    tree = json.loads(path.read_text("utf-8"))
    for entry in tree.get("variableMeasured", ()):
        entry["description"] = by_column.get(entry["name"], entry["description"])
    path.write_text(json_text(tree, indent=2) + "\n", encoding="utf-8")


def _redescribe_codebook(path: Path, texts: Mapping[tuple[str, str], str]) -> None:
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        header, rows = tuple(reader.fieldnames or ()), list(reader)
    for row in rows:
        text = texts.get((row["table"], row["column"]))
        if text is not None and not row.get("question"):
            row["about"] = neutralise(text)
    lines = [csv_line(header), *(csv_line([row[name] for name in header]) for row in rows)]
    path.write_text("".join(lines), encoding="utf-8", newline="")


def _redescribed_codebook_text(text: str, texts: Mapping[tuple[str, str], str]) -> str:
    lines, table = [], ""
    for line in text.split("\n"):
        table = line.removeprefix("## ") if line.startswith("## ") else table
        row = _CODEBOOK_ROW.fullmatch(line)
        about = None if row is None else texts.get((table, row["column"]))
        lines.append(
            line
            if row is None or about is None
            else f"| {row['column']} | {row['type']} | {about} |{row['rest']}"
        )
    return "\n".join(lines)


def _redescribed_readme(text: str) -> str:
    text = text.replace(_RAW_CLOCKS, _ROUNDED_CLOCKS)
    return _REPLAYS.sub(lambda found: "".join(sorted(re.findall(r".+\n\n?", found[0]))), text)

"""The end: words, completion codes, and where to go next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Tag

from believable.contracts.page import PageKind, StudyChecks
from believable.contracts.page_parts import Closing
from believable.contracts.record import BY_SHAPE, Record, Text
from believable.contracts.trial import Entry, TrialBase
from believable.core.nodes import Node
from believable.study.checks.names import report_repeated
from believable.study.platforms import PLATFORMS, parameters
from believable.study.reading import Reading
from believable.study.wording import shown, unknown


class Codes(Record):
    """Completion codes. `auto` mints one per study and outcome; any other text is used as it is."""

    complete: str = "auto"
    """For those who got to the end."""
    screened_out: str = "auto"
    """For those a check screened out."""
    failed_checks: str = "auto"
    """For those who failed a check."""


class Redirects(Record):
    """Where to send people at the end. `{code}` and the recruiter's id parameters may be used in
    the address.
    """

    complete: str | None = None
    """For those who got to the end."""
    screened_out: str | None = None
    """For those a check screened out."""
    failed_checks: str | None = None
    """For those who failed a check."""


class Finish(TrialBase):
    """The end, last in the timeline and exactly once: words, completion codes, and where to go
    next.
    """

    kind: Literal["finish"] = "finish"
    page: Text | None = None
    """Markdown file to show."""
    text: Text | None = None
    """Markdown to show, in place."""
    codes: Codes = Codes()
    """Completion codes."""
    redirect: Annotated[
        Annotated[Literal["none", "prolific", "connect", "sona", "mturk"], Tag("word")]
        | Annotated[Redirects, Tag("mapping")],
        BY_SHAPE,
    ] = "none"
    """The platform to go back to, or `{complete: https://…, …}`."""

    @property
    def closing(self) -> Closing:
        codes = self.codes.model_dump()
        if isinstance(self.redirect, Redirects):
            return Closing(codes=codes, addresses=self.redirect.model_dump(exclude_none=True))
        return Closing(codes=codes, platform=None if self.redirect == "none" else self.redirect)


def _check(reading: Reading, entry: Entry, entries: Sequence[Entry]) -> None:
    finish = entry.item
    assert isinstance(finish, Finish)
    _codes(reading, finish)
    _endings(reading, finish, entries)
    _redirect(reading, finish)


def _codes(reading: Reading, finish: Finish) -> None:
    place = reading.place(finish).get("codes")
    if place is None or reading.is_broken(place.path):
        return
    own = [(node.value, node) for node in place.value.values() if node.value != "auto"]
    report_repeated(reading, own, "code")
    for value, node in own:
        if not value.strip():
            reading.report(node, "the code is empty.", "Write a code, or `auto`.")


def _endings(reading: Reading, finish: Finish, entries: Sequence[Entry]) -> None:
    """The author's codes leave out a possible end of sessions."""
    place = reading.place(finish).get("codes")
    if place is None or reading.is_broken(place.path):
        return
    for ending in dict.fromkeys(
        entry.item.ending for entry in entries if entry.item.ending is not None
    ):
        if ending not in place.value and any(node.value != "auto" for node in place.value.values()):
            message = (
                f"a check can end a session as {ending!r}, and there is no code for that: one is"
                " made up."
            )
            reading.report(
                place,
                message,
                f"Add `{ending}: …` to the codes, or `{ending}: auto`.",
                severity="warning",
            )


def _redirect(reading: Reading, finish: Finish) -> None:
    place = reading.place(finish).get("redirect")
    if place is None or reading.is_broken(place.path) or reading.is_broken("recruit"):
        return
    if isinstance(finish.redirect, Redirects):
        for node in place.value.values():
            if node.value is not None:
                _address(reading, node)
        return
    platform = reading.study.recruit.platform
    if finish.redirect == "none":
        return
    if finish.redirect != platform:
        message = (
            f"people are sent back to {finish.redirect!r}, but come from {platform!r}, without its"
            " id parameters."
        )
        reading.report(
            place,
            message,
            f"Set `recruit: {{platform: {finish.redirect}}}`, or change the redirect.",
        )
    elif not PLATFORMS[platform].sends_back:
        cure = "Write {complete: 'https://YOUR-SITE…&survey_code={survey_code}'}."
        reading.report(place, f"{platform!r} has an address of its own for each institution.", cure)


def _address(reading: Reading, node: Node) -> None:
    address = str(node.value)
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        reading.report(
            node,
            f"expected an address that starts with https://, got {shown(address)}.",
            "Give a full address.",
        )
        return
    known = ("code", *parameters(reading.study.recruit))
    for name in re.findall(r"\{([^{}]*)\}", address):
        if name not in known:
            reading.report(node, *unknown("parameter", name, known))


def _check_all(reading: Reading, entries: Sequence[Entry]) -> None:
    """There is one, at the end, for all participants."""
    ends = [entry for entry in entries if entry.item.closing is not None]
    if not ends:
        place = reading.root.get("timeline")
        written = place is not None and place.is_list and place.value
        if place is not None and written and not {"*", "finish"} & reading.doubtful:
            reading.report(place, "the timeline has no finish.", "End it with `- finish: {}`.")
        return
    first = reading.place(ends[0].item)
    for extra in ends[1:]:
        message = f"a second finish; the first is in line {first.line}."
        reading.report(reading.place(extra.item), message, "Remove one of them.")
    if len(ends) == 1 and entries[-1] is not ends[0]:
        reading.report(
            first, "finish is not the last entry of the timeline.", "Move it to the end."
        )
    elif ends[0].blocks:
        reading.report(
            first,
            "finish is inside a block.",
            "Move it behind the block, to the end of the timeline.",
        )
    if ends[0].item.skip_if is not None:
        reading.report(
            first.get("skip_if") or first, "finish cannot be skipped.", "Remove the rule."
        )


FINISH = PageKind(
    name="finish",
    record=Finish,
    folder=Path(__file__).parent,
    checks=StudyChecks(entry=_check, timeline=_check_all),
)

"""Record the reason for changing a study that participants have begun."""

from __future__ import annotations

from dataclasses import dataclass

from believable.app.options import option, options, use_case
from believable.app.settings import whole_definition
from believable.app.study_data import StudyOptions, write_noted
from believable.collect.revise import PendingChange, checked_reason
from believable.collect.revise import revise as write_revision


@options
class ReviseOptions(StudyOptions):
    reason: str = option(
        "What changed and why, as readers of the report should know it.", metavar="TEXT"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRevision:
    """A version with its reason. `change` is None if the version was in use already."""

    number: int
    definition: str
    change: PendingChange | None

    def as_json(self) -> object:
        changes = [] if self.change is None else [str(change) for change in self.change.changes]
        return {"version": self.number, "definition": self.definition, "changes": changes}


@use_case(ReviseOptions)
def revise(options: ReviseOptions) -> RecordedRevision:
    """Record why a running study changes.

    Lists what differs between the study folder and the definition of the latest session (page
    texts, questions, media by their digests), stores the reason, and gives the changed study to new
    sessions, also on a server that is running. Sessions that have begun keep their version.
    The report lists every version with its sessions, its reason and its wording.
    """
    study, reason = options.study_data(), checked_reason(options.reason)
    with study.open() as store:
        with options.counting("Preparing media") as progress:
            whole = whole_definition(study.folder, study.settings.media_dir, progress)
        at_ms = store.clock.now_ms()
        pending, number = write_noted(
            store,
            lambda conn: write_revision(
                conn,
                study_id=study.name,
                definition=whole,
                reason=reason,
                user=options.actor,
                at_ms=at_ms,
            ),
            f"revised the study to {whole.hash[:12]}: {reason}",
            user=options.actor,
            study=study.name,
        )
    if pending is not None and any(change.part == "extension" for change in pending.changes):
        options.say(
            "The code of an instrument changed: restart the server before you invite participants."
        )
    return RecordedRevision(number=number, definition=whole.hash, change=pending)

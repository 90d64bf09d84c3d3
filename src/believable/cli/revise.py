"""`believable revise`: the reason for changing a study that participants have begun."""

from __future__ import annotations

import click

from believable.cli.place import (
    ACTOR,
    StudyData,
    bar,
    extensions_option,
    study_argument,
    study_data_options,
)


@click.command()
@study_argument
@click.option(
    "--reason",
    required=True,
    metavar="TEXT",
    help="What changed and why, as readers of the report should know it.",
)
@study_data_options
@extensions_option
def command(study: StudyData, reason: str) -> None:
    """Record why a running study changes.

    Lists what differs between the study folder and the definition of the latest session (page
    texts, questions, media by their digests), stores the reason, and gives the changed study to new
    sessions, also on a server that is running. Sessions that have begun keep what they began with.
    The report lists every version with its sessions, its reason and its wording.

    \b
    Example:
      believable revise my-study --reason "The prompt of page 3 had a typing error."
    """
    from believable.collect.revise import checked_reason, revise
    from believable.pages import KINDS
    from believable.store.audit_log import noted
    from believable.web.settings import whole_definition

    words, name = checked_reason(reason), study.name
    with study.open() as store:
        with bar("Preparing media") as progress:
            whole = whole_definition(study.folder, study.settings.media_dir, progress)
        at_ms = store.clock.now_ms()
        change = noted(
            lambda conn: revise(
                conn, KINDS, study_id=name, definition=whole, reason=words, user=ACTOR, at_ms=at_ms
            ),
            user=ACTOR,
            what=f"revised the study to {whole.hash[:12]}: {words}",
            at_ms=at_ms,
            study=name,
        )
        pending, number = store.write(change)
    if pending is None:
        click.echo(
            f"Version {number} ({whole.hash[:12]}…) was in use without a stated reason; now it has"
            " one."
        )
        return
    click.echo(
        f"{pending}\nVersion {number} ({whole.hash[:12]}…): new sessions begin with it from now on."
    )
    if any(change.part == "extension" for change in pending.changes):
        click.echo(
            "The code of an instrument changed: restart the server before participants come.",
            err=True,
        )

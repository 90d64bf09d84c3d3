"""`believable preregister`: the declared plan on record, with documents to upload."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from believable.cli.place import (
    StudyData,
    bar,
    definition_of,
    extensions_option,
    study_argument,
    study_data_options,
    utc_now,
)
from believable.core.errors import BelievableError, InvalidInput

if TYPE_CHECKING:
    from believable.study.definition import Definition


@click.command()
@study_argument
@click.option(
    "--again",
    is_flag=True,
    help="Register a changed plan as well; the earlier registration is kept beside it.",
)
@study_data_options
@extensions_option
def command(study: StudyData, again: bool) -> None:
    """Put the declared plan of a study on record.

    Writes preregistration/ into the study folder: plan.json with its SHA-256, definition.json with
    the study as it is now (wordings, pages, digests of media), and the plan as Markdown in the
    shape of the OSF form and of AsPredicted, to be uploaded there. From then on results are marked
    against that hash, and a study that was changed before its first session counts as a deviation.
    The same plan again changes nothing; a changed one is refused unless --again is given.

    \b
    Example:
      believable preregister my-study
    """
    from believable.analysis import preregistration, registered
    from believable.analysis.power_record import read_power
    from believable.analysis.resolution import resolve
    from believable.core.whole_files import write_whole
    from believable.protocols import PROTOCOLS

    folder = study.folder
    definition = definition_of(folder)
    if definition.study.analysis is None:
        raise InvalidInput(
            f"{folder}/study.yaml: it declares no analysis. Add an `analysis:` block, then"
            " preregister it."
        )
    plan = resolve(definition.study.analysis, definition.study, PROTOCOLS)
    before = registered.read(folder)
    collected = real_sessions(study)
    whole = _with_media(study, definition)
    registration = registered.register(
        plan,
        folder,
        registered_on=utc_now(),
        again=again,
        sessions_before=collected,
        definition=whole.to_json(),
    )
    target = folder / registered.FOLDER
    documents = (("osf.md", preregistration.osf), ("aspredicted.md", preregistration.aspredicted))
    known = before is not None and before == registration
    if known and all(
        (target / name).is_file() for name, _ in documents
    ):  # they may be missing where a disk was full
        click.echo(
            f"This plan was registered on {registration.registered_on} already; nothing was"
            " changed."
        )
        if registration.definition not in (None, whole.to_json()):
            click.echo(
                "Note: the study itself differs from the one that was registered, which the report"
                " will count as a deviation. To register it as it is now, and keep the first, add"
                " --again.",
                err=True,
            )
    else:
        powered = read_power(folder)
        for name, document in documents:
            text = document(definition, plan, registration, collected=collected, powered=powered)
            write_whole(target / name, text)
            click.echo(f"Wrote {target / name}")
        if collected:
            click.echo(
                f"Note: {collected} real sessions had begun already; the documents and the report"
                " say so.",
                err=True,
            )
    click.echo(f"SHA-256 of the plan: {registration.hash}")


def _with_media(study: StudyData, definition: Definition) -> Definition:
    """The definition with its media, by which a later change shows. If they cannot be prepared yet,
    it goes without.
    """
    from believable.web.settings import whole_definition

    try:
        with bar("Preparing media") as progress:
            return whole_definition(study.folder, study.settings.media_dir, progress)
    except BelievableError as error:
        click.echo(
            "Note: the stimuli are not part of the registration, because they cannot be prepared"
            f" yet: {error}",
            err=True,
        )
        return definition


def real_sessions(study: StudyData) -> int | None:
    """How many real sessions there are; None where the study was never served."""
    from believable.store.collected import count

    if not study.served:
        return None
    with study.open() as store:
        return int(store.read(lambda conn: count(conn, study.name, simulated=False)))

"""`believable preregister`: the declared plan on record, with documents to upload."""

from __future__ import annotations

import click

from believable.cli.place import StudyData, definition_of, extensions_option, study_argument, study_data_options, utc_now
from believable.core.errors import InvalidInput


@click.command()
@study_argument
@click.option("--again", is_flag=True, help="Register a changed plan as well; the earlier registration is kept beside it.")
@study_data_options
@extensions_option
def command(study: StudyData, again: bool) -> None:
    """Put the declared plan of a study on record.

    Writes preregistration/ into the study folder: plan.json with its SHA-256, and the same plan as Markdown in the shape of the
    OSF form and of AsPredicted, to be uploaded there. From then on results are marked against that hash. The same plan again
    changes nothing; a changed one is refused unless --again is given.

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
        raise InvalidInput(f"{folder}/study.yaml: it declares no analysis. Add an `analysis:` block, then preregister it.")
    plan = resolve(definition.study.analysis, definition.study, PROTOCOLS)
    before = registered.read(folder)
    collected = real_sessions(study)
    registration = registered.register(plan, folder, registered_on=utc_now(), again=again, sessions_before=collected)
    target = folder / registered.FOLDER
    documents = (("osf.md", preregistration.osf), ("aspredicted.md", preregistration.aspredicted))
    known = before is not None and before.hash == registration.hash
    if known and all((target / name).is_file() for name, _ in documents):  # they may be missing where a disk was full
        click.echo(f"This plan was registered on {registration.registered_on} already; nothing was changed.")
    else:
        powered = read_power(folder)
        for name, document in documents:
            text = document(definition, plan, registration, collected=collected, powered=powered)
            write_whole(target / name, text)
            click.echo(f"Wrote {target / name}")
        if collected:
            click.echo(f"Note: {collected} real sessions had begun already; the documents and the report say so.", err=True)
    click.echo(f"SHA-256 of the plan: {registration.hash}")


def real_sessions(study: StudyData) -> int | None:
    """How many real sessions there are; None where the study was never served."""
    from believable.store.collected import count

    if not study.served:
        return None
    with study.open() as store:
        return int(store.read(lambda conn: count(conn, study.name, simulated=False)))

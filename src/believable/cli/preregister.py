"""`believable preregister`: the declared plan on record, with documents to upload."""

from __future__ import annotations

from pathlib import Path

import click

from believable.cli.place import data_options, extensions_option, settings_for, study_argument, study_folder
from believable.core.errors import InvalidInput


@click.command()
@study_argument
@click.option(
    "--again", is_flag=True, help="Register a changed plan as well; the earlier registration is kept beside it."
)
@data_options
@extensions_option
def command(study: Path, again: bool, data: Path | None, database: str | None) -> None:
    """Put the declared plan of a study on record.

    Writes preregistration/ into the study folder: plan.json with its SHA-256, and the same plan as Markdown in the shape of the
    OSF form and of AsPredicted, to be uploaded there. From then on results are marked against that hash. The same plan again
    changes nothing; a changed one is refused unless --again is given.

    \b
    Example:
      believable preregister my-study
    """
    import datetime

    from believable.analysis import preregistration, registered
    from believable.analysis.power_record import read_power
    from believable.analysis.resolution import resolve
    from believable.core.clock import WallClock
    from believable.pages import KINDS
    from believable.protocols import PROTOCOLS
    from believable.study.load import load

    folder = study_folder(study)
    definition = load(folder, kinds=KINDS, protocols=PROTOCOLS)
    if definition.study.analysis is None:
        raise InvalidInput(
            f"{folder}/study.yaml: it declares no analysis. Add an `analysis:` block, then preregister it."
        )
    plan = resolve(definition.study.analysis, definition.study, PROTOCOLS)
    now = datetime.datetime.fromtimestamp(WallClock().now_ms() / 1000, datetime.UTC).isoformat(timespec="seconds")
    before = registered.read(folder)
    collected = real_sessions(folder, data, database)
    registration = registered.register(plan, folder, registered_on=now, again=again, sessions_before=collected)
    if before is not None and before.hash == registration.hash:
        click.echo(f"This plan was registered on {before.registered_on} already; nothing was changed.")
    else:
        target = folder / registered.FOLDER
        powered = read_power(folder)
        for name, document in (("osf.md", preregistration.osf), ("aspredicted.md", preregistration.aspredicted)):
            text = document(definition, plan, registration, collected=collected, powered=powered)
            (target / name).write_text(text, encoding="utf-8")
            click.echo(f"Wrote {target / name}")
        if collected:
            click.echo(
                f"Note: {collected} real sessions had begun already; the documents and the report say so.", err=True
            )
    click.echo(f"SHA-256 of the plan: {registration.hash}")


def real_sessions(folder: Path, data: Path | None, database: str | None) -> int | None:
    """How many real sessions there are; None where the study was never served."""
    from believable.core.clock import WallClock
    from believable.store.collected import count
    from believable.store.engine import Store
    from believable.web.settings import study_id

    settings = settings_for([folder], data, database)
    if settings.database_url is None and not (settings.data_dir / "believable.db").exists():
        return None
    with Store.open(settings.url, clock=WallClock()) as store:
        return int(store.read(lambda conn: count(conn, study_id(folder), simulated=False)))

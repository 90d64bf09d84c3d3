"""`believable schema`: the JSON Schema of study files."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
def command(output: Path | None) -> None:
    """Print the JSON Schema of study files, for editors.

    Point an editor at it and it completes keys and marks mistakes while you type.

    \b
    Example:
      believable schema -o study.schema.json
    """
    import json

    from believable.instruments import INSTRUMENTS
    from believable.study.schema import json_schema

    text = json.dumps(json_schema(INSTRUMENTS), indent=2, ensure_ascii=False)
    if output is None:
        click.echo(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")
        click.echo(
            f"Wrote {output}. In study.yaml, first line: # yaml-language-server: $schema={output.name}"
        )

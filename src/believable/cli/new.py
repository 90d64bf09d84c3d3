"""`believable new`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from believable.app.new import new
from believable.cli.derive import derive
from believable.core.shell import quote_command


@derive(
    new,
    example="""
      believable new my-study --blank
      believable new my-study --template compare-agents --languages de
      believable new my-study --protocol hntt
      believable new my-study --protocol hntt --clips human=clips/people --clips agent=clips/agent
      believable new my-study --protocol hntt --agent reward_shaping --humans clips/people
      believable new my-study --protocol hntt --agent hybrid --humans clips/people \
--people-pairs 2 --mismatched 2
      believable new my-study --protocol replay --town --seed 3
      believable new my-study --protocol clips --recordings rec
    """,
)
def command(folders: Sequence[Path]) -> None:
    for folder in folders:
        click.echo(f"Wrote {folder}. Next: {quote_command('believable check', folder)}")

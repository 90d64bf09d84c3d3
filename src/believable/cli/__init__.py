"""The command line. One file per command; a command is loaded when it is asked for, so that `--help` answers at once.

Exit codes: 0 done; 1 problems in what was given (a study, a file, a value); 2 wrong usage; 3 something could not be
checked because an optional part is missing; 4 the world said no (not found, not allowed, in use, disk full); 130 interrupted.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass

import click

from believable import __version__
from believable.core.errors import BelievableError, InvalidInput, MissingExtra
from believable.core.registry import did_you_mean

EXIT_OK = 0
EXIT_PROBLEMS = 1
EXIT_USAGE = 2
EXIT_UNCHECKED = 3
EXIT_REFUSED = 4
EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Entry:
    """A command as the overview shows it. `module` is the file in this folder; it holds the click command `command`."""

    name: str
    module: str
    about: str


#: In the order in which a study is made.
COMMANDS: tuple[Entry, ...] = (
    Entry("new", "new", "Start a study folder from a ready-made protocol."),
    Entry("check", "check", "Report every problem of a study at once."),
    Entry("power", "power", "Find out how many participants a study needs."),
    Entry("preregister", "preregister", "Put the declared plan of a study on record."),
    Entry("stimuli", "stimuli", "Turn recordings into stimuli that differ in nothing but what is judged."),
    Entry("record", "record", "Record rounds of a game as stimuli."),
    Entry("schema", "schema", "Print the JSON Schema of study files, for editors."),
    Entry("gallery", "gallery", "Try every instrument and player in the browser."),
    Entry("serve", "serve", "Serve studies to participants and researchers."),
    Entry("demo", "demo", "Serve a ready study with live simulated participants."),
    Entry("simulate", "simulate", "Let simulated participants take a study."),
    Entry("list", "list", "List studies, their links and their numbers."),
    Entry("user", "user", "Add, list and change researcher accounts."),
    Entry("recruit", "recruit", "Match a recruiting platform's export with the sessions."),
    Entry("code", "coding", "Bring free texts and labels to the coder's desk, and take them out."),
    Entry("export", "export", "Write the dataset of a study."),
    Entry("analyse", "analyse", "Compute the declared analysis of a study."),
    Entry("report", "report", "Analyse a study and write its report."),
    Entry("publish", "publish", "Build the anonymised release folder of a study."),
    Entry("import", "importing", "Turn another tool's export into our formats."),
    Entry("backup", "backup", "Copy the database while it is in use."),
    Entry("restore", "restore", "Put a verified backup back in place."),
)


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only when it runs or shows its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [entry.name for entry in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for entry in COMMANDS:
            if entry.name == cmd_name:
                command: click.Command = importlib.import_module(f"believable.cli.{entry.module}").command
                return command
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!r}. {did_you_mean(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(entry.name, entry.about) for entry in COMMANDS])


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(__version__, prog_name="believable")
def group() -> None:
    """Find out whether people believe an agent.

    A study is a folder with a study.yaml. Start one, check it, try it with simulated participants, serve it, export the data.

    \b
    Example:
      believable new my-study
      believable check my-study
      believable serve my-study

    Exit codes: 0 done, 1 problems in what was given, 2 wrong usage, 3 something could not be checked (an optional part is
    missing), 4 the world said no (not found, not allowed, in use, disk full), 130 interrupted.
    """


def exit_code(error: BaseException) -> int:
    """The exit code that stands for an error."""
    if isinstance(error, MissingExtra):
        return EXIT_UNCHECKED
    if isinstance(error, InvalidInput):
        return EXIT_PROBLEMS
    return EXIT_REFUSED


def main() -> None:
    """Run the command line: our own errors become one clear message and an exit code, never a traceback."""
    try:
        result = group.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.exceptions.Abort:
        click.echo("Interrupted.", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except (BelievableError, OSError) as error:
        click.echo(f"believable: {error}", err=True)
        sys.exit(exit_code(error))
    sys.exit(result if isinstance(result, int) else EXIT_OK)

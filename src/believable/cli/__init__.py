"""The command line. Each command is a file, or a few that belong together; it is derived from a use
case of `believable.app` and loaded on first use, so that `--help` answers at once.
"""

from __future__ import annotations

import gc
import importlib
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

import click

from believable import __version__
from believable.cli.exit_codes import EXIT_CODES, INTERRUPTED, OK, exit_code
from believable.core.child_python import protect_children
from believable.core.errors import BelievableError
from believable.core.system import ENDING_SIGNALS


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command as the overview shows it. `module` is the file in this folder, `function` the click
    command in it.
    """

    name: str
    module: str
    about: str
    function: str = "command"


#: In the order in which a study is made.
COMMANDS: tuple[CommandEntry, ...] = (
    CommandEntry("new", "new", "Start a study folder."),
    CommandEntry("check", "check", "Report every problem of a study at once."),
    CommandEntry("power", "power", "Find out how many participants a study needs."),
    CommandEntry("preregister", "preregister", "Put the declared plan of a study on record."),
    CommandEntry(
        "stimuli", "stimuli", "Turn recordings into stimuli that differ only in the judged quality."
    ),
    CommandEntry("giveaways", "giveaways", "Find what gives an agent away, before people judge."),
    CommandEntry("judge", "judge", "Train an automatic judge, score recordings, explain scores."),
    CommandEntry("record", "record", "Record rounds of a game as stimuli."),
    CommandEntry(
        "versus",
        "versus",
        "Find out whether a new version of an agent is taken for a person more often than the"
        " old one.",
    ),
    CommandEntry(
        "agents", "agents", "List agents by world with their requirements, or describe one."
    ),
    CommandEntry("town", "town", "Let people live in a town, and look into their minds."),
    CommandEntry("train", "train", "Train an agent of a world for a task."),
    CommandEntry("learn", "imitation", "Learn to play like the person in recordings.", "learn"),
    CommandEntry(
        "continue", "imitation", "Let a learned player continue a recording.", "continue_recording"
    ),
    CommandEntry("evaluate", "train", "Measure how close an agent is to people.", "evaluate"),
    CommandEntry("schema", "check", "Print the JSON Schema of study files, for editors.", "schema"),
    CommandEntry("gallery", "gallery", "Try every instrument and player in the browser."),
    CommandEntry("serve", "serve", "Serve studies to participants and researchers."),
    CommandEntry("revise", "revise", "Record why a running study changes."),
    CommandEntry("demo", "demo", "Serve the ready studies with live simulated participants."),
    CommandEntry("simulate", "simulate", "Let simulated participants take a study."),
    CommandEntry("list", "list", "List studies, their links and their numbers."),
    CommandEntry("user", "user", "Add, list and change researcher accounts."),
    CommandEntry("audit", "audit", "Write the audit log of a study as CSV, oldest line first."),
    CommandEntry("recruit", "recruit", "Match a recruiting platform's export with the sessions."),
    CommandEntry(
        "code", "coding", "Bring free texts and labels to the coder's desk, and take them out."
    ),
    CommandEntry("export", "export", "Write the dataset of a study."),
    CommandEntry("join", "join", "Join datasets of one study from several laboratories."),
    CommandEntry("analyse", "analyse", "Compute the declared analysis of a study."),
    CommandEntry("ladder", "ladder", "Join studies with common agents into one ladder."),
    CommandEntry("report", "report", "Analyse a study and write its report."),
    CommandEntry("publish", "publish", "Build the anonymised release folder of a study."),
    CommandEntry("import", "importing", "Turn another tool's export into our formats."),
    CommandEntry("backup", "backup", "Copy the database while it is in use."),
    CommandEntry("restore", "backup", "Put a verified backup back in place.", "restore"),
)


@contextmanager
def pause_collector() -> Iterator[None]:
    """Pause the collector of garbage: loading makes hardly any, and looking for it takes a
    twentieth of a server's start.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only when it runs or shows its own
    help.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [entry.name for entry in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for entry in COMMANDS:
            if entry.name == cmd_name:
                with pause_collector():
                    module = importlib.import_module(f"believable.cli.{entry.module}")
                command: click.Command = getattr(module, entry.function)
                return command
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            from believable.core.registry import did_you_mean

            ctx.fail(
                f"there is no command {args[0]!r}. {did_you_mean(args[0], self.list_commands(ctx))}"
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(entry.name, entry.about) for entry in COMMANDS])
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), about) for code, about in EXIT_CODES.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="believable")
def group() -> None:
    """Find out whether people believe an agent.

    A study is a folder with a study.yaml. Start one, check it, try it with simulated participants,
    serve it, export the data.

    \b
    Example:
      believable new my-study
      believable check my-study
      believable serve my-study
    """


class Terminated(BaseException):
    """The process was asked to end. As with Ctrl-C, blocks are left in order, so that child
    processes and drafts are removed.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _raise_terminated(number: int, frame: FrameType | None) -> NoReturn:
    # A second signal must not interrupt the clean-up. SIGKILL remains.
    for ending in ENDING_SIGNALS:
        signal.signal(ending, signal.SIG_IGN)
    raise Terminated(number)


def handle_ending_signals() -> None:
    """End by an exception if the process is asked to end: by default it would die at once, and
    leave its children running.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores SIGHUP, and that stays
            signal.signal(number, _raise_terminated)


def _end_by(number: int) -> NoReturn:
    """End as the signal would have: service managers distinguish that from a failure."""
    sys.stdout.flush()
    sys.stderr.flush()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
    sys.exit(128 + number)


def main() -> None:
    """Run the command line: our own errors become one clear message and an exit code, never a
    traceback.
    """
    protect_children()
    handle_ending_signals()
    try:
        result = group.main(standalone_mode=False)
    except click.ClickException as error:
        if "--json" in sys.argv[1:]:
            import json  # parsing errors are rare, and --help shall answer at once

            report = {"kind": "WrongUsage", "message": error.format_message()}
            click.echo(json.dumps({"error": report | {"exit_code": error.exit_code}}))
        error.show()
        sys.exit(error.exit_code)
    except click.exceptions.Abort:
        click.echo("Interrupted.", err=True)
        sys.exit(INTERRUPTED)
    except Terminated as ended:
        _end_by(ended.number)
    except (BelievableError, OSError) as error:
        from believable.core.whole_files import disk_error

        refusal = disk_error(error) if isinstance(error, OSError) else error
        click.echo(f"believable: {refusal}", err=True)
        sys.exit(exit_code(error))
    sys.exit(result if isinstance(result, int) else OK)

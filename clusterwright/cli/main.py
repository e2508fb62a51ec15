"""`clusterwright`: finds the command that was asked for and imports that one only."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from clusterwright import __version__
from clusterwright.cli import collector
from clusterwright.cli.errors import UserError
from clusterwright.cli.lazy import LazyGroup

# name -> (module, one line for --help). Help is kept here so that `--help` imports no command.
COMMANDS: dict[str, tuple[str, str]] = {
    "plan": ("clusterwright.cli.plan", "Size a cluster for a training goal, with an interval"),
    "init": ("clusterwright.cli.init", "Write a commented starting file"),
    "expand": ("clusterwright.cli.expand", "Print the resolved spec"),
    "check": ("clusterwright.cli.check", "Try quotas, capacity, network and storage rules"),
    "cost": ("clusterwright.cli.cost", "Say what the cluster costs, per hour, month and run"),
    "diff": ("clusterwright.cli.diff", "Say what a change means, before it is merged"),
    "migrate": ("clusterwright.cli.migrate", "Write the same cluster for another platform"),
    "artefacts": ("clusterwright.cli.artefacts", "Mirror what nodes download to the bucket"),
    "catalog": ("clusterwright.cli.catalog", "Show, date and refresh the built-in facts"),
    "render": ("clusterwright.cli.render", "Print what another tool deploys: a configuration"),
}
# Commands of distributions of their own, found by their entry points: name -> distribution.
OPTIONAL_COMMANDS: dict[str, str] = {
    "rehearse": "clusterwright-rehearsal",
    "localaws": "clusterwright-localaws",
}

EXIT_INTERNAL_ERROR = 70


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    optional=OPTIONAL_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="clusterwright")
def cli() -> None:
    """Build AWS clusters for training large models from one reviewed file.

    Exit codes: 0 nothing wrong; 1 a finding; 2 something could not be answered;
    3 the command line or the spec is wrong; 70 a bug of ours.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; nothing escapes as a traceback.

    Without arguments those of the process are taken, which then ends with the command.
    """
    if arguments is None:
        collector.process_is_ours()
    try:
        result = cli.main(
            args=None if arguments is None else list(arguments),
            prog_name="clusterwright",
            standalone_mode=False,
        )
        return result if isinstance(result, int) else 0
    except UserError as error:
        _say(error.message, error.hint)
        return error.exit_code
    except click.UsageError as error:
        _say(error.format_message().rstrip("."), _usage_hint(error))
        return 3
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (`| head`); there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # the last line of defence: our bug, said as one
        if os.environ.get("CLUSTERWRIGHT_DEBUG"):
            raise
        _say(
            f"a bug in clusterwright {__version__}: {type(error).__name__}: {error}",
            "set CLUSTERWRIGHT_DEBUG=1 to see where, and please report it",
        )
        return EXIT_INTERNAL_ERROR


def _usage_hint(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else "clusterwright"
    return f"see `{path} --help`"


def _say(message: str, hint: str | None) -> None:
    print(f"error: {message}", file=sys.stderr)
    if hint:
        print(f"\nhint: {hint}", file=sys.stderr)

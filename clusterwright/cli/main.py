"""Entry point of `clusterwright`, which imports only the command that runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import click

from clusterwright import __version__
from clusterwright.cli import garbage_collection, standard_streams
from clusterwright.cli.errors import UserError, machine_fault
from clusterwright.cli.lazy import LazyGroup

# Name -> (module, one line for --help). With the help text here, `--help` imports no command.
COMMANDS: dict[str, tuple[str, str]] = {
    "plan": ("clusterwright.cli.plan", "Estimate the duration and cost of a training run"),
    "init": ("clusterwright.cli.init", "Write a commented spec to start from"),
    "expand": ("clusterwright.cli.expand", "Print the resolved spec"),
    "check": (
        "clusterwright.cli.check",
        "Check a spec against quotas, capacity, network, storage and budget",
    ),
    "check-job": (
        "clusterwright.cli.check_job",
        "Check a batch script or manifests of jobs against a cluster",
    ),
    "cost": ("clusterwright.cli.cost", "Print the cost of a cluster per hour, month and run"),
    "diff": ("clusterwright.cli.diff", "Review a change to a spec before it is merged"),
    "destroy-plan": (
        "clusterwright.cli.destroy_plan",
        "Show what deleting a cluster loses, leaves and costs",
    ),
    "migrate": ("clusterwright.cli.migrate", "Write the spec of a cluster for another platform"),
    "status": ("clusterwright.cli.status", "Show a deployed cluster and what is wrong with it"),
    "accept": ("clusterwright.cli.accept", "Test the nodes of a deployed cluster"),
    "drift": ("clusterwright.cli.drift", "List what differs from the file and the deployment"),
    "capacity": (
        "clusterwright.cli.capacity",
        "Show purchased capacity, spares and the cost of a failure",
    ),
    "diagnose": (
        "clusterwright.cli.diagnose",
        "Find out why a deployment, a node or a job failed",
    ),
    "topology": (
        "clusterwright.cli.topology",
        "Show the network tree of the nodes and jobs across spines",
    ),
    "node": ("clusterwright.cli.node", "Drain, resume, reboot and replace nodes"),
    "artefacts": (
        "clusterwright.cli.artefacts",
        "Mirror the files that nodes download to the bucket",
    ),
    "catalog": (
        "clusterwright.cli.catalog",
        "Show the built-in facts and their age, and refresh them",
    ),
    "report": ("clusterwright.cli.report", "Show what training runs did with their time"),
    "render": ("clusterwright.cli.render", "Print documents for ParallelCluster and Kubernetes"),
}
# Commands of other distributions, found by entry points: name -> distribution.
OPTIONAL_COMMANDS: dict[str, str] = {
    "rehearse": "clusterwright-rehearsal",
    "localaws": "clusterwright-localaws",
}

EXIT_WRONG_USE = 3
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

    Exit codes: 0 success; 1 a finding; 2 something is unknown; 3 the command line or the spec is
    wrong; 70 an internal error.
    """


_LINES = "\n\t"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; errors become messages.

    Without arguments it runs those of the process, which then ends with the command.
    """
    if arguments is not None:
        return _reported(lambda: _run(list(arguments)))
    garbage_collection.exit_with_command()
    code = _reported(_run_process)
    return _reported(_flush) or code


def _run_process() -> int:
    standard_streams.prepare()
    return _run(None)


def _flush() -> int:
    standard_streams.flush()
    return 0


def _run(arguments: list[str] | None) -> int:
    result = cli.main(args=arguments, prog_name="clusterwright", standalone_mode=False)
    return result if isinstance(result, int) else 0


def _reported(run: Callable[[], int]) -> int:
    """Return the exit code of `run`; an error becomes a message and its exit code."""
    try:
        return run()
    except UserError as error:
        _print_error(error.message, error.hint)
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        # A group without a command: its help is the message.
        print(error.format_message(), file=sys.stderr)
        return EXIT_WRONG_USE
    except click.UsageError as error:
        _print_error(error.format_message().rstrip("."), _usage_hint(error))
        return EXIT_WRONG_USE
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        fault = machine_fault(error)
        if fault is not None:
            _print_error(fault, None)
            return EXIT_WRONG_USE
        if os.environ.get("CLUSTERWRIGHT_DEBUG"):
            raise
        _print_error(
            f"internal error in clusterwright {__version__}: {type(error).__name__}: {error}",
            "set CLUSTERWRIGHT_DEBUG=1 to see where, and please report it",
        )
        return EXIT_INTERNAL_ERROR


def _usage_hint(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else "clusterwright"
    return f"see `{path} --help`"


def _print_error(message: str, hint: str | None) -> None:
    from clusterwright.cluster_spec.problems import printable

    # A file name or an answer of AWS in it may have control characters of terminals.
    print(f"error: {printable(message, keep=_LINES)}", file=sys.stderr)
    if hint:
        print(f"\nhint: {printable(hint, keep=_LINES)}", file=sys.stderr)

"""`clusterwright rehearse`: deploy locally, boot the nodes, inject faults, report the verdict."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from clusterwright import files
from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import load_or_exit
from clusterwright.cli.options import spec_options, spec_path
from clusterwright_rehearsal.nodes.images import DEFAULT_SUITE, SUITES

if TYPE_CHECKING:
    from clusterwright_rehearsal.verdict import Verdict

EXIT_CODES = """\b
Exit codes: 0 every promise passed; 1 a promise failed, or --clean could not remove something;
2 no promise failed, but some could not be checked; 3 the command line or the spec is invalid.
"""

_GRACE_SECONDS = 10.0
"""How long `--clean` waits for active workers, which may just have been killed."""


@click.command("rehearse", epilog=EXIT_CODES)
@spec_options
@click.option(
    "--nodes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Maximum number of nodes; compute groups are reduced.  [default: by CPUs and memory]",
)
@click.option(
    "--scenario",
    "chosen",
    multiple=True,
    metavar="NAME|FILE",
    help="Run only this scenario; can be repeated.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Run every scenario that applies (tens of minutes), not only the default ones.",
)
@click.option(
    "--lifecycle",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Use this folder of custom lifecycle scripts (on_create.sh).",
)
@click.option(
    "--slurm",
    "suite",
    default=DEFAULT_SUITE,
    show_default=True,
    metavar="SUITE",
    help=f"The Debian suite of Slurm: {' or '.join(SUITES)}.",
)
@click.option(
    "--keep",
    is_flag=True,
    help="Keep the cluster running, and show how to open a shell on a node.",
)
@click.option(
    "--state-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("/var/lib/clusterwright"),
    show_default=True,
    help="The folder of images and runs.",
)
@click.option(
    "--clean",
    is_flag=True,
    help="Remove the files and machines of earlier runs, also those that --keep has kept.",
)
@click.option("--list", "listing", is_flag=True, help="List the scenarios and exit.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the verdict to FILE as an HTML page with a timeline.",
)
@click.pass_context
def command(
    ctx: click.Context,
    config: str | None,
    config_option: str | None,
    environment: str | None,
    nodes: int | None,
    chosen: tuple[str, ...],
    everything: bool,
    lifecycle: Path | None,
    suite: str,
    keep: bool,
    state_dir: Path,
    clean: bool,
    listing: bool,
    output_format: str,
    report: Path | None,
) -> None:
    """Rehearse the deployment of CONFIG on this machine.

    The real templates are deployed with the real cdk to a local AWS. Every node is an emulated
    machine with a real systemd, on which the lifecycle scripts run and Slurm's daemons start. Then
    scenarios run jobs and inject faults: by default a few that take some minutes (--list marks
    them), with --all every one that applies.

    On the EKS platforms only the deployment is rehearsed, because no Kubernetes control plane is
    emulated: promises about nodes are unknown, and the exit code is 2.
    """
    from clusterwright_rehearsal.errors import RehearsalError

    try:
        if clean:
            ctx.exit(_clean(state_dir, output_format))
        if listing:
            ctx.exit(_list(output_format))
        if everything and chosen:
            raise UserError("--all and --scenario exclude each other", "omit one of them")
        path = spec_path(config, config_option, environment)
        spec = load_or_exit(path, command="rehearse", output_format=output_format)
        from clusterwright_rehearsal.nodes import images
        from clusterwright_rehearsal.rehearsal import Request, rehearse

        if suite not in images.SUITES:
            raise UserError(f"--slurm {suite!r} is not one of {', '.join(images.SUITES)}")
        if report is not None:
            _check_writable(report)  # before minutes are spent on the rehearsal
        for number in (signal.SIGINT, signal.SIGTERM):
            # SIGINT too, because a shell ignores it in background processes.
            signal.signal(number, _interrupt)
        verdict = rehearse(
            Request(
                config=str(path),
                cluster=spec.cluster,
                resolved=spec.resolved(),
                state=state_dir,
                suite=suite,
                nodes=nodes,
                chosen=chosen,
                everything=everything,
                lifecycle=lifecycle,
                keep=keep,
            ),
            _progress,
        )
    except RehearsalError as error:
        raise UserError(error.message, error.hint) from error
    if report is not None:
        from clusterwright_rehearsal.report.html import verdict_html

        _write(report, verdict_html(verdict))
    sys.stdout.write(_rendered(verdict, output_format))
    ctx.exit(verdict.exit_code)


def _rendered(verdict: Verdict, output_format: str) -> str:
    from clusterwright.render.style import Style
    from clusterwright_rehearsal.report import text as render

    if output_format == "json":
        from clusterwright_rehearsal.report.json_output import verdict_json

        return verdict_json(verdict)
    return render.verdict_text(verdict, Style.of(sys.stdout))


def _check_writable(path: Path) -> None:
    """Raise `UserError` if the file cannot be written; its contents are not changed."""
    existed = path.exists()
    try:
        path.open("a").close()
    except OSError as error:
        raise _cannot_write(path, error) from error
    if not existed:
        path.unlink()


def _write(path: Path, text: str) -> None:
    try:
        files.write_over(path, text)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> UserError:
    return UserError(
        f"{path} cannot be written: {error.strerror}", "give another file with --report"
    )


def _clean(state: Path, output_format: str) -> int:
    from clusterwright_rehearsal import runs

    if not runs.is_root():
        raise UserError("--clean requires root, like the rehearsal")
    found = runs.clean(state, grace_seconds=_GRACE_SECONDS)
    code = 1 if found.left else 0
    from clusterwright_rehearsal.report import json_output
    from clusterwright_rehearsal.report import text as render

    sys.stdout.write(
        json_output.cleaned_json(found.removed, found.left, found.alive, code)
        if output_format == "json"
        else render.cleaned_text(found.removed, found.left, found.alive)
    )
    return code


def _list(output_format: str) -> int:
    from clusterwright_rehearsal.report import json_output
    from clusterwright_rehearsal.report import text as render
    from clusterwright_rehearsal.report.text import ScenarioRow
    from clusterwright_rehearsal.scenario_loader import scenarios

    rows = [ScenarioRow(s.name, s.title, tuple(s.promises), s.default) for s in scenarios()]
    sys.stdout.write(
        json_output.scenarios_json(rows)
        if output_format == "json"
        else render.scenarios_text(rows)
    )
    return 0


def _progress(text: str) -> None:
    print(f"rehearse: {text}", file=sys.stderr, flush=True)


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt

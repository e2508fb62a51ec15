"""`clusterwright report scaling`: throughput and cost by number of nodes."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from clusterwright.cli import report_files
from clusterwright.cli.garbage_collection import reduced_gc
from clusterwright.cli.inputs import load_or_exit
from clusterwright.cli.options import format_option, prices_option, spec_argument
from clusterwright.cli.output_files import write_atomically

COMMAND = "report scaling"

EPILOG = """\b
Examples:
  clusterwright report scaling configs/prod.yaml --logs sweep/ --sacct jobs.json
  clusterwright report scaling configs/prod.yaml --logs sweep/ --html scaling.html
  clusterwright report scaling --env prod --logs sweep/ --acceptance accepted.json
  clusterwright report scaling --env prod --logs sweep/ --plan n4.json --plan n8.json \\
    --inspector sweep-nccl/

\b
Exit codes: 3 the command line or the spec is wrong; else 2 fewer than two numbers of nodes have a
throughput; else 0. 70 is an internal error.
"""


@click.command(epilog=EPILOG)
@spec_argument
@report_files.job_options
@click.option(
    "--plan",
    "plan_files",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The plan of the training, which has the FLOPs of a token and the throughput. Can be "
    "repeated, with plans for other numbers of nodes.  [default: NAME.plan.json beside the spec]",
)
@click.option(
    "--inspector",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="The folder with files of NCCL Inspector: which of NCCL's operations takes most time is "
    "shown too. A folder in it is a run's, by the job's id in its name.",
)
@click.option(
    "--acceptance",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A report of `clusterwright accept --format json`, or accepted.json of the controller: "
    "the bus bandwidth of its all-reduces is shown too. Can be repeated.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write one HTML document with the curves; an existing file is replaced.",
)
@prices_option("Your own rates.  [default: prices.yaml beside the spec]")
@format_option("text", "json")
@click.pass_context
@reduced_gc()
def command(
    ctx: click.Context,
    /,
    path: Path,
    logs: Path,
    sacct: Path | None,
    plan_files: tuple[Path, ...],
    inspector: Path | None,
    acceptance: tuple[Path, ...],
    html: Path | None,
    prices: str | None,
    output_format: str,
) -> None:
    """Compare runs of the same training on different numbers of nodes of the cluster of CONFIG.

    Each log in the folder is one run. Efficiency is the throughput of a node relative to the
    smallest run; the knee is the first number of nodes below 0.9. The knee against the plan is the
    first with less than 0.9 of the throughput that a plan for it predicts. Acceptance and NCCL
    Inspector show whether communication explains a loss. No AWS API is called.
    """
    from clusterwright.goodput.scaling import scaling_report

    spec = load_or_exit(path, command=COMMAND, output_format=output_format)
    rates = report_files.prices_of(
        spec, path, prices, command=COMMAND, output_format=output_format
    )
    accepted, unknown = report_files.read_acceptance(acceptance, rates.instance_type)
    first, *further = plan_files or (None,)
    report = scaling_report(
        spec.cluster,
        report_files.read_logs(logs),
        report_files.read_accounting(sacct) or (),
        file=str(path),
        prices=rates,
        plan=report_files.read_plan(path, first),
        further=[plan for file in further if (plan := report_files.read_plan(path, file))],
        acceptance=accepted,
        inspector=report_files.read_inspector(inspector),
        unknown=unknown,
    )
    if html is not None:
        from clusterwright.render.scaling_html import scaling_html

        write_atomically(html, scaling_html(report), force=True)
    if output_format == "json":
        from clusterwright.json_output.scaling import scaling_json

        sys.stdout.write(scaling_json(report))
    else:
        from clusterwright.render.scaling import scaling_text
        from clusterwright.render.style import Style

        sys.stdout.write(scaling_text(report, Style.of(sys.stdout)))
    ctx.exit(report.exit_code)

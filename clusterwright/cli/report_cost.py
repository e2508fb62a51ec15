"""`clusterwright report cost`: what the compute nodes cost by day, run, user and account."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli import report_files
from clusterwright.cli.cluster_reading import rates_of
from clusterwright.cli.errors import UserError
from clusterwright.cli.garbage_collection import reduced_gc
from clusterwright.cli.inputs import catalog_errors, load_or_exit
from clusterwright.cli.options import format_option, prices_option, spec_argument

if TYPE_CHECKING:
    from clusterwright.cluster_spec.models.compute import ComputeGroup
    from clusterwright.goodput.node_cost import NodeRate

COMMAND = "report cost"
_FORMATS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")

EPILOG = """\b
Example:
  sacct --json --duplicates --allusers --starttime 2026-11-01 > jobs.json
  clusterwright report cost configs/prod.yaml --sacct jobs.json --since 2026-11-01

\b
Exit codes: 3 the command line or the spec is wrong; else 2 a rate or the number of nodes is
unknown, or no job ran; else 0. 70 is an internal error.
"""


@click.command(epilog=EPILOG)
@spec_argument
@click.option(
    "--sacct",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The jobs, written by `sacct --json --duplicates --allusers`.",
)
@click.option(
    "--since",
    type=click.DateTime(_FORMATS),
    metavar="TIME",
    help="Start of the period in UTC, `2026-11-01` or `2026-11-01T12:00`.  "
    "[default: the first job's start]",
)
@click.option(
    "--until",
    type=click.DateTime(_FORMATS),
    metavar="TIME",
    help="End of the period in UTC; jobs that run end there.  "
    "[default: the last time in the file]",
)
@prices_option("Your own rates.  [default: prices.yaml beside the spec]")
@format_option("text", "json")
@click.pass_context
@reduced_gc()
def command(
    ctx: click.Context,
    /,
    path: Path,
    sacct: Path,
    since: dt.datetime | None,
    until: dt.datetime | None,
    prices: str | None,
    output_format: str,
) -> None:
    """Show what the compute nodes of CONFIG cost by day, run, user and account.

    Node-hours of Slurm's accounting times the rates of `clusterwright cost`. Nodes without a job
    are idle, and the number of nodes is that of CONFIG. A run is the comment `run=NAME` of a job,
    otherwise the job's name. No AWS API is called: `clusterwright cost --actual` compares the
    whole forecast with Cost Explorer.
    """
    from clusterwright.goodput.node_cost import NoPeriod, node_cost_report

    spec = load_or_exit(path, command=COMMAND, output_format=output_format)
    records = report_files.read_accounting(sacct) or []
    rates = rates_of(
        spec,
        path,
        command=COMMAND,
        output_format=output_format,
        prices=prices,
        now=dt.datetime.now(dt.UTC),
    )

    def rate(group: ComputeGroup) -> NodeRate:
        from clusterwright.goodput.node_cost import NodeRate

        found = rates.rate(group.instance_type, group.capacity.kind)
        if found.usd_per_hour is not None:
            return NodeRate(float(found.usd_per_hour))
        missing = f"no source states the rate of {group.instance_type}, {group.capacity.kind}"
        return NodeRate(None, found.reason or missing)

    try:
        with catalog_errors():
            report = node_cost_report(
                spec.cluster,
                records,
                rate,
                file=str(path),
                since=_utc(since),
                until=_utc(until),
            )
    except NoPeriod as error:
        raise UserError(f"{sacct}: {error}", "name a period with --since and --until") from None
    if output_format == "json":
        from clusterwright.json_output.node_cost import node_cost_json

        sys.stdout.write(node_cost_json(report))
    else:
        from clusterwright.render.node_cost import node_cost_text
        from clusterwright.render.style import Style

        sys.stdout.write(node_cost_text(report, Style.of(sys.stdout)))
    ctx.exit(report.exit_code)


def _utc(time: dt.datetime | None) -> dt.datetime | None:
    return None if time is None else time.replace(tzinfo=dt.UTC)

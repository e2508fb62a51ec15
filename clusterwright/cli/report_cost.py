"""`clusterwright report cost`: what the compute nodes cost by day, run, user and account."""

from __future__ import annotations

import datetime as dt
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli import report_files
from clusterwright.cli.cluster_reading import rates_of
from clusterwright.cli.errors import UserError
from clusterwright.cli.garbage_collection import reduced_gc
from clusterwright.cli.inputs import catalog_errors, load_or_exit
from clusterwright.cli.operating_policy import policy_option, print_policy
from clusterwright.cli.options import format_option, prices_option, spec_argument

if TYPE_CHECKING:
    from clusterwright.cluster_spec.models.cluster import Cluster
    from clusterwright.cluster_spec.models.compute import ComputeGroup
    from clusterwright.cost.bill_extras import Spending
    from clusterwright.goodput.node_cost import NodeRate
    from clusterwright.goodput.results import NodeCostReport, Spent

COMMAND = "report cost"
_FORMATS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")

EPILOG = """\b
Examples:
  sacct --json --duplicates --allusers --starttime 2026-11-01 > jobs.json
  clusterwright report cost configs/prod.yaml --sacct jobs.json --since 2026-11-01
  clusterwright report cost configs/prod.yaml --sacct jobs.json --since 2026-11-01 --actual

\b
Exit codes: 3 the command line or the spec is wrong; else 2 a rate or the number of nodes is
unknown, no job ran, or AWS did not answer --actual; else 0. 70 is an internal error.
"""


@click.command(epilog=EPILOG)
@spec_argument
@click.option(
    "--sacct",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The jobs, written by `sacct --json --duplicates --allusers`.  "
    "[required but with --iam-policy]",
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
@click.option(
    "--actual",
    is_flag=True,
    help="Show beside each day what Cost Explorer has for the cluster's tag.",
)
@policy_option("Print the read-only IAM policy that --actual needs, and call no AWS API.")
@prices_option("Your own rates.  [default: prices.yaml beside the spec]")
@format_option("text", "json")
@click.pass_context
@reduced_gc()
def command(
    ctx: click.Context,
    /,
    path: Path,
    sacct: Path | None,
    since: dt.datetime | None,
    until: dt.datetime | None,
    actual: bool,
    iam_policy: bool,
    prices: str | None,
    output_format: str,
) -> None:
    """Show what the compute nodes of CONFIG cost by day, run, user and account.

    Node-hours of Slurm's accounting times the rates of `clusterwright cost`. Nodes without a job
    are idle, and the number of nodes is that of CONFIG. A run is the comment `run=NAME` of a job,
    otherwise the job's name. No AWS API is called without --actual, which compares days: Cost
    Explorer knows no runs and users. `clusterwright cost --actual` compares the whole forecast.
    """
    from clusterwright.goodput.node_cost import NoPeriod, node_cost_report

    if iam_policy:
        print_policy(path, COMMAND, output_format)
        return
    if sacct is None:
        raise click.MissingParameter(
            ctx=ctx, param=next(one for one in ctx.command.params if one.name == "sacct")
        )
    now = dt.datetime.now(dt.UTC)
    spec = load_or_exit(path, command=COMMAND, output_format=output_format)
    records = report_files.read_accounting(sacct) or []
    rates = rates_of(
        spec,
        path,
        command=COMMAND,
        output_format=output_format,
        prices=prices,
        now=now,
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
    if actual:
        report = _with_actual(report, spec.cluster, now.date())
    if output_format == "json":
        from clusterwright.json_output.node_cost import node_cost_json

        sys.stdout.write(node_cost_json(report))
    else:
        from clusterwright.render.node_cost import node_cost_text
        from clusterwright.render.style import Style

        sys.stdout.write(node_cost_text(report, Style.of(sys.stdout)))
    ctx.exit(report.exit_code)


def _with_actual(report: NodeCostReport, cluster: Cluster, today: dt.date) -> NodeCostReport:
    """The report with what Cost Explorer has for its days, or why it has not been read."""
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.aws.session import AwsSession
    from clusterwright.cli.progress import ProgressLine
    from clusterwright.goodput.results import Unknown
    from clusterwright.pricing import actual_costs

    start, last = report.days[0].date, report.days[-1].date
    if start >= today:
        reason = f"it has no whole day of the period yet: today, {today} in UTC, is not over"
        if start > today:
            reason = f"the period begins after today, {today} in UTC"
        unknown = Unknown("Cost Explorer", reason, "an earlier --since")
        return replace(report, unknown=(*report.unknown, unknown))
    end = today if last >= today else last + dt.timedelta(days=1)
    progress = ProgressLine(sys.stderr, "reading from AWS")
    try:
        spending = actual_costs.spending_between(
            AwsSession(cluster.region), cluster, start=start, end=end
        )
    except AwsUnavailable as refusal:
        unknown = Unknown("Cost Explorer", refusal.message, refusal.hint)
        return replace(report, unknown=(*report.unknown, unknown))
    finally:
        progress.clear()
    refused = tuple(Unknown("Cost Explorer", note) for note in spending.notes)
    return replace(
        report,
        unknown=(*report.unknown, *refused),
        actual=_spent(report, cluster, spending, today),
    )


def _spent(report: NodeCostReport, cluster: Cluster, spending: Spending, today: dt.date) -> Spent:
    from clusterwright.cost.spending_comparison import EXCLUDED, LAG, instances_usd, tag_notes
    from clusterwright.goodput.results import Spent, SpentTag
    from clusterwright.goodput.spent_days import DaySpending, beside

    days = {
        day: DaySpending(
            float(instances_usd(services)),
            float(sum(services.values())),
            day in spending.estimated_days,
        )
        for day, services in spending.days.items()
    }
    more = "controller and login nodes"
    if cluster.on_hyperpod:
        more += ", and the volumes of all nodes"
    untagged = spending.untagged_usd
    return Spent(
        SpentTag(spending.tag, spending.value, spending.tag_status),
        beside(report.days, days, today),
        None if untagged is None else float(untagged),
        (
            "Cost Explorer has no runs, users and accounts of Slurm: only days can be compared",
            f"its instances are all of the cluster: also {more}",
            LAG,
            *tag_notes(spending),
            EXCLUDED,
        ),
    )


def _utc(time: dt.datetime | None) -> dt.datetime | None:
    return None if time is None else time.replace(tzinfo=dt.UTC)

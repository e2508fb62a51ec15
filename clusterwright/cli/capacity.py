"""`clusterwright capacity`: purchases, spares, and what a failure now would cost."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from clusterwright.cli.cluster_reading import EXIT_CODES, read_deployed
from clusterwright.cli.garbage_collection import reduced_gc
from clusterwright.cli.inputs import catalog_errors
from clusterwright.cli.operating_policy import policy_option, print_policy
from clusterwright.cli.options import format_option, prices_option, spec_argument, timeout_option


@click.command(epilog=EXIT_CODES)
@spec_argument
@prices_option("Your own rates for the cost.  [default: prices.yaml beside the spec]")
@timeout_option(60.0)
@policy_option("Print the read-only IAM policy that capacity needs, and call no AWS API.")
@format_option("text", "json")
@click.pass_context
@reduced_gc()
def command(
    ctx: click.Context,
    /,
    path: Path,
    prices: str | None,
    timeout_seconds: float,
    iam_policy: bool,
    output_format: str,
) -> None:
    """Show the purchased capacity of CONFIG, its spares, and what a failure now would cost.

    For every reservation, Capacity Block and training plan: what is used and free, and when it
    ends. For every compute group: the nodes that could take a failed node's place, and the
    node-minutes and dollars until the largest job runs again if one of its nodes fails now.
    Nothing is changed.
    """
    from clusterwright.operate.capacity import capacity_report

    if iam_policy:
        print_policy(path, "capacity", output_format)
        return
    read = read_deployed(
        path,
        command="capacity",
        output_format=output_format,
        prices=prices,
        timeout_seconds=timeout_seconds,
    )
    with catalog_errors():
        report = capacity_report(read.spec.cluster, read.state, read.rates, file=str(path))
    if output_format == "json":
        from clusterwright.json_output.capacity import capacity_json

        sys.stdout.write(capacity_json(report))
    else:
        from clusterwright.render.capacity import capacity_text
        from clusterwright.render.style import Style

        sys.stdout.write(capacity_text(report, Style.of(sys.stdout)))
    ctx.exit(report.exit_code)

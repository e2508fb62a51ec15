"""`clusterwright status`: what runs now, and what is wrong with it."""

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
@prices_option("Your own rates for the cost per hour.  [default: prices.yaml beside the spec]")
@timeout_option(60.0)
@policy_option("Print the read-only IAM policy that status needs, and call no AWS API.")
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
    """Show the deployed cluster of CONFIG: stacks, groups, nodes, jobs, capacity and cost.

    The platform's view of every node stands beside the scheduler's view: Slurm's state, which the
    controller publishes in the bucket of the lifecycle scripts, or the Kubernetes API, read with
    your kubectl. Where they disagree there is a finding. Nothing is changed, and nothing but AWS
    is reached: without access to the network of the cluster too, and while the controller is down.
    """
    from clusterwright.operate.status import status_report

    if iam_policy:
        print_policy(path, "status", output_format)
        return
    read = read_deployed(
        path,
        command="status",
        output_format=output_format,
        prices=prices,
        timeout_seconds=timeout_seconds,
    )
    with catalog_errors():
        report = status_report(
            read.spec.cluster,
            read.state,
            read.rates,
            file=str(path),
            resolved=read.spec.resolved(),
        )
    if output_format == "json":
        from clusterwright.json_output.status import status_json

        sys.stdout.write(status_json(report))
    else:
        from clusterwright.render.status import status_text
        from clusterwright.render.style import Style

        sys.stdout.write(status_text(report, Style.of(sys.stdout)))
    ctx.exit(report.exit_code)

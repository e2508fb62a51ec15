"""`clusterwright topology`: the network tree of the nodes, jobs in it, and Slurm's view."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.cluster_reading import EXIT_CODES, read_deployed
from clusterwright.cli.garbage_collection import reduced_gc
from clusterwright.cli.operating_policy import policy_option, print_policy
from clusterwright.cli.options import format_option, spec_argument, timeout_option

if TYPE_CHECKING:
    from clusterwright.cli.cluster_reading import ReadCluster
    from clusterwright.cluster_state.not_read import NotRead


@click.command(epilog=EXIT_CODES)
@spec_argument
@timeout_option(60.0)
@policy_option("Print the read-only IAM policy that topology needs, and call no AWS API.")
@format_option("text", "json")
@click.pass_context
@reduced_gc()
def command(
    ctx: click.Context,
    /,
    path: Path,
    timeout_seconds: float,
    iam_policy: bool,
    output_format: str,
) -> None:
    """Show the network tree of the nodes of CONFIG, and the running jobs that cross spines.

    AWS's network nodes are EC2's, or on HyperPod those that the controller or the labels of the
    Kubernetes API report. Slurm's running topology is compared with them: a node differs if Slurm
    groups it with other nodes than AWS does. Nothing is changed.
    """
    from clusterwright.operate.topology import topology_report

    if iam_policy:
        print_policy(path, "topology", output_format)
        return
    read = read_deployed(
        path,
        command="topology",
        output_format=output_format,
        prices=None,
        timeout_seconds=timeout_seconds,
    )
    report = topology_report(read.spec.cluster, read.state, _ec2_paths(read), file=str(path))
    if output_format == "json":
        from clusterwright.json_output.topology import topology_json

        sys.stdout.write(topology_json(report))
    else:
        from clusterwright.render.style import Style
        from clusterwright.render.topology import topology_text

        sys.stdout.write(topology_text(report, Style.of(sys.stdout)))
    ctx.exit(report.exit_code)


def _ec2_paths(read: ReadCluster) -> dict[str, tuple[str, ...]] | NotRead | None:
    """EC2's network nodes by instance; None on HyperPod, whose nodes EC2 does not list."""
    from clusterwright.aws.ec2 import topology
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.cluster_state.not_read import NotRead, known

    if read.spec.cluster.on_hyperpod:
        return None
    ids = [
        node.instance_id
        for node in known(read.state.nodes) or ()
        if node.instance_id is not None and node.condition == "up"
    ]
    try:
        return topology.instance_paths(read.session, ids)
    except AwsUnavailable as error:
        return NotRead.from_error("AWS's network nodes", error)

"""`clusterwright render kubernetes`: manifests and Helm values for a cluster on EKS."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import load_or_exit
from clusterwright.cli.options import format_option, spec_argument
from clusterwright.cli.outputs_file import WRITTEN, outputs_by_stack

if TYPE_CHECKING:
    from clusterwright.catalog import Catalog
    from clusterwright.cluster_spec.models.cluster import Cluster
    from clusterwright.platforms.kubernetes.render import Part

# Repeated here so that `--help` imports no renderer; a test compares it with `render.PARTS`.
PARTS = (
    "tenants",
    "storage",
    "queues",
    "autoscaling",
    "metrics",
    "acceptance",
    "delivery",
    "jobs",
)
VALUES, CHARTS, OPERATORS = "values", "charts", "operators"

EPILOG = """
Examples:

\b
  cdk deploy -c env=dev-eks --all --outputs-file outputs.json
  clusterwright render kubernetes --env dev-eks --outputs outputs.json | kubectl apply -f -
  clusterwright render kubernetes --env dev-eks --part jobs
  clusterwright render kubernetes --env dev-eks --part values --chart kueue > values.yaml
  clusterwright render kubernetes --env dev-eks --part operators

\b
Exit codes: 3 wrong use, or a value is unknown; with --part operators 2 where versions or digests
are unknown; else 0. 70 is an internal error.
"""


@click.command(epilog=EPILOG)
@spec_argument
@click.option(
    "--outputs",
    "outputs_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File of `cdk deploy --outputs-file`, with file systems and node settings.",
)
@click.option(
    "--part",
    type=click.Choice([*PARTS, VALUES, CHARTS, OPERATORS]),
    help="Print only this part.  [default: all that are always applied]",
)
@click.option(
    "--chart",
    metavar="NAME",
    help="With --part values: only the values of this chart, for `helm --values`.",
)
@format_option("yaml", "json")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    path: Path,
    outputs_file: Path | None,
    part: str | None,
    chart: str | None,
    output_format: str,
) -> None:
    """Print manifests for `kubectl apply`, in the order in which they are applied.

    Example jobs (--part jobs), Argo CD applications (--part delivery), Helm values (--part values)
    and the charts with version and digest (--part charts) are printed only with --part. --part
    operators prints the ordered list of what jobs need: add-ons, charts and operators.
    """
    from clusterwright.catalog import load_catalog

    loaded = load_or_exit(
        path,
        command="render kubernetes",
        output_format=output_format,
    )
    cluster, catalog = loaded.cluster, load_catalog()
    if not cluster.uses_kubernetes:
        raise UserError(
            f"{cluster.platform} does not use Kubernetes",
            "platform: hyperpod-eks or eks"
            + (
                ", or `clusterwright render parallelcluster`"
                if "parallelcluster" in cluster.traits.renders
                else ""
            ),
        )
    if chart is not None and part != VALUES:
        raise UserError("--chart requires --part values", "add --part values")
    if part == VALUES:
        _show_values(cluster, catalog, chart, output_format)
        return
    if part == CHARTS:
        _show_charts(cluster, catalog, output_format)
        return
    if part == OPERATORS:
        ctx.exit(_show_operators(cluster, catalog, path, output_format))
    outputs = {} if outputs_file is None else _read_outputs(outputs_file, cluster.environment)
    _show_manifests(cluster, catalog, part, outputs, output_format)


def _show_manifests(
    cluster: Cluster,
    catalog: Catalog,
    part: str | None,
    outputs: dict[str, str],
    output_format: str,
) -> None:
    from clusterwright.platforms.kubernetes.groups import UnknownFactError
    from clusterwright.platforms.kubernetes.karpenter import UnknownOutputError
    from clusterwright.platforms.kubernetes.metrics import UnknownProgramError
    from clusterwright.platforms.kubernetes.render import APPLIED, manifests
    from clusterwright.platforms.kubernetes.storage import UnknownVolumeError

    wanted = APPLIED if part is None else (cast("Part", part),)
    objects: list[dict[str, Any]] = []
    try:
        for each in wanted:
            objects += manifests(cluster, catalog, each, outputs)
    except UnknownVolumeError as error:
        raise UserError(
            f"the file systems are unknown: {error}",
            "give --outputs with the file of `cdk deploy --outputs-file FILE`",
        ) from None
    except UnknownOutputError as error:
        raise UserError(
            f"the node settings of Karpenter are unknown: {error}",
            "give --outputs with the file of `cdk deploy --outputs-file FILE`",
        ) from None
    except UnknownFactError as error:
        raise UserError(str(error), "the catalogue has no source for it") from None
    except UnknownProgramError as error:
        raise UserError(
            f"a program of the nodes was not found: {error}",
            "run this in a checkout of the repository",
        ) from None
    if output_format == "json":
        from clusterwright.json_output.envelope import json_answer

        click.echo(json_answer("render kubernetes", 0, {"manifests": objects}), nl=False)
        return
    from clusterwright.render.kubernetes import documents

    click.echo(documents(objects), nl=False)


def _show_values(
    cluster: Cluster, catalog: Catalog, chart: str | None, output_format: str
) -> None:
    from clusterwright.platforms.kubernetes.values import chart_values

    values = chart_values(cluster, catalog)
    if chart is None:
        _show({"values": values}, output_format)
        return
    if chart not in values:
        raise UserError(
            f"{cluster.environment} does not need the chart {chart}",
            f"charts that it needs: {', '.join(values)}",
        )
    if output_format == "json":
        _show({"values": {chart: values[chart]}}, output_format)
    else:
        _show(values[chart], output_format)


def _show_charts(cluster: Cluster, catalog: Catalog, output_format: str) -> None:
    from clusterwright.platforms.kubernetes.charts import UnknownChartError, pinned_charts

    try:
        charts = pinned_charts(cluster, catalog)
    except UnknownChartError as error:
        raise UserError(
            f"these charts are not in the catalogue: {error}",
            "pull the chart, and set version and sha256 in kubernetes.workloads.charts",
        ) from None
    _show({"charts": [dataclasses.asdict(chart) for chart in charts]}, output_format)


def _show_operators(cluster: Cluster, catalog: Catalog, path: Path, output_format: str) -> int:
    """Print the list of what jobs need; 2 if a version or digest is unknown, else 0."""
    from clusterwright.platforms.kubernetes.operators import listed, operators

    found = operators(cluster, catalog, str(path))
    lacking = [one.name for one in found if one.missing]
    exit_code = 2 if lacking else 0
    fields = {"operators": [listed(one) for one in found], "unknown": len(lacking)}
    _show(fields, output_format, exit_code, ordered=True)
    if lacking:
        click.echo(
            f"{len(lacking)} of {len(found)} have an unknown value and no commands: "
            f"{', '.join(lacking)}; see hint",
            err=True,
        )
    return exit_code


def _show(
    fields: dict[str, Any], output_format: str, exit_code: int = 0, *, ordered: bool = False
) -> None:
    if output_format == "json":
        from clusterwright.json_output.envelope import json_answer

        click.echo(json_answer("render kubernetes", exit_code, fields), nl=False)
        return
    from clusterwright.render.spec import spec_yaml

    click.echo(spec_yaml(fields, ordered=ordered), nl=False)


def _read_outputs(path: Path, environment: str) -> dict[str, str]:
    """The outputs of the environment's stacks, merged."""
    found: dict[str, str] = {}
    for stack, outputs in outputs_by_stack(path, environment).items():
        _check_formats(path, stack, outputs)
        found |= outputs
    return found


def _check_formats(path: Path, stack: str, outputs: dict[str, Any]) -> None:
    """Refuse values that FSx and Karpenter never have: the file was edited or truncated."""
    import re

    from clusterwright.cluster_spec.models import formats

    for key, value in outputs.items():
        words = "a string" if not isinstance(value, str) else None
        for prefix, form in (
            ("LustreDnsName", formats.FILE_SYSTEM_DNS),
            ("HomeDnsName", formats.FILE_SYSTEM_DNS),
            ("LustreMountName", formats.LUSTRE_MOUNT_NAME),
            ("KarpenterInstanceProfile", formats.INSTANCE_PROFILE),
            ("KarpenterSubnetIds", formats.SUBNET_IDS),
            ("KarpenterSecurityGroupIds", formats.SECURITY_GROUP_IDS),
            ("KarpenterKeyArn", formats.KMS_KEY_ARN),
            ("KarpenterPlacementGroups", formats.PLACEMENT_GROUPS),
        ):
            if words is None and key.startswith(prefix) and not re.fullmatch(form.pattern, value):
                words = form.description
        if words is not None:
            raise UserError(
                f"{path}: {key} of {stack} is {value!r}, not {words}",
                WRITTEN,
            )

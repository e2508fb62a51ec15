"""`clusterwright render parallelcluster`: the cluster configuration for `pcluster`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clusterwright import files
from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import load_or_exit
from clusterwright.cli.options import format_option, spec_argument

if TYPE_CHECKING:
    from clusterwright.cluster_spec.models.cluster import Cluster

EPILOG = """
Examples:

\b
  clusterwright render parallelcluster configs/dev-parallelcluster.yaml
  clusterwright render parallelcluster configs/prod.yaml --outputs cdk-outputs.json > cluster.yaml
  clusterwright render parallelcluster configs/prod.yaml --set HomeVolumeId=fsvol-...
"""


@click.command(epilog=EPILOG)
@spec_argument
@click.option(
    "--outputs",
    "outputs_file",
    metavar="FILE",
    type=click.Path(),
    help="File of `cdk deploy --outputs-file FILE`, with resource ids.",
)
@click.option(
    "--set",
    "assignments",
    metavar="NAME=VALUE",
    multiple=True,
    help="A resource id by output name; overrides --outputs. May be repeated.",
)
@format_option("yaml", "json")
def command(
    path: Path,
    outputs_file: str | None,
    assignments: tuple[str, ...],
    output_format: str,
) -> None:
    """Print the configuration of AWS ParallelCluster.

    `cdk deploy` does not need the file: the cluster's stack holds the same configuration. Ids
    that only a deployment knows come from --outputs or --set. The others are placeholders, each
    marked: they pass the schema of ParallelCluster, and AWS refuses them.
    """
    from clusterwright.catalog import load_catalog
    from clusterwright.platforms.parallelcluster import outputs
    from clusterwright.platforms.parallelcluster.document import render
    from clusterwright.platforms.parallelcluster.storage import mounted_by_parallelcluster

    spec = load_or_exit(
        path,
        command="render",
        output_format=output_format,
    )
    cluster = spec.cluster
    if "parallelcluster" not in cluster.traits.renders:
        raise UserError(
            f"the spec has platform: {cluster.platform}, not parallelcluster",
            "`platform: parallelcluster`, or `clusterwright render kubernetes` on EKS",
        )
    _refuse_capacity(cluster)
    values = {**_of_file(cluster, outputs_file), **_assigned(assignments)}
    try:
        supplied = outputs.supplied_from(cluster, values)
    except ValueError as error:
        raise UserError(str(error), "see --outputs and --set") from None
    configuration = render(cluster, load_catalog(), supplied)
    lacking = outputs.missing(cluster, values)
    if lacking:
        print(f"placeholders: {', '.join(lacking)}", file=sys.stderr)
    if output_format == "json":
        from clusterwright.json_output.envelope import json_answer

        fields = {"configuration": configuration, "placeholders": list(lacking)}
        click.echo(json_answer("render", 0, fields), nl=False)
        return
    from clusterwright.render.parallelcluster import configuration_yaml

    text = configuration_yaml(
        configuration,
        name=cluster.environment,
        version=cluster.parallelcluster.version,
        placeholders={
            name: (outputs.VALUES[name].origin, stands) for name, stands in lacking.items()
        },
        elsewhere={
            str(fs.name): fs.mount_path
            for fs in cluster.storage.lustre
            if not mounted_by_parallelcluster(fs)
        },
    )
    click.echo(text, nl=False)


def _refuse_capacity(cluster: Cluster) -> None:
    """Refuse capacity that the configuration has no key for, as a deployment does."""
    rules = cluster.traits
    for index, group in enumerate(cluster.compute):
        kind = group.capacity.kind
        if kind not in rules.capacity_kinds:
            raise UserError(
                f"compute[{index}].capacity: {cluster.platform} does not support {kind}",
                rules.refused_capacity[kind],
            )


def _assigned(words: tuple[str, ...]) -> dict[str, str]:
    from clusterwright.cluster_spec.suggest import did_you_mean
    from clusterwright.platforms.parallelcluster.outputs import VALUES

    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not value:
            raise UserError(f"--set {word}: expected NAME=VALUE", "see --help")
        if name not in VALUES:
            names = ", ".join(VALUES)
            hint = did_you_mean(name, list(VALUES)) or f"names: {names}"
            raise UserError(f"--set {name}: there is no such value", hint)
        found[name] = value
    return found


def _of_file(cluster: Cluster, path: str | None) -> dict[str, str]:
    """The known outputs of the environment's stacks."""
    from clusterwright.platforms.parallelcluster.outputs import VALUES
    from clusterwright.platforms.stack_names import part_of

    if path is None:
        return {}
    try:
        data: Any = json.loads(files.read_text(path))
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", _WRITTEN) from None
    except (ValueError, RecursionError):
        raise UserError(f"{path} is not JSON", _WRITTEN) from None
    if not isinstance(data, dict) or not all(isinstance(v, dict) for v in data.values()):
        raise UserError(f"{path} is not a file of outputs: stack to name to value", _WRITTEN)
    environment = cluster.environment
    stacks = [
        outputs for stack, outputs in data.items() if part_of(environment, stack) is not None
    ]
    if not stacks:
        found = ", ".join(sorted(data)) or "none"
        raise UserError(
            f"{path} has no stack of the environment {environment}",
            f"its stacks: {found}",
        )
    return {
        name: str(value)
        for outputs in stacks
        for name, value in outputs.items()
        if name in VALUES and value
    }


_WRITTEN = "`cdk deploy --all --outputs-file FILE` writes it"

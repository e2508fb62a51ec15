"""`--iam-policy` of the operating commands: the least IAM policy that a command needs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.inputs import load_or_exit
from clusterwright.cli.options import Decorator

if TYPE_CHECKING:
    from clusterwright.cluster_spec.models.cluster import Cluster
    from clusterwright.operate.results import NodeVerb
    from clusterwright.preflight.account_results import Permission


def policy_option(text: str) -> Decorator:
    """Add --iam-policy with a help text."""
    return click.option("--iam-policy", is_flag=True, help=text)


def print_policy(
    path: Path,
    command: str,
    output_format: str,
    verbs: Iterable[NodeVerb] = (),
    *,
    deep_health_checks: bool = False,
) -> None:
    """Print the policy of an operating command, with the `verbs` of `clusterwright node`.

    With `deep_health_checks` that of `accept --deep-health-checks`. No AWS API is called.
    """
    from clusterwright.json_output.operating import operating_policy_json
    from clusterwright.preflight.iam_policy import document
    from clusterwright.render.policy import policy_text

    spec = load_or_exit(path, command=command, output_format=output_format)
    found = operating_permissions(
        spec.cluster, command, verbs, deep_health_checks=deep_health_checks
    )
    made = document(found)
    if output_format == "json":
        sys.stdout.write(operating_policy_json(command, made, found))
    else:
        sys.stdout.write(policy_text(made))


def operating_permissions(
    cluster: Cluster,
    command: str,
    verbs: Iterable[NodeVerb] = (),
    *,
    deep_health_checks: bool = False,
) -> tuple[Permission, ...]:
    """The permissions of a command, by action; each names the command and the verbs."""
    from clusterwright.cluster_state.failure_permissions import diagnosing
    from clusterwright.cluster_state.permissions import (
        acting,
        checking_health,
        condition,
        reading,
        requesting,
    )
    from clusterwright.operate.node_plan import means_of
    from clusterwright.preflight.account_results import Permission

    means: dict[str, str] = {verb: means_of(cluster, verb) for verb in verbs}
    if command == "diagnose":
        actions = diagnosing(cluster)
    elif command == "report cost":
        from clusterwright.pricing.actual_costs import ACTIONS

        actions = dict(ACTIONS)
    else:
        actions = {**reading(cluster, command), **acting(cluster, means)}
    if deep_health_checks:
        # HyperPod tests the nodes: the controller gets no request.
        actions |= checking_health(cluster)
    elif command == "accept" and cluster.uses_slurm:
        actions |= requesting(cluster)
    return tuple(
        Permission(action, resources, (command,), condition(cluster, action))
        for action, resources in sorted(actions.items())
    )

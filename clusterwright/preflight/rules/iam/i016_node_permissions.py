"""The role of deployed nodes has the permissions that nodes need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.derived_names import job_role, node_role_path
from clusterwright.platforms.node_permissions import node_permissions
from clusterwright.preflight.facts.deployment import DeployedRoleMay
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.iam.simulation import permission_results, simulations

_JOB = "a job"


@dataclass(frozen=True)
class _Question:
    """Who uses a role, and what it must allow."""

    who: str
    role: DeployedRoleMay


class NodePermissions(Rule[tuple[_Question, ...]]):
    id = "CW-I016"
    prevents = (
        "new nodes that fail although the existing ones work: the role, its permissions boundary "
        "or the organization's policies have changed"
    )
    source = "IAM SimulatePrincipalPolicy; awslabs/awsome-distributed-ai #1202"

    def subjects(self, context: Context) -> Subjects[tuple[_Question, ...]]:
        if not context.cluster.traits.provider_stack:
            yield ("environment",), tuple(_questions(context.cluster))

    def needs(self, asked: tuple[_Question, ...]) -> Facts:
        return tuple(question.role for question in asked)

    def check(self, asked: tuple[_Question, ...], context: Context, facts: FactValues) -> Results:
        # Whoever lacks the same is in one finding: mostly a boundary that all roles have.
        same: dict[str, list[tuple[_Question, Fail | Unknown]]] = {}
        for question in asked:
            results = facts[question.role]
            if results is None:
                continue  # nothing is deployed yet
            for result in permission_results(
                results,
                question.who,
                hint="`cdk deploy` restores the role's policies; it does not change a permissions "
                "boundary",
                where=f"{context.cluster.environment}-{question.role.part}",
            ):
                lacks = result.message.replace(question.who, "", 1)
                same.setdefault(lacks, []).append((question, result))
        nodes = [question.who for question in asked if question.who != _JOB]
        for found in same.values():
            who = [question.who for question, _ in found]
            result = found[0][1]
            subject = "a node" if who == nodes else ", ".join(who)
            yield replace(result, message=result.message.replace(who[0], subject, 1))


def _questions(cluster: Cluster) -> Iterator[_Question]:
    """On EKS one role of all nodes, on PCS two; on HyperPod with Slurm the first group of each
    role, and the jobs' role.

    Groups of one role have equal policies.
    """
    if not cluster.uses_slurm:
        name = "NodeRole" if cluster.traits.managed_node_groups else "ExecutionRole"
        yield _question(cluster, "a node", ("nodes",), "identity", f"{name}[0-9A-F]{{8}}", "/")
        return
    if cluster.traits.service_runs_controller:
        path = node_role_path(cluster)
        for name, who, of in (
            ("Administration", "the node that administers the cluster", ("nodes", "controller")),
            ("Nodes", "a node", ("nodes",)),
        ):
            logical_id = f"NodeRoles{name}[0-9A-F]{{8}}"
            yield _question(cluster, who, of, "cluster", logical_id, path)
        return
    roles: set[str] = set()
    for group in cluster.compute:
        if group.role in roles:
            continue
        roles.add(group.role)
        of = ("nodes", "controller") if group.role == "controller" else ("nodes",)
        logical_id = "NodeRolesGroup" + re.sub("[^A-Za-z0-9]", "", group.name) + "[0-9A-F]{8}"
        who = f"a node of the group {group.name}"
        yield _question(cluster, who, of, "cluster", logical_id, node_role_path(cluster))
    if job_role(cluster) is not None:
        yield _question(cluster, _JOB, ("jobs",), "cluster", "NodeRolesJobs[0-9A-F]{8}", "/")


def _question(
    cluster: Cluster, who: str, of: tuple[str, ...], part: str, logical_id: str, path: str
) -> _Question:
    asked = simulations(
        permission
        for permission in node_permissions(cluster)
        if permission.of in of
        # Resources whose id is known only after deployment are granted by that id, or by that of
        # their network.
        and not any(part in permission.resource for part in _BY_ID)
    )
    role = DeployedRoleMay(
        cluster.partition, cluster.account, cluster.environment, part, logical_id, path, asked
    )
    return _Question(who, role)


_BY_ID = (":secretsmanager:", ":key/cluster", ":aps:", ":network-interface/", ":instance/")

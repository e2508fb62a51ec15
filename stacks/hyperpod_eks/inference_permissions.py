"""Permissions of the load balancer controller and KEDA of HyperPod's inference operator.

The controller's permissions, `load_balancer_policy.json`, are those of
kubernetes-sigs/aws-load-balancer-controller v2.13.0 (docs/install/iam_policy.json), as AWS's own
template has them (aws/sagemaker-hyperpod-cluster-setup,
eks/cloudformation/inference-addon-iam-roles-template.yaml, commit 3bee904), narrowed to the
account, the region and the VPC where the actions take resources, and to resources with the
controller's tag (`elbv2.k8s.aws/cluster`). KEDA's are of the same template, narrowed to the
cluster's workspace.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any, Final

from aws_cdk import aws_iam as iam

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.identity.node_statements import allow

_POLICY: Final = Path(__file__).with_name("load_balancer_policy.json")


def load_balancer_permissions(cluster: Cluster) -> list[iam.PolicyStatement]:
    """Statements of the controller's role."""
    return [iam.PolicyStatement.from_json(each) for each in _statements(cluster)]


def load_balancer_wildcards(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """The wildcards of the statements, each with the reason."""
    yield "Resource::*", "these actions have no resource types, or the resource does not exist yet"
    resources = [name for each in _statements(cluster) for name in each["Resource"]]
    for name in dict.fromkeys(resources):
        if name != "*":
            yield (
                f"Resource::{name}",
                "load balancers and their groups have no id yet; the controller's tag limits it",
            )


def scaler_permissions(workspace_arn: str | None) -> list[iam.PolicyStatement]:
    """Statements of KEDA's role: read the metrics by which endpoints are scaled."""
    metrics = ("GetMetricData", "GetMetricStatistics", "ListMetrics")
    queries = ("GetLabels", "GetMetricMetadata", "GetSeries", "QueryMetrics")
    found = [allow("Metrics", [f"cloudwatch:{name}" for name in metrics], ["*"])]
    if workspace_arn is not None:
        found.append(allow("Workspace", [f"aps:{name}" for name in queries], [workspace_arn]))
    return found


def _statements(cluster: Cluster) -> list[dict[str, Any]]:
    text = Template(_POLICY.read_text(encoding="utf-8")).substitute(
        Partition=cluster.partition, Region=cluster.region, Account=cluster.account
    )
    statements: list[dict[str, Any]] = json.loads(text)["Statement"]
    return statements

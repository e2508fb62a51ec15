"""Resource control policies of the organization allow the deployment and the nodes.

They limit who may use the resources of an account, whatever policies of identities and resources
say. IAM's simulator does not evaluate them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from clusterwright.platforms.node_permissions import node_permissions
from clusterwright.preflight.facts.organization import ResourceControlPolicies
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Rule, Subjects
from clusterwright.preflight.rules.deployment.control_policies import (
    Asked,
    deployment,
    findings,
    known,
)
from clusterwright.preflight.rules.iam.policy_evaluation import PolicyRequest

_SERVICES: Final = frozenset({"kms", "s3", "secretsmanager", "sqs", "sts"})
"""Services whose resources the policies protect (Organizations user guide)."""


class ResourcePolicies(Rule[Asked]):
    id = "CW-E012"
    prevents = (
        "buckets, keys and secrets that the deployment creates and nodes then cannot use: `with "
        "an explicit deny in a resource control policy`"
    )
    source = "Organizations user guide, Resource control policies (RCPs)"

    def subjects(self, context: Context) -> Subjects[Asked]:
        for asked in (deployment(context), _nodes(context)):
            requests = tuple(r for r in asked.requests if r.action.split(":")[0] in _SERVICES)
            if requests:
                yield ("account",), replace(asked, requests=requests)

    def needs(self, context: Context) -> Facts:
        return (ResourceControlPolicies(context.cluster.account),)

    def check(self, asked: Asked, context: Context, facts: FactValues) -> Results:
        policies = facts[ResourceControlPolicies(context.cluster.account)]
        yield from findings("resource control policy", policies, asked, context)


def _nodes(context: Context) -> Asked:
    return Asked("nodes and jobs", tuple(_requests(context)))


def _requests(context: Context) -> Iterator[PolicyRequest]:
    """What nodes request; the names of their roles are not known before the deployment."""
    cluster = context.cluster
    for permission in node_permissions(cluster):
        about = {
            **known(context),
            "aws:ResourceAccount": cluster.account,
            **dict(permission.context),
        }
        for action in permission.actions:
            yield PolicyRequest(action, permission.resource, cluster.account, context=about)

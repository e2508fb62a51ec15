"""Service control policies of the organization allow the deployment and the nodes.

CW-I011 asks IAM's simulator, which leaves out the statements with conditions. They are evaluated
here with what is known before a request: region, account, role, instance type and tags.
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.karpenter import is_scaled
from clusterwright.preflight.facts.organization import ServiceControlPolicies
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Path,
    Results,
    Rule,
    Subjects,
)
from clusterwright.preflight.rules.compute_groups import instance_types
from clusterwright.preflight.rules.deployment.control_policies import (
    Asked,
    deployment,
    findings,
    known,
)
from clusterwright.preflight.rules.iam.policy_evaluation import PolicyRequest


class ControlPolicies(Rule[Asked]):
    id = "CW-E011"
    prevents = (
        "a deployment that rolls back, or nodes that never start: `with an explicit deny in a "
        "service control policy`"
    )
    source = (
        "Organizations user guide, Service control policies; IAM user guide, policy simulator: "
        "conditions of service control policies are not evaluated; "
        "aws/karpenter-provider-aws #5185, #8190, hashicorp/packer #12624"
    )

    def subjects(self, context: Context) -> Subjects[Asked]:
        yield ("account",), deployment(context)
        for name, path in _launched_in_the_account(context):
            yield path, _launch(name, context)

    def needs(self, context: Context) -> Facts:
        return (ServiceControlPolicies(context.cluster.account),)

    def check(self, asked: Asked, context: Context, facts: FactValues) -> Results:
        policies = facts[ServiceControlPolicies(context.cluster.account)]
        yield from findings("service control policy", policies, asked, context)


def _launched_in_the_account(context: Context) -> Iterator[tuple[str, Path]]:
    """The instance types that roles of this account launch.

    HyperPod launches nodes in an account of AWS, and node groups of EKS are launched by a
    service-linked role, which service control policies do not limit.
    """
    cluster = context.cluster
    for name, path in instance_types(context).items():
        scaled = any(
            group.instance_type == name and is_scaled(cluster, group) for group in cluster.compute
        )
        if context.platform.provider_stack or (scaled and not context.on_hyperpod):
            yield name, path


def _launch(instance_type: str, context: Context) -> Asked:
    cluster = context.cluster
    arn = f"arn:{cluster.partition}:ec2:{cluster.region}:{cluster.account}:instance/*"
    about = {
        **known(context),
        "ec2:InstanceType": instance_type,
        "ec2:Region": cluster.region,
        "ec2:MetadataHttpTokens": "required",
    }
    request = PolicyRequest("ec2:RunInstances", arn, cluster.account, context=about)
    return Asked(f"the roles that launch {instance_type}", (request,))

"""Policies of interface endpoints in an existing network allow the nodes' calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clusterwright.aws.ec2.routes import Endpoint
from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.routes import Endpoints
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.iam.policy_evaluation import Answer, PolicyRequest, allowed
from clusterwright.preflight.rules.network.egress import (
    endpoint_names,
    interface_of,
    services_used,
)
from clusterwright.preflight.rules.network.existing_network import (
    HERE,
    ExistingNetworkRule,
    hidden_endpoints,
)

CALLS: Final[Mapping[str, str]] = {
    "aps-workspaces": "aps:RemoteWrite",
    "autoscaling": "autoscaling:CompleteLifecycleAction",
    "cloudformation": "cloudformation:SignalResource",
    "ec2": "ec2:DescribeInstances",
    "ec2messages": "ec2messages:GetMessages",
    "ecr.api": "ecr:GetAuthorizationToken",
    "ecr.dkr": "ecr:BatchGetImage",
    "eks": "eks:DescribeCluster",
    "eks-auth": "eks-auth:AssumeRoleForPodIdentity",
    "elasticloadbalancing": "elasticloadbalancing:DescribeTargetHealth",
    "fsx": "fsx:DescribeFileSystems",
    "kms": "kms:Decrypt",
    "logs": "logs:PutLogEvents",
    "monitoring": "cloudwatch:PutMetricData",
    "pcs": "pcs:RegisterComputeNodeGroupInstance",
    "sagemaker.api": "sagemaker:DescribeCluster",
    "secretsmanager": "secretsmanager:GetSecretValue",
    "sqs": "sqs:ReceiveMessage",
    "ssm": "ssm:GetParameter",
    "ssmmessages": "ssmmessages:CreateControlChannel",
    "sts": "sts:GetCallerIdentity",
}
"""One call of nodes to each service, without which what they use the service for fails."""


class EndpointPolicies(ExistingNetworkRule):
    id = "CW-N030"
    prevents = (
        "nodes that cannot pull images, send logs or read secrets, although role and network "
        "allow it: an endpoint's policy that allows nothing denies everything"
    )
    source = (
        "AWS PrivateLink guide, endpoint policies; terraform-aws-modules/terraform-aws-vpc #1197"
    )
    needs = (Endpoints(), Subnets())

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        hidden = hidden_endpoints(
            existing, facts[Subnets()], context, "whether policies of endpoints allow nodes' calls"
        )
        if hidden is not None:
            yield hidden
            return
        for service, endpoint in _used(existing, context, facts):
            action = CALLS[service]
            answer = _answer(endpoint, action, existing, context)
            if answer == "no":
                yield Fail(
                    message=f"the policy of {endpoint.id}, the endpoint for {service}, allows "
                    f"nodes no {action}",
                    path=(*HERE, "vpc_id"),
                    requested=action,
                    where=endpoint.id,
                    hint="its owner must allow the action in the endpoint policy; a policy needs "
                    "an Allow statement",
                )
            elif answer == "unknown":
                yield Unknown(
                    message=f"whether the policy of {endpoint.id} allows nodes {action} depends "
                    "on conditions that are not known before a request",
                    path=(*HERE, "vpc_id"),
                )


def _used(
    existing: ExistingNetwork, context: Context, facts: FactValues
) -> Iterator[tuple[str, Endpoint]]:
    """Each service that nodes reach through an endpoint with a policy, also beside a NAT gateway:
    its private DNS name leads there.
    """
    for service in services_used(context):
        names = endpoint_names(context.region, service.name)
        found = interface_of(facts[Endpoints()], existing.vpc_id, names)
        if found is not None and found.private_dns and found.policy is not None:
            yield service.name, found


def _answer(
    endpoint: Endpoint, action: str, existing: ExistingNetwork, context: Context
) -> Answer:
    cluster = context.cluster
    question = PolicyRequest(
        action=action,
        resource="*",
        account=cluster.account,
        # The nodes' role, whose name CloudFormation generates.
        principal_arn=f"arn:{cluster.partition}:iam::{cluster.account}:role/{cluster.environment}",
        context={
            "aws:principalaccount": cluster.account,
            "aws:sourcevpc": existing.vpc_id,
            "aws:sourcevpce": endpoint.id,
            "aws:securetransport": "true",
        },
    )
    assert endpoint.policy is not None, "see _used"
    return allowed(_for_any_resource(endpoint.policy), question)


def _for_any_resource(document: str) -> str:
    """Return the policy as for the resources that it names: what it allows for some resource is
    allowed, and what it denies for some is not denied for all.
    """
    try:
        policy: dict[str, Any] = json.loads(document)
        statements = policy["Statement"]
        listed = statements if isinstance(statements, list) else [statements]
        kept = [
            {**s, "Resource": "*"}
            for s in listed
            if s.get("Effect") == "Allow" or s.get("Resource", "*") == "*"
        ]
    except (AttributeError, KeyError, TypeError, ValueError):
        return document  # the evaluation finds that it cannot be read
    return json.dumps({**policy, "Statement": [_without_exceptions(s) for s in kept]})


def _without_exceptions(statement: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in statement.items() if key != "NotResource"}

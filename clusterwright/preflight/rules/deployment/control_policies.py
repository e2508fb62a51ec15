"""Requests that an organization's control policies may deny, and the findings about them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from clusterwright.aws.organizations import ServiceControlPolicy
from clusterwright.platforms.deployment_permissions import deployment_permissions
from clusterwright.platforms.tags import ENVIRONMENT_TAG
from clusterwright.preflight.rule import Context, Fail, Results
from clusterwright.preflight.rules.deployment.bootstrap import execution_role_arn
from clusterwright.preflight.rules.group_rule import listed
from clusterwright.preflight.rules.iam.policy_evaluation import PolicyRequest, denied

_TAG_KEY: Final = re.compile(r"aws:RequestTag/([^\"]+)", re.IGNORECASE)
_TAGGED: Final = frozenset(
    {
        "ec2:RunInstances",
        "eks:CreateCluster",
        "eks:CreateNodegroup",
        "fsx:CreateFileSystem",
        "sagemaker:CreateCluster",
    }
)
"""Actions whose requests have the tags of the spec."""
_SHOWN: Final = 6


@dataclass(frozen=True)
class Asked:
    """Requests of one role, with the words for it."""

    who: str
    requests: tuple[PolicyRequest, ...]


def deployment(context: Context) -> Asked:
    """Return what CloudFormation's role requests during the deployment."""
    arn = execution_role_arn(context)
    requests = tuple(
        PolicyRequest(
            action,
            permission.resource,
            context.cluster.account,
            arn,
            context={**known(context), "aws:PrincipalArn": arn, **dict(permission.context)},
        )
        for permission in deployment_permissions(context.cluster)
        for action in permission.actions
    )
    return Asked("CloudFormation's role", requests)


def known(context: Context) -> dict[str, str | None]:
    """Return the condition keys whose values are known before any request."""
    cluster = context.cluster
    return {
        "aws:RequestedRegion": cluster.region,
        "aws:PrincipalAccount": cluster.account,
        "aws:PrincipalType": "AssumedRole",
        "aws:PrincipalIsAWSService": "false",
        "aws:SecureTransport": "true",
    }


def findings(
    kind: str, policies: Iterable[ServiceControlPolicy], asked: Asked, context: Context
) -> Results:
    """Yield a finding for each policy that denies requests, or may deny them.

    `kind` names the policies in messages: "service control policy".
    """
    for policy in policies:
        found: dict[str, list[str]] = {"yes": [], "unknown": []}
        for request in asked.requests:
            answer = denied(policy.document, _completed(request, policy, context))
            if answer != "no" and request.action not in found[answer]:
                found[answer].append(request.action)
        if found["yes"]:
            yield Fail(
                message=f"the {kind} {policy.name} ({policy.id}) denies "
                f"{asked.who} {_few(found['yes'])}",
                where=context.cluster.account,
                hint="ask the owner of the policy for an exception for this account, region "
                "or tag",
            )
        elif found["unknown"]:
            yield Fail(
                message=f"whether the {kind} {policy.name} ({policy.id}) "
                f"denies {asked.who} {_few(found['unknown'])} depends on values of the "
                "request that are not known",
                severity="info",
                where=context.cluster.account,
                hint="read its conditions: `aws organizations describe-policy --policy-id "
                f"{policy.id}`",
            )


def _completed(
    request: PolicyRequest, policy: ServiceControlPolicy, context: Context
) -> PolicyRequest:
    """The request with the organization, and with the tags that the policy asks for.

    None where the spec has no such tag.
    """
    more: dict[str, str | None] = {}
    if policy.organization:
        more["aws:PrincipalOrgID"] = policy.organization
    if request.action in _TAGGED:
        tags = {**context.cluster.tags, ENVIRONMENT_TAG: context.cluster.environment}
        for key in _TAG_KEY.findall(policy.document):
            more[f"aws:RequestTag/{key}"] = tags.get(key)
    return replace(request, context={**request.context, **more})


def _few(actions: list[str]) -> str:
    rest = len(actions) - _SHOWN
    return listed([*actions[:_SHOWN], *([f"{rest} more"] if rest > 0 else [])])

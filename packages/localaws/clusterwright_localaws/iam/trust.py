"""Trust policies: whether a service may assume a role.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.iam.context import RequestContext, Values
from clusterwright_localaws.iam.evaluation import Policies, Request, evaluate
from clusterwright_localaws.iam.policy import read_policy
from clusterwright_localaws.iam.principals import Caller


def trusts(role: Any, service: str, context: Mapping[str, Values] | None = None) -> bool:
    """Return whether moto's `role` lets the principal of a service assume it.

    Parameters
    ----------
    context:
        The condition keys of the service's request, such as aws:SourceArn; aws:SourceAccount is
        the role's account without it.
    """
    policy = read_policy(role.assume_role_policy_document, kind="resource")
    asked = Request(
        Caller("service", service=service),
        "sts:AssumeRole",
        str(role.arn),
        RequestContext({"aws:SourceAccount": role.account_id, **(context or {})}),
    )
    return evaluate(asked, Policies(resource=policy, resource_must_allow=True)).allowed

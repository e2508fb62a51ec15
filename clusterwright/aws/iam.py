"""Policies, roles, and their simulated permissions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.errors import AwsUnavailable, is_not_found, none_if_not_found
from clusterwright.aws.session import AwsSession

EVERYTHING = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"},
    }
)


@dataclass(frozen=True)
class Simulated:
    """Result of IAM's simulator for an action on a resource.

    Attributes
    ----------
    missing:
        Condition keys of statements for which the simulation has no value.
    by_organization, by_boundary:
        Whether service control policies and the boundary allow it; None without any.
    """

    action: str
    resource: str
    decision: str
    missing: tuple[str, ...]
    by_organization: bool | None
    by_boundary: bool | None

    @property
    def allowed(self) -> bool:
        return self.decision == "allowed"


@dataclass(frozen=True)
class Simulation:
    """Actions on a resource under the same conditions."""

    actions: tuple[str, ...]
    resource: str = "*"
    context: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Role:
    """A role; `trust_policy` is JSON."""

    arn: str
    trust_policy: str


def policy_exists(session: AwsSession, arn: str) -> bool:
    """Return whether a managed policy exists."""
    return _default_version(session, arn) is not None


def policy_document(session: AwsSession, arn: str) -> str | None:
    """Return the default version of a managed policy as JSON; None if there is no such policy."""
    version = _default_version(session, arn)
    if version is None:
        return None
    answer = session.call("iam", "GetPolicyVersion", PolicyArn=arn, VersionId=version)
    found = answer["PolicyVersion"]["Document"]
    return found if isinstance(found, str) else json.dumps(found)


def role_exists(session: AwsSession, name: str) -> bool:
    """Return whether a role exists."""
    try:
        session.call("iam", "GetRole", RoleName=name)
    except Exception as error:
        if is_not_found(error):
            return False
        raise
    return True


@none_if_not_found()
def role(session: AwsSession, name: str) -> Role | None:
    """Return a role of the caller's account; None if there is none of that name."""
    found = session.call("iam", "GetRole", RoleName=name)["Role"]
    trust = found["AssumeRolePolicyDocument"]
    return Role(found["Arn"], trust if isinstance(trust, str) else json.dumps(trust))


def role_names(session: AwsSession) -> tuple[str, ...]:
    """Return the names of every role of the account, those of services included."""
    return tuple(found["RoleName"] for found in session.items("iam", "ListRoles", "Roles"))


def oidc_provider_arns(session: AwsSession) -> tuple[str, ...]:
    """Return the ARNs of every OpenID Connect provider of the account."""
    found = session.call("iam", "ListOpenIDConnectProviders")["OpenIDConnectProviderList"]
    return tuple(one["Arn"] for one in found)


@none_if_not_found()
def user_arn(session: AwsSession, name: str) -> str | None:
    """Return the ARN of a user of the caller's account; None if there is none of that name."""
    return str(session.call("iam", "GetUser", UserName=name)["User"]["Arn"])


@none_if_not_found()
def simulate_role(
    session: AwsSession, arn: str, asked: Simulation
) -> tuple[Simulated, ...] | None:
    """Return what a role may do, including its boundary and the organisation's policies.

    None if there is no such role. Service control policies with conditions are not part of AWS's
    simulation (IAM user guide, "How the IAM policy simulator works").
    """
    return tuple(_simulate(session, "SimulatePrincipalPolicy", asked, {"PolicySourceArn": arn}))


def simulate_boundary(
    session: AwsSession, document: str, asked: Simulation
) -> tuple[Simulated, ...]:
    """Return what a permissions boundary allows for a role that may do everything."""
    given = {
        "PolicyInputList": [EVERYTHING],
        "PermissionsBoundaryPolicyInputList": [document],
    }
    return tuple(_simulate(session, "SimulateCustomPolicy", asked, given))


def _simulate(
    session: AwsSession, operation: str, asked: Simulation, given: Mapping[str, Any]
) -> Iterator[Simulated]:
    context = [
        {
            "ContextKeyName": key,
            "ContextKeyType": "boolean" if value in ("true", "false") else "string",
            "ContextKeyValues": [value],
        }
        for key, value in asked.context
    ]
    pages = session.pages(
        "iam",
        operation,
        ActionNames=list(asked.actions),
        ResourceArns=[asked.resource],
        ContextEntries=context,
        **given,
    )
    answered: set[str] = set()
    for page in pages:
        for result in _read(page["EvaluationResults"]):
            answered.add(result.action.lower())
            yield result
    left = [action for action in asked.actions if action.lower() not in answered]
    if left:
        # A missing result is unknown, not allowed.
        raise AwsUnavailable(
            service="iam",
            operation=operation,
            region=session.region,
            reason="other",
            detail=f"the response has no result for {', '.join(left[:3])}",
        )


def _read(results: Iterable[Mapping[str, Any]]) -> Iterator[Simulated]:
    for one in results:
        boundary = one.get("PermissionsBoundaryDecisionDetail") or {}
        organization = one.get("OrganizationsDecisionDetail") or {}
        yield Simulated(
            one["EvalActionName"],
            one.get("EvalResourceName", "*"),
            one["EvalDecision"],
            tuple(one.get("MissingContextValues") or ()),
            organization.get("AllowedByOrganizations"),
            boundary.get("AllowedByPermissionsBoundary"),
        )


@none_if_not_found()
def _default_version(session: AwsSession, arn: str) -> str | None:
    return str(session.call("iam", "GetPolicy", PolicyArn=arn)["Policy"]["DefaultVersionId"])

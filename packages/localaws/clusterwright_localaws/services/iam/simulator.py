"""SimulatePrincipalPolicy and SimulateCustomPolicy: the same evaluation without a call.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html
https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulateCustomPolicy.html

As in AWS's simulator, condition keys have the values that the request gives and no others.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam import entities
from clusterwright_localaws.iam.context import RequestContext
from clusterwright_localaws.iam.enforcement import service_control
from clusterwright_localaws.iam.evaluation import Match, Policies, Request, evaluate, missing_keys
from clusterwright_localaws.iam.policy import MalformedPolicy, Policy, read_policy
from clusterwright_localaws.iam.principals import Caller
from clusterwright_localaws.services.iam.common import compact, input_policies, invalid, source_of

_ACTION = re.compile(r"[A-Za-z0-9-]+:[A-Za-z0-9]+")
_ARN = re.compile(r"arn:[a-z-]+:[a-z0-9-]+:[^:]*:[^:]*:.+", re.DOTALL)
_DEFAULT_ITEMS = 100
# The type of source of every policy of a principal, as recorded on AWS; the API's model lacks it.
_OF_PRINCIPALS = "IAM Policy"
# ResourceHandlingOption: the resources that a simulated ec2:RunInstances must name.
_SCENARIOS: dict[str, frozenset[str]] = {
    "EC2-Classic-InstanceStore": frozenset({"instance", "image", "security-group"}),
    "EC2-Classic-EBS": frozenset({"instance", "image", "security-group", "volume"}),
    "EC2-VPC-InstanceStore": frozenset(
        {"instance", "image", "security-group", "network-interface"}
    ),
    "EC2-VPC-InstanceStore-Subnet": frozenset(
        {"instance", "image", "security-group", "network-interface", "subnet"}
    ),
    "EC2-VPC-EBS": frozenset(
        {"instance", "image", "security-group", "network-interface", "volume"}
    ),
    "EC2-VPC-EBS-Subnet": frozenset(
        {"instance", "image", "security-group", "network-interface", "subnet", "volume"}
    ),
}


@dataclass(frozen=True)
class _Simulation:
    """One simulation: the principal, the policies, the actions and resources."""

    caller: Caller
    policies: Policies
    context: RequestContext
    resource_owner: str


@operation("iam", "SimulateCustomPolicy")
def simulate_custom_policy(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    caller = _named_caller(call) or Caller("user", call.account, "")
    return _answer(
        call,
        caller,
        input_policies(request["PolicyInputList"], "PolicyInputList"),
        _boundary(request, None),
        (),
    )


@operation("iam", "SimulatePrincipalPolicy")
def simulate_principal_policy(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    source = source_of(call, request["PolicySourceArn"])
    caller = _named_caller(call)
    is_user = request["PolicySourceArn"].split(":", 5)[5].startswith("user/")
    if request.get("ResourcePolicy") and caller is None and not is_user:
        raise invalid(
            "CallerArn is required when ResourcePolicy is given and PolicySourceArn is no user"
        )
    more = input_policies(request.get("PolicyInputList", []), "PolicyInputList")
    return _answer(
        call,
        caller or source.caller,
        tuple(replace(one, kind=_OF_PRINCIPALS) for one in (*source.policies, *more)),
        _boundary(request, source.boundary),
        service_control(call.runtime, source.caller),
    )


def _answer(
    call: Call,
    caller: Caller,
    identity: tuple[Policy, ...],
    boundary: tuple[Policy, ...] | None,
    organization: tuple[tuple[Policy, ...], ...],
) -> Mapping[str, Any]:
    request = call.parameters
    actions = request["ActionNames"]
    for name in actions:
        if not _ACTION.fullmatch(name):
            raise invalid(f"Invalid action name: {name}")
    resources = request.get("ResourceArns") or ["*"]
    for arn in resources:
        if arn != "*" and not _ARN.fullmatch(arn):
            raise invalid(f"Invalid ARN: {arn}")
    _check_scenario(request, actions, resources)
    simulation = _Simulation(
        caller,
        Policies(identity, boundary, None, organization, (), _resource_policy(request)),
        _context(request),
        _owner(request),
    )
    results = [
        _result(simulation, action, arn, named=bool(request.get("ResourceArns")))
        for action in actions
        for arn in resources
    ]
    return _page(request, results)


def _result(simulation: _Simulation, action: str, arn: str, *, named: bool) -> dict[str, Any]:
    owner = simulation.resource_owner if simulation.policies.resource else ""
    asked = Request(simulation.caller, action, arn, simulation.context, owner)
    policies = simulation.policies
    if policies.resource is not None and arn.split(":")[2:3] == ["kms"]:
        policies = replace(policies, resource_must_allow=True)
    decision = evaluate(asked, policies)
    matched = [_matched(match) for match in decision.matches]
    missing = missing_keys(
        (*policies.identity, *([policies.resource] if policies.resource else [])), asked
    )
    boundary = _boundary_detail(asked, policies)
    return compact(
        EvalActionName=action,
        EvalResourceName=arn,
        EvalDecision=decision.outcome,
        MatchedStatements=matched,
        MissingContextValues=missing,
        OrganizationsDecisionDetail=_organizations_detail(asked, policies),
        PermissionsBoundaryDecisionDetail=boundary,
        EvalDecisionDetails=_details(asked, policies),
        ResourceSpecificResults=[
            compact(
                EvalResourceName=arn,
                EvalResourceDecision=decision.outcome,
                MatchedStatements=matched,
                MissingContextValues=missing,
                PermissionsBoundaryDecisionDetail=boundary,
            )
        ]
        if named
        else None,
    )


def _matched(match: Match) -> dict[str, Any]:
    assert match.statement.span is not None
    start, end = match.statement.span
    return {
        "SourcePolicyId": match.policy.name,
        "SourcePolicyType": match.policy.kind,
        "StartPosition": {"Line": start.line, "Column": start.column},
        "EndPosition": {"Line": end.line, "Column": end.column},
    }


def _organizations_detail(asked: Request, policies: Policies) -> dict[str, bool] | None:
    if not policies.organization:
        return None
    alone = evaluate(asked, Policies(identity=_EVERYTHING, organization=policies.organization))
    return {"AllowedByOrganizations": alone.allowed}


def _boundary_detail(asked: Request, policies: Policies) -> dict[str, bool] | None:
    if policies.boundary is None:
        return None
    alone = evaluate(asked, Policies(identity=policies.boundary))
    return {"AllowedByPermissionsBoundary": alone.allowed}


def _details(asked: Request, policies: Policies) -> dict[str, str] | None:
    """Return the separate results of both accounts, for a resource of another account."""
    if policies.resource is None or asked.resource_account in ("", asked.caller.account):
        return None
    within = replace(asked, resource_account="")
    return {
        "IAM Policy": evaluate(within, replace(policies, resource=None)).outcome,
        "Resource Policy": evaluate(
            asked, Policies(identity=_EVERYTHING, resource=policies.resource)
        ).outcome,
    }


def _context(request: Mapping[str, Any]) -> RequestContext:
    found: dict[str, tuple[str, ...]] = {}
    for entry in request.get("ContextEntries", []):
        name, kind = entry.get("ContextKeyName"), entry.get("ContextKeyType", "string")
        values = tuple(entry.get("ContextKeyValues", ()))
        if not name:
            raise invalid("A context entry has no ContextKeyName")
        if not kind.endswith("List") and len(values) > 1:
            raise invalid(f"The context key {name} of type {kind} can have one value only")
        if kind.startswith("binary"):
            _check_binary(name, values)
        found[name] = values
    return RequestContext(found)


def _check_binary(name: str, values: tuple[str, ...]) -> None:
    try:
        for value in values:
            base64.b64decode(value, validate=True)
    except ValueError:
        raise invalid(f"The context key {name} is not base64") from None


def _boundary(
    request: Mapping[str, Any], own: tuple[Policy, ...] | None
) -> tuple[Policy, ...] | None:
    """Return the boundary of the request, or that of the entity."""
    given = request.get("PermissionsBoundaryPolicyInputList")
    if not given:
        return own
    return input_policies(given, "PermissionsBoundaryPolicyInputList")


def _resource_policy(request: Mapping[str, Any]) -> Policy | None:
    text = request.get("ResourcePolicy")
    if not text:
        return None
    try:
        return read_policy(text, name="ResourcePolicy", kind="resource")
    except MalformedPolicy as error:
        raise invalid(f"ResourcePolicy: {error}") from None


def _named_caller(call: Call) -> Caller | None:
    """Return the caller of CallerArn, which must be a user (AWS documentation)."""
    arn = call.parameters.get("CallerArn")
    if not arn:
        if call.operation == "SimulateCustomPolicy" and call.parameters.get("ResourcePolicy"):
            raise invalid("CallerArn is required when ResourcePolicy is given")
        return None
    parts = arn.split(":", 5)
    if len(parts) != 6 or parts[2] != "iam" or not parts[5].startswith("user/"):
        raise invalid(f"CallerArn {arn} is not the ARN of an IAM user")
    user = entities.user_of(arn)
    return entities.caller_of_user(user) if user else Caller("user", parts[4], arn)


def _owner(request: Mapping[str, Any]) -> str:
    """Return the account of ResourceOwner; empty (the caller's) without it."""
    owner = request.get("ResourceOwner")
    if not owner:
        return ""
    match = re.fullmatch(r"(?:arn:[a-z-]+:iam::)?(\d{12})(?::.*)?", owner)
    if match is None:
        raise invalid(f"ResourceOwner {owner} is not an account")
    return match.group(1)


def _check_scenario(request: Mapping[str, Any], actions: list[str], resources: list[str]) -> None:
    option = request.get("ResourceHandlingOption")
    if option is None:
        return
    if option not in _SCENARIOS:
        raise invalid(f"ResourceHandlingOption must be one of {', '.join(sorted(_SCENARIOS))}")
    if not any(name.lower() == "ec2:runinstances" for name in actions):
        return
    named = {arn.split(":", 5)[5].split("/")[0] for arn in resources if arn != "*"}
    missing = sorted(_SCENARIOS[option] - named)
    if missing:
        raise invalid(f"{option} needs ResourceArns for {', '.join(missing)}")


def _page(request: Mapping[str, Any], results: list[dict[str, Any]]) -> dict[str, Any]:
    start = 0
    if request.get("Marker"):
        try:
            start = int(base64.urlsafe_b64decode(request["Marker"]).decode())
        except ValueError:
            raise AwsError("ValidationError", "Invalid Marker.", 400) from None
    end = start + int(request.get("MaxItems", _DEFAULT_ITEMS))
    answer: dict[str, Any] = {
        "EvaluationResults": results[start:end],
        "IsTruncated": end < len(results),
    }
    if answer["IsTruncated"]:
        answer["Marker"] = base64.urlsafe_b64encode(str(end).encode()).decode()
    return answer


_EVERYTHING = (
    read_policy(
        {
            "Version": "2012-10-17",
            "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"},
        }
    ),
)

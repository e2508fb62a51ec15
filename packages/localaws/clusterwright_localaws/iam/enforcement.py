"""Decides whether a call is allowed, for the gateway in worlds with `iam: enforced`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clusterwright_localaws.core.credentials import access_key_of
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.iam import callers, denials, entities, resource_tags
from clusterwright_localaws.iam.evaluation import Decision, Policies, Request, evaluate
from clusterwright_localaws.iam.inside import acting, is_inside
from clusterwright_localaws.iam.operations import FREE, UNSIGNED, VISITED
from clusterwright_localaws.iam.policy import Policy, read_policy
from clusterwright_localaws.iam.principals import Caller
from clusterwright_localaws.iam.request_keys import context_of
from clusterwright_localaws.iam.requirements import Need, needs_of
from clusterwright_localaws.iam.resource_policies import Resource, resource_of
from clusterwright_localaws.iam.resources import Place

if TYPE_CHECKING:
    from moto.core.request import Request as HttpRequest

# SCPs leave the management account and service-linked roles alone:
# https://docs.aws.amazon.com/organizations/latest/userguide/orgs_manage_policies_scps.html
_SERVICE_LINKED = ":role/aws-service-role/"

# "The root principal in a bucket owner's AWS account can perform" these, "even if their bucket
# policy explicitly denies the root principal's access", unless policies of endpoints or
# organisations forbid it: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html
_OF_ROOT = frozenset({"s3:GetBucketPolicy", "s3:PutBucketPolicy", "s3:DeleteBucketPolicy"})


def authorise(
    runtime: Runtime,
    service: str,
    operation: str,
    request: HttpRequest,
    region: str,
    parameters: Mapping[str, Any],
) -> Caller | None:
    """Check one call of the gateway.

    Parameters
    ----------
    parameters:
        As the API model names them.

    Returns
    -------
    Caller | None
    The caller; None for an internal call of a service without a caller.

    Raises
    ------
    AwsError
        The credentials are not valid, or a policy denies or does not allow the call.
    """
    if is_inside():
        caller = acting()
        if caller is None:
            return None
    elif (service, operation) in UNSIGNED:
        return None
    elif (service, operation) in VISITED and access_key_of(request) is None:
        return None
    else:
        caller = callers.caller_of(runtime, request, service, region)
    if (service, operation) in FREE:
        return caller
    place = Place(entities.partition_of(region), region, caller.account)
    for need in needs_of(runtime, service, operation, parameters, place):
        decision = decide(runtime, caller, need, region, request)
        if not decision.allowed:
            raise denials.refusal(service, caller, need.action, need.resource, decision)
    return caller


def decide(
    runtime: Runtime, caller: Caller, need: Need, region: str, request: Any = None
) -> Decision:
    """Evaluate one need of a caller against everything that has a say."""
    world = runtime.world
    target = resource_of(need.resource, need.action)
    if need.action in _OF_ROOT and caller.kind == "root" and caller.account == target.account:
        target = replace(target, policy=None)
    extra = {**need.context, **resource_tags.of_resource(runtime, need.resource)}
    if target.account:
        extra["aws:ResourceAccount"] = target.account
        if need.resource.split(":")[2] == "s3":
            extra["s3:ResourceAccount"] = target.account
    if caller.account:
        extra["aws:SourceOwner"] = caller.account
        extra["kms:CallerAccount"] = caller.account
    if caller.called_via and need.action.startswith("kms:"):
        via = caller.called_via[-1].removesuffix(".amazonaws.com")
        extra["kms:ViaService"] = f"{via}.{region}.amazonaws.com"
    context = context_of(caller, world, runtime.clock.now(), region, request, extra)
    owner = _as_shared(runtime, need.resource, target.account, caller)
    return evaluate(
        Request(caller, need.action, need.resource, context, owner),
        policies_for(runtime, caller, target),
    )


def _as_shared(runtime: Runtime, resource: str, owner: str, caller: Caller) -> str:
    """Return the account whose policies decide: the caller's, of a subnet that is shared with it.

    https://docs.aws.amazon.com/vpc/latest/userguide/vpc-sharing.html
    """
    shared = {
        f":{seed.owner_account}:subnet/{seed.id}"
        for seed in runtime.world.subnets
        if seed.owner_account is not None
    }
    return caller.account if resource.endswith(tuple(shared)) and shared else owner


def policies_for(runtime: Runtime, caller: Caller, target: Resource) -> Policies:
    """Gather the policies of a caller, of its organisation and of a resource."""
    identity: tuple[Policy, ...] = ()
    boundary: tuple[Policy, ...] | None = None
    if caller.kind == "user":
        user = entities.user_of(caller.arn)
        if user is not None:
            identity, boundary = entities.user_policies(user), entities.boundary_of(user)
    elif caller.kind == "role":
        role = entities.role_of(caller.role_arn)
        if role is not None:
            identity, boundary = entities.policies_of(role, "role"), entities.boundary_of(role)
    session = (
        tuple(read_policy(text, name="session policy") for text in caller.session_policies)
        if caller.session_policies
        else None
    )
    return Policies(
        identity,
        boundary,
        session,
        service_control(runtime, caller),
        resource_control(runtime, target),
        target.policy,
        target.must_allow,
    )


def service_control(runtime: Runtime, caller: Caller) -> tuple[tuple[Policy, ...], ...]:
    """Return the organisation's policies that limit a caller, level by level."""
    organization = runtime.world.organization
    if (
        organization is None
        or not caller.account
        or caller.account == organization.management_account
        or _SERVICE_LINKED in caller.role_arn
    ):
        return ()
    return tuple(
        tuple(
            read_policy(json.dumps(document), name=f"service control policy {level}.{number}")
            for number, document in enumerate(listed, 1)
        )
        for level, listed in enumerate(organization.service_control_policies, 1)
    )


def resource_control(runtime: Runtime, target: Resource) -> tuple[Policy, ...]:
    """Return the organisation's policies that limit access to a resource.

    RCPFullAWSAccess is always there:
    https://docs.aws.amazon.com/organizations/latest/userguide/orgs_manage_policies_rcps.html
    """
    organization = runtime.world.organization
    if (
        organization is None
        or not organization.resource_control_policies
        or target.account == organization.management_account
    ):
        return ()
    everything = {
        "Version": "2012-10-17",
        "Statement": {"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"},
    }
    return tuple(
        read_policy(json.dumps(document), name="resource control policy")
        for document in (everything, *organization.resource_control_policies)
    )

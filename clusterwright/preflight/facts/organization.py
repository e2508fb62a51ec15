"""Policies of the account's organization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import organizations
from clusterwright.preflight.facts.fact import Fact, Place


@dataclass(frozen=True)
class EffectiveTagPolicy(Fact[organizations.TagPolicy | None]):
    """The effective tag policy of the account; None if there is none."""

    actions: ClassVar = ("organizations:DescribeEffectivePolicy",)
    # The ARN of a member has the management account's number and the organisation's id,
    # which is not known before the request.
    resource: ClassVar = "arn:{partition}:organizations::*:account/o-*/{account}"
    function: ClassVar = organizations.effective_tag_policy


@dataclass(frozen=True)
class ServiceControlPolicies(Fact[tuple[organizations.ServiceControlPolicy, ...]]):
    """The service control policies that limit an account."""

    account: str
    actions: ClassVar = (
        "organizations:DescribeOrganization",
        "organizations:ListPoliciesForTarget",
        "organizations:DescribePolicy",
        "organizations:ListParents",
    )
    function: ClassVar = organizations.service_control_policies

    def resources(self, place: Place) -> Mapping[str, str]:
        return _of_control_policies(place)


@dataclass(frozen=True)
class ResourceControlPolicies(Fact[tuple[organizations.ServiceControlPolicy, ...]]):
    """The resource control policies that limit access to an account's resources."""

    account: str
    actions: ClassVar = ServiceControlPolicies.actions
    function: ClassVar = organizations.resource_control_policies

    def resources(self, place: Place) -> Mapping[str, str]:
        return _of_control_policies(place)


def _of_control_policies(place: Place) -> Mapping[str, str]:
    # The organisation's id and the policies are not known before the requests.
    prefix = f"arn:{place.partition}:organizations::*:"
    return {
        "organizations:DescribePolicy": f"{prefix}policy/*",
        "organizations:ListPoliciesForTarget": f"{prefix}*/o-*/*",
        "organizations:ListParents": f"{prefix}*/o-*/*",
    }

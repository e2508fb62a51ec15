"""The effective tag policy, which moto lacks; it is the world's.

https://docs.aws.amazon.com/organizations/latest/APIReference/API_DescribeEffectivePolicy.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError


@operation("organizations", "DescribeEffectivePolicy")
def describe_effective_policy(call: Call) -> Mapping[str, Any]:
    organization = call.world.organization
    if organization is None:
        raise AwsError(
            "AWSOrganizationsNotInUseException", "Your account is not a member of an organization."
        )
    target = call.parameters.get("TargetId", call.account)
    if call.account not in (target, organization.management_account):
        raise AwsError(
            "AccessDeniedException", "You don't have permissions to access this resource."
        )
    kind = call.parameters["PolicyType"]
    if kind != "TAG_POLICY" or organization.tag_policy is None:
        raise AwsError(
            "EffectivePolicyNotFoundException",
            f"The account {target} has no effective policy of the type {kind}.",
        )
    content = organization.tag_policy.model_dump(exclude_none=True)
    return {
        "EffectivePolicy": {
            "PolicyContent": json.dumps(content, separators=(",", ":")),
            "TargetId": target,
            "PolicyType": kind,
        }
    }

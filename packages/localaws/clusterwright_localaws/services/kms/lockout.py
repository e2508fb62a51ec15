"""Key policies that no one could change again: KMS's lockout safety check.

https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_PutKeyPolicy.html
Message as users quote it: terraform-aws-modules/terraform-aws-kms#14. That the caller's own
permissions count, too, aws-samples/rds-snapshot-export-to-s3-pipeline#8 says.
"""

from __future__ import annotations

from typing import Any, Final

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam.enforcement import policies_for
from clusterwright_localaws.iam.evaluation import Request, concerns_action, evaluate
from clusterwright_localaws.iam.inside import acting
from clusterwright_localaws.iam.policy import Policy, Principals, read_policy
from clusterwright_localaws.iam.principals import Caller
from clusterwright_localaws.iam.request_keys import context_of
from clusterwright_localaws.iam.resource_policies import Resource

_ACTION: Final = "kms:PutKeyPolicy"


def check_lockout(call: Call, key: Any = None) -> None:
    """Refuse a request with a policy that would not let its caller change the policy again.

    Where IAM is not enforced, callers are not known: then anybody must be able to.

    Parameters
    ----------
    key:
        moto's key; None for a new one.

    Raises
    ------
    AwsError
        MalformedPolicyDocumentException.
    """
    text = call.parameters.get("Policy")
    if not text or call.parameters.get("BypassPolicyLockoutSafetyCheck"):
        return
    policy, caller = read_policy(text, kind="resource"), acting()
    if call.world.iam == "enforced":
        arn = key.arn if key is not None else call.arn("kms", "key/new")
        may = caller is None or _may(call, policy, caller, arn)
    else:
        may = _somebody_may(policy)
    if not may:
        raise AwsError(
            "MalformedPolicyDocumentException",
            "The new key policy will not allow you to update the key policy in the future.",
            400,
        )


def _may(call: Call, policy: Policy, caller: Caller, arn: str) -> bool:
    context = context_of(
        caller, call.world, call.now, call.region, None, {"kms:CallerAccount": caller.account}
    )
    target = Resource(call.account, policy, must_allow=True)
    policies = policies_for(call.runtime, caller, target)
    return evaluate(Request(caller, _ACTION, arn, context, call.account), policies).allowed


def _somebody_may(policy: Policy) -> bool:
    about = [one for one in policy.statements if concerns_action(one, _ACTION)]
    if any(
        one.effect == "Deny" and not one.conditions and _is_everybody(one.principal)
        for one in about
    ):
        return False
    return any(
        one.effect == "Allow" and (one.not_principal is not None or _names_somebody(one.principal))
        for one in about
    )


def _is_everybody(principals: Principals | None) -> bool:
    return principals is not None and (
        principals.everybody
        or any("*" in values for kind, values in principals.named if kind == "AWS")
    )


def _names_somebody(principals: Principals | None) -> bool:
    return principals is not None and (
        principals.everybody
        or any(values for kind, values in principals.named if kind != "Service")
    )

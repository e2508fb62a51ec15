"""moto deletes managed policies that are attached, or that have more than one version.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeletePolicy.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: DeletePolicy refuses a policy that is attached to an entity, or that has versions "
    "other than the default"
)
REPRODUCTION = """\
import json

iam = boto3.client("iam")
document = {"Effect": "Allow", "Action": "s3:ListAllMyBuckets", "Resource": "*"}
text = json.dumps({"Version": "2012-10-17", "Statement": document})
arn = iam.create_policy(PolicyName="policy", PolicyDocument=text)["Policy"]["Arn"]
iam.create_user(UserName="user")
iam.attach_user_policy(UserName="user", PolicyArn=arn)
try:
    iam.delete_policy(PolicyArn=arn)
except iam.exceptions.DeleteConflictException:
    pass
else:
    raise AssertionError("the policy is deleted")
"""


def apply() -> None:
    from moto.iam.models import IAMBackend

    delete_policy = IAMBackend.delete_policy

    def _delete_policy(self: Any, policy_arn: str) -> None:
        policy = self.managed_policies.get(policy_arn)
        if runtime().active and policy is not None:
            _refuse_in_use(policy)
        delete_policy(self, policy_arn)

    IAMBackend.delete_policy = _delete_policy  # type: ignore[method-assign]


def _refuse_in_use(policy: Any) -> None:
    from moto.iam.exceptions import DeleteConflictException

    if policy.attachment_count:
        raise DeleteConflictException("Cannot delete a policy attached to entities.")
    if len(policy.versions) > 1:
        raise DeleteConflictException(
            "This policy has more than one version. Before you delete a policy, you must delete "
            "the policy's versions. The default version is deleted with the policy."
        )

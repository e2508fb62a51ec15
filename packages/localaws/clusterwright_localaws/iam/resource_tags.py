"""The tags of the resource of a request, for the condition keys `aws:ResourceTag` and EC2's own.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/iam-policy-structure.html
"""

from __future__ import annotations

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.iam.context import Values


def of_resource(arn: str) -> dict[str, Values]:
    """The keys of an existing resource of EC2; those of other services are not filled."""
    parts = arn.split(":", 5)
    if len(parts) < 6 or parts[2] != "ec2" or not parts[4]:
        return {}
    identifier = parts[5].rpartition("/")[2]
    backend = moto_state.existing("ec2", parts[4], parts[3])
    tags = backend.tags if backend is not None else {}
    return {
        f"{prefix}:ResourceTag/{key}": str(value)
        for key, value in dict(tags.get(identifier) or {}).items()
        for prefix in ("aws", "ec2")
    }

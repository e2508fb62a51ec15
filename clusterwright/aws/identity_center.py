"""IAM Identity Center."""

from __future__ import annotations

from clusterwright.aws.session import AwsSession


def instance_arns(session: AwsSession, region: str) -> tuple[str, ...]:
    """Return the instances in a region that the caller's account can see."""
    return tuple(
        str(one["InstanceArn"])
        for one in session.items("sso-admin", "ListInstances", "Instances", region=region)
    )

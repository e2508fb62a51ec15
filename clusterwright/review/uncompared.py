"""What of deployed resources can change without a difference: neither CloudFormation's drift
detection nor a call of this product shows it.

CloudFormation compares the properties that have a value in the template.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-drift.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from clusterwright.review.resource_changes import Key, ResourceVersion
from clusterwright.review.results import UncheckedPart

STACKS: Final = UncheckedPart(
    "termination protection and stack policies", "drift detection does not read them"
)
_REASON: Final = "drift detection does not look for them, and no call of this product reads them"
_PARTS: Final[Mapping[str, str]] = {
    "AWS::EC2::SecurityGroup": "network interfaces that use a security group",
    "AWS::EC2::VPC": "network interfaces, virtual private gateways and attachments of transit "
    "gateways in a VPC",
    "AWS::ECR::Repository": "images and policies of repositories that the template does not set",
    "AWS::EKS::Cluster": "objects in the Kubernetes API",
    "AWS::KMS::Key": "grants of a key",
    "AWS::Lambda::Function": "who may invoke a function, and what does",
    "AWS::Logs::LogGroup": "subscription filters and metric filters of log groups",
    "AWS::RDS::DBInstance": "users and data of a database",
    "AWS::S3::Bucket": "configurations of buckets that the template does not set, such as "
    "notifications, life cycle and replication; access points",
    "AWS::SecretsManager::Secret": "values and resource policies of secrets",
}
"""In words, by type."""


def uncompared(resources: Mapping[Key, ResourceVersion]) -> Iterator[UncheckedPart]:
    """The parts of the types that are deployed."""
    names: dict[str, list[str]] = {}
    for key, side in resources.items():
        names.setdefault(side.type, []).append("/".join(key))
    if names:
        yield STACKS
    for kind, words in _PARTS.items():
        if kind in names:
            yield UncheckedPart(f"{words}: {', '.join(names[kind])}", _REASON)

"""What the codes of EKS's health issues mean: of clusters, node groups and add-ons.

Source: botocore's model of EKS (AddonIssueCode, ClusterIssueCode, NodegroupIssueCode) and the EKS
API reference, data types AddonIssue, ClusterIssue and Issue (read 2026-11).
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.signature import Values

_FAILED: Final = "EKS failed by itself; the same request may succeed later"
_ROLE: Final = "a role lacks a permission, or its access entry is missing"
_TEMPLATE: Final = "the launch template was deleted, changed or is invalid"

CODES: Final = {
    "AccessDenied": _ROLE,
    "AddonPermissionFailure": "the add-on's role lacks a permission",
    "AddonSubscriptionNeeded": "the add-on is sold in AWS Marketplace and has no subscription",
    "AdmissionRequestDenied": "an admission webhook of the cluster refuses the add-on's objects",
    "AmiIdNotFound": "the image of the nodes does not exist",
    "AsgInstanceLaunchFailures": "Auto Scaling cannot launch the instances",
    "AutoScalingGroupInstanceRefreshActive": "an instance refresh of the Auto Scaling group runs",
    "AutoScalingGroupInvalidConfiguration": "the Auto Scaling group was changed outside EKS",
    "AutoScalingGroupNotFound": "the Auto Scaling group was deleted outside EKS",
    "AutoScalingGroupOptInRequired": "EC2 or Auto Scaling is not enabled for the account",
    "AutoScalingGroupRateLimitExceeded": "Auto Scaling throttles the requests",
    "ClusterUnreachable": "EKS cannot reach the cluster's API server, or it does not answer",
    "ConfigurationConflict": "objects of the add-on exist already, with other values",
    "Ec2InstanceTypeDoesNotExist": "the instance type does not exist in the region",
    "Ec2LaunchTemplateDeletionFailure": "the launch template cannot be deleted",
    "Ec2LaunchTemplateInvalidConfiguration": _TEMPLATE,
    "Ec2LaunchTemplateMaxLimitExceeded": "the account has too many launch templates",
    "Ec2LaunchTemplateNotFound": _TEMPLATE,
    "Ec2LaunchTemplateVersionMaxLimitExceeded": "the launch template has too many versions",
    "Ec2LaunchTemplateVersionMismatch": _TEMPLATE,
    "Ec2SecurityGroupDeletionFailure": "a security group cannot be deleted: something uses it",
    "Ec2SecurityGroupNotFound": "a security group was deleted",
    "Ec2ServiceNotSubscribed": "EC2 is not enabled for the account",
    "Ec2SubnetInvalidConfiguration": "a public subnet does not assign public addresses",
    "Ec2SubnetListTooLong": "the Auto Scaling group has too many subnets",
    "Ec2SubnetMissingIpv6Assignment": "a subnet does not assign IPv6 addresses",
    "Ec2SubnetNotFound": "a subnet was deleted",
    "IamInstanceProfileNotFound": "the instance profile was deleted",
    "IamLimitExceeded": "a quota of IAM is reached",
    "IamNodeRoleNotFound": "the nodes' role was deleted",
    "IamRoleNotFound": "the cluster's role was deleted",
    "IamThrottling": "IAM throttles the requests",
    "InstanceLimitExceeded": "a quota of instances is reached",
    "InsufficientFreeAddresses": "a subnet has too few free addresses",
    "InsufficientNumberOfReplicas": "too few pods of the add-on run: no node is there for them, "
    "they are not scheduled, or their image or network does not work",
    "InternalFailure": _FAILED,
    "K8sResourceNotFound": "an object of the add-on was deleted from the cluster",
    "KmsGrantRevoked": "the grant for the key of the secrets was revoked",
    "KmsKeyDisabled": "the key of the secrets is disabled",
    "KmsKeyMarkedForDeletion": "the key of the secrets will be deleted",
    "KmsKeyNotFound": "the key of the secrets was deleted",
    "KubernetesLabelInvalid": "a label of the node group is not valid in Kubernetes",
    "LimitExceeded": "a quota is reached",
    "NodeCreationFailure": "instances started but did not join the cluster",
    "NodeTerminationFailure": "instances cannot be terminated",
    "PodEvictionFailure": "pods cannot be evicted, because of a disruption budget",
    "ResourceLimitExceeded": "a quota is reached",
    "ResourceNotFound": "something that the cluster needs was deleted",
    "SourceEc2LaunchTemplateNotFound": _TEMPLATE,
    "StsRegionalEndpointDisabled": "the regional endpoint of STS is disabled for the account",
    "UnsupportedAddonModification": "the add-on does not allow the change",
    "UnsupportedVersion": "the Kubernetes version is no longer supported",
    "VpcNotFound": "the VPC was deleted",
}
"""Meanings by code. `Other` and `Unknown` say nothing."""


def cause(values: Values) -> str:
    """The cause of a health issue, with what EKS says beside its code."""
    code, message = values["code"], values.get("message", "").strip(" .\"'}]")
    return f"EKS: {CODES[code]}: {message or code}"

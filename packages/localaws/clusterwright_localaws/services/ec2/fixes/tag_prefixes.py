"""moto's CreateTags and DescribeTags refuse ids of resources that moto does not have."""

from __future__ import annotations

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: CreateTags and DescribeTags accept ids of placement groups, capacity reservations and "
    "capacity blocks"
)
REPRODUCTION = """\
ec2 = boto3.client("ec2")
ids = ["pg-0123456789abcdef0", "cr-0123456789abcdef0", "cb-0123456789abcdef0"]
ec2.create_tags(Resources=ids, Tags=[{"Key": "k", "Value": "v"}])
found = ec2.describe_tags(Filters=[{"Name": "key", "Values": ["k"]}])["Tags"]
assert sorted(tag["ResourceId"] for tag in found) == sorted(ids)
"""
_PREFIXES = (
    ("placement-group", "pg"),
    ("capacity-reservation", "cr"),
    ("capacity-block", "cb"),
)


def apply() -> None:
    from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE, EC2_RESOURCE_TO_PREFIX

    for resource, prefix in _PREFIXES:
        EC2_RESOURCE_TO_PREFIX.setdefault(resource, prefix)
        EC2_PREFIX_TO_RESOURCE.setdefault(prefix, resource)

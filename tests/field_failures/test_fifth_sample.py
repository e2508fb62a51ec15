"""The fifth sample: quotas outside EC2, and the tenancy of a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.field_failures.parts import House, account, checked, client

EKS: dict[str, Any] = {
    "platform": "eks",
    "compute": [
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}
    ],
}
SERVES: dict[str, Any] = {
    **EKS,
    "platform": "hyperpod-eks",
    "network.egress": "nat",
    "hyperpod": {"inference": {}},
}


@pytest.mark.parametrize(
    ("rule", "quota", "needed", "changes"),
    [
        ("CW-Q082", "iam/L-FE177D64", 2, {}),
        ("CW-Q083", "iam/L-858F3967", 1, SERVES),
    ],
)
def test_openshift_69365_full_quota_of_iam_is_found(
    tmp_path: Path, rule: str, quota: str, needed: int, changes: dict[str, Any]
) -> None:
    with account(quotas={quota: needed - 1}):
        (finding,) = checked(tmp_path, changes, "--only", rule).of(rule)
    assert (finding["requested"], finding["quota_code"]) == (needed, quota.partition("/")[2])
    with account(quotas={quota: needed}):
        assert checked(tmp_path, changes, "--only", rule).findings == []


def test_ebs_csi_2512_storage_of_root_volumes_beyond_the_quota_is_found(tmp_path: Path) -> None:
    with account(quotas={"ebs/L-7A658B76": 1}):
        assert checked(tmp_path, EKS, "--only", "CW-Q023").findings == []
        zone = client("ec2").describe_availability_zones()["AvailabilityZones"][0]["ZoneName"]
        client("ec2").create_volume(Size=500, AvailabilityZone=zone, VolumeType="gp3")
        (finding,) = checked(tmp_path, EKS, "--only", "CW-Q023").of("CW-Q023")
    assert "the root volumes of 4 nodes need 0.78 TiB" in finding["message"]


def test_amplify_2467_full_quota_of_stacks_is_found(tmp_path: Path) -> None:
    with account(quotas={"cloudformation/L-0485CB21": 3}):
        (finding,) = checked(tmp_path, None, "--only", "CW-Q084").of("CW-Q084")
        assert finding["limit"] == 3
    with account(quotas={"cloudformation/L-0485CB21": 4}):
        assert checked(tmp_path, None, "--only", "CW-Q084").findings == []


def test_containers_roadmap_1577_dedicated_tenancy_is_found(tmp_path: Path) -> None:
    with account():
        house = House()
        assert checked(tmp_path, house.spec(), "--only", "CW-N035").findings == []
        dedicated = house.ec2.create_vpc(CidrBlock="10.8.0.0/16", InstanceTenancy="dedicated")
        changes = {**house.spec(), "network.existing.vpc_id": dedicated["Vpc"]["VpcId"]}
        (finding,) = checked(tmp_path, changes, "--only", "CW-N035").of("CW-N035")
    assert "dedicated tenancy" in finding["message"]

"""Tests of services.pcs.groups and of what it checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import runtime
from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.pcs_parts import (
    PcsSite,
    build_pcs_site,
    group,
    instances,
    profile,
    template,
)

SCALING = {"minInstanceCount": 0, "maxInstanceCount": 33}
ONE = {"minInstanceCount": 1, "maxInstanceCount": 1}


@pytest.fixture
def site() -> Iterator[PcsSite]:
    with local_aws():
        found = build_pcs_site()
        found.create()
        yield found


def pcs() -> Any:
    return client("pcs")


def update(**change: Any) -> Any:
    return pcs().update_compute_node_group(
        clusterIdentifier="train", computeNodeGroupIdentifier="workers", **change
    )


def test_group_launches_its_static_instances(site: PcsSite) -> None:
    found = site.create_group()
    assert found["status"] == "ACTIVE"
    assert found["launchTemplateMode"] == "CUSTOM"
    assert found["purchaseOption"] == "ONDEMAND"
    running = instances(found["id"])
    assert len(running) == 2
    for one in running:
        tags = {tag["Key"]: tag["Value"] for tag in one["Tags"]}
        assert tags == {
            "Name": "node",
            "aws:pcs:cluster-id": found["clusterId"],
            "aws:pcs:compute-node-group-id": found["id"],
        }
        assert [each["GroupId"] for each in one["SecurityGroups"]] == [site.site.group_id]


def test_instances_have_the_profile(site: PcsSite) -> None:
    found = site.create_group(scalingConfiguration=ONE)
    (one,) = instances(found["id"])
    (association,) = client("ec2").describe_iam_instance_profile_associations(
        Filters=[{"Name": "instance-id", "Values": [one["InstanceId"]]}]
    )["IamInstanceProfileAssociations"]
    assert association["IamInstanceProfile"]["Arn"] == site.profile_arn


def test_group_without_capacity_fails_with_the_reason_of_ec2() -> None:
    capacity = [{"instance_type": "m5.xlarge", "available": 1}]
    with local_aws(capacity=capacity):
        site = build_pcs_site()
        site.create()
        found = site.create_group()
        assert found["status"] == "CREATE_FAILED"
        (error,) = found["errorInfo"]
        assert error["code"] == "InsufficientInstanceCapacity"
        assert instances(found["id"]) == []
        other = site.create_group(
            "others", instanceConfigs=[{"instanceType": "m5.xlarge"}, {"instanceType": "m5.large"}]
        )
        assert other["status"] == "ACTIVE"
        assert {one["InstanceType"] for one in instances(other["id"])} == {"m5.large"}


def test_group_of_efa_interfaces_has_them(site: PcsSite) -> None:
    cards = [
        {
            "DeviceIndex": min(card, 1),
            "NetworkCardIndex": card,
            "InterfaceType": "efa",
            "Groups": [site.site.group_id],
        }
        for card in range(2)
    ]
    several = template("efa", ImageId=site.image_id, NetworkInterfaces=cards)
    found = site.create_group(
        customLaunchTemplate={"id": several, "version": "1"},
        instanceConfigs=[{"instanceType": "p5.48xlarge"}],
        scalingConfiguration=ONE,
    )
    assert found.get("errorInfo") is None
    (one,) = instances(found["id"])
    assert len(one["NetworkInterfaces"]) == 2


REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"scalingConfiguration": {"minInstanceCount": 2, "maxInstanceCount": 1}},
        "minInstanceCount 2 exceeds maxInstanceCount 1.",
    ),
    ({"instanceConfigs": []}, "instanceConfigs must not be empty."),
    (
        {"instanceConfigs": [{"instanceType": "m99.large"}]},
        "The instance type m99.large does not exist.",
    ),
    ({"subnetIds": []}, "subnetIds must not be empty."),
    (
        {"subnetIds": ["subnet-0123456789abcdef0"]},
        "The subnet ID 'subnet-0123456789abcdef0' does not exist",
    ),
    (
        {"customLaunchTemplate": None},
        "customLaunchTemplate is required when launchTemplateMode is CUSTOM.",
    ),
    (
        {"launchTemplateMode": "MANAGED"},
        "customLaunchTemplate can't be specified when launchTemplateMode is MANAGED.",
    ),
    (
        {"launchTemplateMode": "MANAGED", "customLaunchTemplate": None},
        "amiId is required when launchTemplateMode is MANAGED.",
    ),
    (
        {"purchaseOption": "INTERRUPTIBLE_CAPACITY_RESERVATION"},
        "purchaseOption INTERRUPTIBLE_CAPACITY_RESERVATION needs a launch template with the "
        "MarketType interruptible-capacity-reservation.",
    ),
    (
        {"spotOptions": {"allocationStrategy": "lowest-price"}},
        "spotOptions can be specified with purchaseOption SPOT only.",
    ),
    (
        {"purchaseOption": "CAPACITY_BLOCK"},
        "purchaseOption CAPACITY_BLOCK needs a launch template with the MarketType "
        "capacity-block.",
    ),
    (
        {"slurmConfiguration": {"slurmCustomSettings": []}},
        "slurmConfiguration.slurmCustomSettings must not be empty.",
    ),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_invalid_group_is_refused(site: PcsSite, change: dict[str, Any], message: str) -> None:
    asked = refusal(pcs().create_compute_node_group, **site.group(**change))
    assert asked == ("ValidationException", message)


def test_refusal_names_the_member(site: PcsSite) -> None:
    with pytest.raises(pcs().exceptions.ValidationException) as caught:
        pcs().create_compute_node_group(**site.group(subnetIds=[]))
    assert caught.value.response["reason"] == "fieldValidationFailed"
    assert caught.value.response["fieldList"] == [
        {"name": "subnetIds", "message": "subnetIds must not be empty."}
    ]


def test_role_of_the_profile_has_a_name_or_a_path_of_pcs(site: PcsSite) -> None:
    wrong = profile("nodes-of-mine")
    code, message = refusal(
        pcs().create_compute_node_group, **site.group(iamInstanceProfileArn=wrong)
    )
    assert code == "ValidationException"
    assert "must have a name that starts with AWSPCS, or the path /aws-pcs/" in message
    in_path = profile("others-of-mine", "/aws-pcs/")
    assert site.create_group(iamInstanceProfileArn=in_path)["status"] == "ACTIVE"
    missing = wrong.replace("nodes-of-mine", "absent")
    _, message = refusal(
        pcs().create_compute_node_group, **site.group("b-group", iamInstanceProfileArn=missing)
    )
    assert message == f"The instance profile {missing} does not exist, or has no role."


def test_sizes_limit_the_sum_of_maxima(site: PcsSite) -> None:
    code, message = refusal(
        pcs().create_compute_node_group, **site.group(scalingConfiguration=SCALING)
    )
    assert code == "ServiceQuotaExceededException"
    assert message == (
        "The total of maxInstanceCount over all compute node groups would be 33; a SMALL cluster "
        "has at most 32 compute nodes."
    )
    site.create_group()
    thirty = {"minInstanceCount": 0, "maxInstanceCount": 29}
    assert refusal(
        pcs().create_compute_node_group, **site.group("second", scalingConfiguration=thirty)
    )[0] == ("ServiceQuotaExceededException")
    update(scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 32})
    assert group()["scalingConfiguration"]["maxInstanceCount"] == 32


def test_eleventh_group_is_refused(site: PcsSite) -> None:
    none = {"minInstanceCount": 0, "maxInstanceCount": 1}
    for number in range(10):
        site.create_group(f"group-{number}", scalingConfiguration=none)
    assert refusal(
        pcs().create_compute_node_group, **site.group("more", scalingConfiguration=none)
    ) == (
        "ServiceQuotaExceededException",
        "The maximum number of compute node groups per cluster is 10.",
    )
    assert (
        len(pcs().list_compute_node_groups(clusterIdentifier="train")["computeNodeGroups"]) == 10
    )


def test_update_replaces_instances_only_if_they_change(site: PcsSite) -> None:
    site.create_group()
    before = {one["InstanceId"] for one in instances(group()["id"])}
    update(scalingConfiguration={"minInstanceCount": 3, "maxInstanceCount": 4})
    after = {one["InstanceId"] for one in instances(group()["id"])}
    assert before < after
    assert len(after) == 3
    update(amiId=site.image_id)
    replaced = {one["InstanceId"] for one in instances(group()["id"])}
    assert not replaced & after
    assert group()["amiId"] == site.image_id
    update(amiId="")
    assert "amiId" not in group()
    update(scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 1})
    group()
    assert len(instances(group()["id"])) == 1


def test_failed_update_keeps_the_group(site: PcsSite) -> None:
    site.create_group()
    wide = {"minInstanceCount": 4, "maxInstanceCount": 4}
    runtime().world = runtime().world.model_copy(update={"capacity": [_capacity("m5.xlarge", 2)]})
    update(scalingConfiguration=wide)
    found = group()
    assert found["status"] == "UPDATE_FAILED"
    assert found["scalingConfiguration"] == {"minInstanceCount": 2, "maxInstanceCount": 4}
    assert found["errorInfo"][0]["code"] == "InsufficientInstanceCapacity"


def test_mode_can_change_to_managed_and_back(site: PcsSite) -> None:
    site.create_group()
    update(
        launchTemplateMode="MANAGED",
        amiId=site.image_id,
        securityGroupIds=[site.site.group_id],
    )
    found = group()
    assert found["launchTemplateMode"] == "MANAGED"
    assert "customLaunchTemplate" not in found
    named = {"id": site.template_id, "version": "1"}
    with pytest.raises(pcs().exceptions.ValidationException, match="switch from MANAGED"):
        update(customLaunchTemplate=named)
    update(launchTemplateMode="CUSTOM", customLaunchTemplate=named)
    assert group()["customLaunchTemplate"] == named


def test_spot_has_a_strategy(site: PcsSite) -> None:
    found = site.create_group(purchaseOption="SPOT")
    assert found["spotOptions"] == {"allocationStrategy": "price-capacity-optimized"}
    assert {one["InstanceLifecycle"] for one in instances(found["id"])} == {"spot"}
    update(purchaseOption="ONDEMAND")
    assert "spotOptions" not in group()


def test_lifecycle_actions_have_defaults(site: PcsSite) -> None:
    script = {"name": "prepare", "scriptSource": {"scriptLocation": "s3://scripts/p.sh"}}
    found = site.create_group(nodeLifecycleActions={"stages": {"nodeBootstrapped": [script]}})
    assert found["nodeLifecycleActions"] == {
        "scriptCachingPolicy": "CACHE_ONCE",
        "stages": {
            "nodeBootstrapped": [
                {**script, "onError": "TERMINATE", "executionPolicy": "FIRST_BOOT_ONLY"}
            ]
        },
    }
    twice = {"stages": {"nodeReady": [script, script]}}
    assert refusal(
        pcs().create_compute_node_group, **site.group("second", nodeLifecycleActions=twice)
    ) == ("ValidationException", "Names of scripts must be unique.")


def test_group_needs_an_active_cluster() -> None:
    with local_aws(delays={"pcs_cluster": 60}):
        site = build_pcs_site()
        pcs().create_cluster(**site.request())
        assert refusal(pcs().create_compute_node_group, **site.group()) == (
            "ConflictException",
            "The cluster train isn't in ACTIVE status: it is CREATING.",
        )


def _capacity(instance_type: str, available: int) -> Any:
    from clusterwright_localaws.worlds.model import Capacity

    return Capacity(instance_type=instance_type, available=available)

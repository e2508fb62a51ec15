"""What is mended in moto: each patch cures what it says."""

from __future__ import annotations

import importlib
import ipaddress
import time
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services import fixes, own_services
from packages.localaws.tests.parts import Site, build_site, client, refusal


@pytest.mark.parametrize("name", [name for service in own_services() for name in fixes(service)])
def test_a_fix_has_a_description_and_the_version_of_moto(name: str) -> None:
    from importlib.metadata import version

    module = importlib.import_module(name)
    assert version("moto") == module.MOTO_VERSION, "check whether moto has fixed it since"
    assert module.DESCRIPTION.strip()
    assert not module.DESCRIPTION.endswith(".")


class TestAddresses:
    """ec2_addresses"""

    def test_interfaces_have_an_address_of_their_subnet(self, site: Site) -> None:
        ec2 = client("ec2")
        subnet = ec2.create_subnet(VpcId=site.vpc_id, CidrBlock="10.0.200.0/28")["Subnet"]
        interface = ec2.create_network_interface(SubnetId=subnet["SubnetId"])["NetworkInterface"]
        assert interface["PrivateIpAddress"] == "10.0.200.4"  # AWS keeps the first four

    def test_a_full_subnet_is_full(self, site: Site) -> None:
        ec2 = client("ec2")
        subnet = ec2.create_subnet(VpcId=site.vpc_id, CidrBlock="10.0.200.0/28")["Subnet"]
        given = [
            ec2.create_network_interface(SubnetId=subnet["SubnetId"])["NetworkInterface"][
                "PrivateIpAddress"
            ]
            for _ in range(11)
        ]
        assert given == [f"10.0.200.{last}" for last in range(4, 15)]
        found, _ = refusal(ec2.create_network_interface, SubnetId=subnet["SubnetId"])
        assert found == "InsufficientFreeAddressesInSubnet"
        (left,) = ec2.describe_subnets(SubnetIds=[subnet["SubnetId"]])["Subnets"]
        assert left["AvailableIpAddressCount"] == 0

    def test_an_address_that_goes_is_free_again(self, site: Site) -> None:
        ec2 = client("ec2")
        free = site.free_addresses()
        made = ec2.create_network_interface(SubnetId=site.subnet_id)["NetworkInterface"]
        assert site.free_addresses() == free - 1
        ec2.delete_network_interface(NetworkInterfaceId=made["NetworkInterfaceId"])
        assert site.free_addresses() == free

    def test_instances_count_too(self, site: Site) -> None:
        ec2 = client("ec2")
        free = site.free_addresses()
        image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
        instances = ec2.run_instances(
            ImageId=image, MinCount=2, MaxCount=2, SubnetId=site.subnet_id
        )["Instances"]
        subnet = ipaddress.ip_network("10.0.0.0/17")
        assert all(ipaddress.ip_address(i["PrivateIpAddress"]) in subnet for i in instances)
        assert site.free_addresses() == free - 2


class TestDependencies:
    """ec2_dependencies"""

    def test_what_a_cluster_uses_cannot_be_deleted(self, site: Site) -> None:
        ec2 = client("ec2")
        site.create(site.group("gpu", 1))
        found, message = refusal(ec2.delete_security_group, GroupId=site.group_id)
        assert found == "DependencyViolation"
        assert site.group_id in message
        assert refusal(ec2.delete_subnet, SubnetId=site.subnet_id)[0] == "DependencyViolation"
        client("sagemaker").delete_cluster(ClusterName="train")
        ec2.delete_security_group(GroupId=site.group_id)
        ec2.delete_subnet(SubnetId=site.subnet_id)

    def test_a_group_that_another_groups_rule_names(self, site: Site) -> None:
        ec2 = client("ec2")
        other = ec2.create_security_group(
            GroupName="other", Description="other", VpcId=site.vpc_id
        )["GroupId"]
        rule = [
            {
                "IpProtocol": "tcp",
                "FromPort": 22,
                "ToPort": 22,
                "UserIdGroupPairs": [{"GroupId": site.group_id}],
            }
        ]
        ec2.authorize_security_group_ingress(GroupId=other, IpPermissions=rule)
        assert refusal(ec2.delete_security_group, GroupId=site.group_id)[0] == (
            "DependencyViolation"
        )
        ec2.revoke_security_group_ingress(GroupId=other, IpPermissions=rule)
        ec2.delete_security_group(GroupId=site.group_id)

    def test_a_subnet_with_an_interface(self, site: Site) -> None:
        ec2 = client("ec2")
        made = ec2.create_network_interface(SubnetId=site.subnet_id)["NetworkInterface"]
        found, message = refusal(ec2.delete_subnet, SubnetId=site.subnet_id)
        assert (found, site.subnet_id in message) == ("DependencyViolation", True)
        ec2.delete_network_interface(NetworkInterfaceId=made["NetworkInterfaceId"])
        ec2.delete_subnet(SubnetId=site.subnet_id)


@pytest.mark.usefixtures("aws")
class TestZones:
    """ec2_local_zones, ec2_subnet_zones"""

    def zones(self, region: str = "us-east-1", **asked: Any) -> dict[str, str]:
        found = client("ec2", region).describe_availability_zones(**asked)["AvailabilityZones"]
        return {zone["ZoneName"]: zone["ZoneId"] for zone in found}

    def test_local_zones_are_hidden_until_asked_for(self) -> None:
        plain = self.zones()
        assert all(zone_id.startswith("use1-az") for zone_id in plain.values())
        every = self.zones(AllAvailabilityZones=True)
        assert every["us-east-1-dfw-2a"] == "use1-dfw2-az1"
        assert plain.items() < every.items()
        assert self.zones(ZoneNames=["us-east-1-dfw-2a"]) == {"us-east-1-dfw-2a": "use1-dfw2-az1"}
        assert self.zones() == plain

    def test_a_local_zone_takes_a_subnet(self) -> None:
        ec2 = client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.3.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(
            VpcId=vpc, CidrBlock="10.3.0.0/20", AvailabilityZone="us-east-1-dfw-2a"
        )["Subnet"]
        assert subnet["AvailabilityZoneId"] == "use1-dfw2-az1"

    def test_a_subnet_by_zone_id_is_like_one_by_name(self) -> None:
        ec2 = client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.3.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(
            VpcId=vpc, CidrBlock="10.3.0.0/20", AvailabilityZoneId="use1-az6"
        )["Subnet"]
        assert self.zones()[subnet["AvailabilityZone"]] == "use1-az6"
        assert subnet["DefaultForAz"] is False
        assert subnet["MapPublicIpOnLaunch"] is False

    @pytest.mark.parametrize(
        "zone", [{"AvailabilityZone": "us-east-1a"}, {"AvailabilityZoneId": "use1-az1"}]
    )
    def test_a_zone_of_another_region_is_refused(self, zone: dict[str, str]) -> None:
        ec2 = client("ec2", "eu-north-1")
        vpc = ec2.create_vpc(CidrBlock="10.3.0.0/16")["Vpc"]["VpcId"]
        found, message = refusal(ec2.create_subnet, VpcId=vpc, CidrBlock="10.3.0.0/20", **zone)
        assert found == "InvalidParameterValue"
        assert "eu-north-1a" in message


@pytest.mark.usefixtures("aws")
class TestInstanceTypes:
    """ec2_instance_types"""

    def test_gb200_is_described_as_far_as_it_is_known(self) -> None:
        (found,) = client("ec2").describe_instance_types(InstanceTypes=["p6e-gb200.36xlarge"])[
            "InstanceTypes"
        ]
        assert found["ProcessorInfo"]["SupportedArchitectures"] == ["arm64"]
        assert found["GpuInfo"]["Gpus"][0]["Count"] == 4
        assert found["SupportedUsageClasses"] == ["capacity-block"]

    def test_it_is_offered_in_its_local_zone(self) -> None:
        offerings = client("ec2").describe_instance_type_offerings(
            LocationType="availability-zone-id",
            Filters=[{"Name": "instance-type", "Values": ["p6e-gb200.36xlarge"]}],
        )["InstanceTypeOfferings"]
        assert [offering["Location"] for offering in offerings] == ["use1-dfw2-az1"]


class TestVcpuLimits:
    """ec2_vcpu_limits"""

    STANDARD = "ec2/L-1216C47A"  # Running On-Demand Standard instances
    STANDARD_SPOT = "ec2/L-34B43A08"

    def run(self, site: Site, count: int, **more: Any) -> None:
        image = client("ec2").describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
        client("ec2").run_instances(
            ImageId=image,
            MinCount=count,
            MaxCount=count,
            InstanceType="c5.18xlarge",
            SubnetId=site.subnet_id,
            **more,
        )

    def test_instances_beyond_the_quota_are_refused(self) -> None:
        with local_aws(quotas={self.STANDARD: 150}):
            site = build_site()
            self.run(site, 2)  # 144 vCPUs
            found, message = refusal(self.run, site=site, count=1)
            assert found == "VcpuLimitExceeded"
            assert "vCPU limit of 150" in message
            ids = [
                instance["InstanceId"]
                for reservation in client("ec2").describe_instances()["Reservations"]
                for instance in reservation["Instances"]
            ]
            client("ec2").terminate_instances(InstanceIds=ids)
            self.run(site, 1)

    def test_spot_has_a_quota_of_its_own(self) -> None:
        with local_aws(quotas={self.STANDARD_SPOT: 71}):
            site = build_site()
            self.run(site, 1)
            found, _ = refusal(
                self.run, site=site, count=1, InstanceMarketOptions={"MarketType": "spot"}
            )
        assert found == "MaxSpotInstanceCountExceeded"


class TestParsedOnce:
    """ec2_images_once, iam_policies_once"""

    def test_a_local_aws_is_ready_at_once_after_the_first(self) -> None:
        def start() -> float:
            before = time.process_time()
            with local_aws():
                client("iam").list_roles()
                client("ec2").describe_vpcs()
            return time.process_time() - before

        start()
        # moto alone takes 2 s of processor time here, for its lists of images and policies.
        assert min(start() for _ in range(3)) < 0.7

    def test_images_are_those_of_moto(self, aws: Runtime) -> None:
        images = client("ec2").describe_images(Owners=["amazon"])["Images"]
        assert len(images) > 100
        assert all(image["ImageId"].startswith("ami-") for image in images)

    def test_an_account_does_not_change_the_policies_of_another(self, aws: Runtime) -> None:
        import boto3

        arn = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"
        role = {"Version": "2012-10-17", "Statement": []}
        import json

        iam = client("iam")
        iam.create_role(RoleName="reader", AssumeRolePolicyDocument=json.dumps(role))
        iam.attach_role_policy(RoleName="reader", PolicyArn=arn)
        assert iam.get_policy(PolicyArn=arn)["Policy"]["AttachmentCount"] == 1
        other = boto3.client(
            "iam", "us-east-1", aws_access_key_id="111122223333", aws_secret_access_key="x"
        )
        assert other.get_policy(PolicyArn=arn)["Policy"]["AttachmentCount"] == 0
        assert len(other.list_policies(Scope="AWS", MaxItems=1000)["Policies"]) == 1000


class TestBlockDevices:
    """ec2_block_devices"""

    def run(self, site: Site, *mappings: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
        ec2 = client("ec2")
        image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
        named = {"BlockDeviceMappings": list(mappings)} if mappings else {}
        (made,) = ec2.run_instances(
            ImageId=image, MinCount=1, MaxCount=1, SubnetId=site.subnet_id, **named, **more
        )["Instances"]
        found = ec2.describe_instances(InstanceIds=[made["InstanceId"]])
        devices: list[dict[str, Any]] = found["Reservations"][0]["Instances"][0][
            "BlockDeviceMappings"
        ]
        return devices

    def test_an_instance_store_is_no_volume(self, site: Site) -> None:
        local = {"DeviceName": "/dev/xvdba", "VirtualName": "ephemeral0"}
        volume = {"DeviceName": "/dev/sdf", "Ebs": {"VolumeSize": 500}}
        both = [item["DeviceName"] for item in self.run(site, local, volume)]
        assert both == ["/dev/sdf"]
        assert "/dev/xvdba" not in {item["DeviceName"] for item in self.run(site, local)}
        client("ec2").create_launch_template(
            LaunchTemplateName="local",
            LaunchTemplateData={"BlockDeviceMappings": [local, volume]},
        )
        template = {"LaunchTemplateName": "local"}
        assert [item["DeviceName"] for item in self.run(site, LaunchTemplate=template)] == [
            "/dev/sdf"
        ]

    def test_the_root_device_has_the_size_of_its_image(self, site: Site) -> None:
        ec2 = client("ec2")
        image = ec2.describe_images(Owners=["amazon"])["Images"][0]
        root = {"DeviceName": image["RootDeviceName"], "Ebs": {"Encrypted": True}}
        (device,) = self.run(site, root)
        (volume,) = ec2.describe_volumes(VolumeIds=[device["Ebs"]["VolumeId"]])["Volumes"]
        shown = image["BlockDeviceMappings"][0]["Ebs"]
        assert volume["Size"] == shown["VolumeSize"]
        assert volume["SnapshotId"] == shown["SnapshotId"]

    def test_neither_size_nor_snapshot_is_refused(self, site: Site) -> None:
        for wrong in ({"Ebs": {"VolumeType": "gp3"}}, {"VirtualName": "disk"}):
            with pytest.raises(ClientError, match="MissingParameter"):
                self.run(site, {"DeviceName": "/dev/sdf", **wrong})


def test_parallelclusters_images_are_there(aws: Runtime) -> None:
    """ec2_parallelcluster_images"""

    def found(region: str) -> dict[str, str]:
        images = client("ec2", region).describe_images(
            Owners=["amazon"],
            Filters=[{"Name": "name", "Values": ["aws-parallelcluster-3.16.1-ubuntu-2204-*"]}],
        )["Images"]
        return {image["Architecture"]: image["ImageId"] for image in images}

    here, there = found("us-east-1"), found("us-west-2")
    assert here.keys() == there.keys() == {"x86_64", "arm64"}
    assert not set(here.values()) & set(there.values())


@pytest.mark.usefixtures("aws")
class TestBudgetTags:
    """budgets_tags, services/budgets_tags.py"""

    def test_tags_come_and_go(self) -> None:
        budgets, account = client("budgets"), "123456789012"
        budgets.create_budget(
            AccountId=account,
            Budget={
                "BudgetName": "run",
                "BudgetType": "COST",
                "TimeUnit": "MONTHLY",
                "BudgetLimit": {"Amount": "10", "Unit": "USD"},
            },
            ResourceTags=[{"Key": "team", "Value": "a"}],
        )
        arn = f"arn:aws:budgets::{account}:budget/run"

        def tags() -> dict[str, str]:
            found = budgets.list_tags_for_resource(ResourceARN=arn)["ResourceTags"]
            return {item["Key"]: item["Value"] for item in found}

        assert tags() == {"team": "a"}
        new = [{"Key": "team", "Value": "b"}, {"Key": "run", "Value": "7"}]
        budgets.tag_resource(ResourceARN=arn, ResourceTags=new)
        assert tags() == {"team": "b", "run": "7"}
        budgets.untag_resource(ResourceARN=arn, ResourceTagKeys=["team", "other"])
        assert tags() == {"run": "7"}
        budgets.delete_budget(AccountId=account, BudgetName="run")
        assert refusal(budgets.list_tags_for_resource, ResourceARN=arn)[0] == "NotFoundException"
        wrong = refusal(budgets.list_tags_for_resource, ResourceARN="arn:aws:s3:::bucket")
        assert wrong[0] == "InvalidParameterException"


@pytest.mark.usefixtures("aws")
def test_a_workspace_without_logging_has_no_logging_configuration() -> None:
    """amp_no_logging"""
    amp = client("amp")
    made = amp.create_workspace(alias="metrics")["workspaceId"]
    found, _ = refusal(amp.describe_logging_configuration, workspaceId=made)
    assert found == "ResourceNotFoundException"


@pytest.mark.usefixtures("aws")
def test_a_log_group_without_tags_has_none() -> None:
    logs = client("logs")
    logs.create_log_group(logGroupName="plain")
    (group,) = logs.describe_log_groups(logGroupNamePrefix="plain")["logGroups"]
    assert logs.list_tags_for_resource(resourceArn=group["logGroupArn"])["tags"] == {}


def test_a_spot_request_says_whether_it_is_monitored(aws: Runtime) -> None:
    ec2 = client("ec2")
    image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    for wanted in ({}, {"Monitoring": {"Enabled": True}}):
        specification = {"ImageId": image, "InstanceType": "m5.xlarge", **wanted}
        made = ec2.request_spot_instances(LaunchSpecification=specification)
        (request,) = made["SpotInstanceRequests"]
        assert request["LaunchSpecification"]["Monitoring"] == {"Enabled": bool(wanted)}
        found = ec2.describe_spot_instance_requests(
            SpotInstanceRequestIds=[request["SpotInstanceRequestId"]]
        )["SpotInstanceRequests"]
        assert found[0]["InstanceId"] == request["InstanceId"]


class TestPolicyLimits:
    """iam_policy_limits"""

    def test_each_kind_of_policy_has_its_size(self, site: Site) -> None:
        del site
        iam = client("iam")
        name, trust = "sizes", _trust(1)
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)
        for call, request, message in (
            (
                iam.create_policy,
                {"PolicyName": "big", "PolicyDocument": _document(6145)},
                "Cannot exceed quota for PolicySize: 6144",
            ),
            (
                iam.put_role_policy,
                {"RoleName": name, "PolicyName": "big", "PolicyDocument": _document(10_241)},
                "Maximum policy size of 10240 bytes exceeded for role sizes",
            ),
            (
                iam.create_role,
                {"RoleName": "trusting", "AssumeRolePolicyDocument": _trust(2049)},
                "Cannot exceed quota for ACLSizePerRole: 2048",
            ),
            (
                iam.update_assume_role_policy,
                {"RoleName": name, "PolicyDocument": _trust(2049)},
                "Cannot exceed quota for ACLSizePerRole: 2048",
            ),
        ):
            assert refusal(call, **request) == ("LimitExceeded", message)
            # White space is not counted, so the same with much of it fits once it is smaller.
            key = next(key for key in request if key.endswith("Document"))
            make = _trust if "sts:" in request[key] else _document
            call(**{**request, key: make(len(request[key]) - 1) + " " * 50})

    def test_inline_policies_of_a_role_count_together(self, site: Site) -> None:
        del site
        iam = client("iam")
        iam.create_role(RoleName="parts", AssumeRolePolicyDocument=_trust(1))
        half = {"RoleName": "parts", "PolicyDocument": _document(5120)}
        iam.put_role_policy(**half, PolicyName="one")
        iam.put_role_policy(**half, PolicyName="two")
        iam.put_role_policy(**half, PolicyName="two")  # in its own place
        assert refusal(
            iam.put_role_policy,
            RoleName="parts",
            PolicyName="three",
            PolicyDocument=_document(1),
        ) == ("LimitExceeded", "Maximum policy size of 10240 bytes exceeded for role parts")

    def test_a_role_has_ten_managed_policies(self, site: Site) -> None:
        del site
        iam = client("iam")
        iam.create_role(RoleName="many", AssumeRolePolicyDocument=_trust(1))
        arns = [
            iam.create_policy(PolicyName=f"p{n}", PolicyDocument=_document(1))["Policy"]["Arn"]
            for n in range(11)
        ]
        for arn in arns[:10]:
            iam.attach_role_policy(RoleName="many", PolicyArn=arn)
        iam.attach_role_policy(RoleName="many", PolicyArn=arns[0])  # is there already
        assert refusal(iam.attach_role_policy, RoleName="many", PolicyArn=arns[10]) == (
            "LimitExceeded",
            "Cannot exceed quota for PoliciesPerRole: 10",
        )


def _document(characters: int) -> str:
    """A policy of so many characters, or of the fewest there can be."""
    return _padded(characters, '"Action":"s3:GetObject","Resource":"*"}]}')


def _trust(characters: int) -> str:
    """The same, of a role's trust."""
    principal = '"Principal":{"Service":"ec2.amazonaws.com"}'
    return _padded(characters, f'"Action":"sts:AssumeRole",{principal}}}]}}')


def _padded(characters: int, end: str) -> str:
    start, middle = '{"Version":"2012-10-17","Statement":[{"Sid":"', '","Effect":"Allow",'
    return start + "x" * (characters - len(start + middle + end)) + middle + end

"""File systems and associations in stacks: created, changed, replaced and refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.fsx_templates import link, lustre, openzfs
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    deploy,
    destroy,
    failure,
    open_lustre_ports,
    outputs,
    physical_id,
    refusal,
)


@pytest.fixture
def open_site(aws: Runtime) -> Site:
    site = build_site()
    open_lustre_ports(site)
    client("s3").create_bucket(Bucket="corpus")
    return site


def found(file_system_id: str) -> dict[str, Any]:
    answer = client("fsx").describe_file_systems(FileSystemIds=[file_system_id])
    file_system: dict[str, Any] = answer["FileSystems"][0]
    return file_system


def drifts(stack: str) -> dict[str, str]:
    """The drift of each resource of a stack, by logical id."""
    cloudformation = client("cloudformation")
    cloudformation.detect_stack_drift(StackName=stack)
    shown = cloudformation.describe_stack_resource_drifts(StackName=stack)["StackResourceDrifts"]
    return {one["LogicalResourceId"]: one["StackResourceDriftStatus"] for one in shown}


def test_drift_is_of_what_the_template_sets_and_fsx_shows(open_site: Site) -> None:
    scratch = lustre(
        open_site, MetadataConfiguration={"Mode": "AUTOMATIC"}, DataCompressionType="NONE"
    )
    home = openzfs(open_site, RootVolumeConfiguration={"DataCompressionType": "LZ4"})
    deploy("s", {"Scratch": scratch, "Home": home})
    assert drifts("s") == {"Scratch": "IN_SYNC", "Home": "IN_SYNC"}
    client("fsx").update_file_system(
        FileSystemId=physical_id("s", "Scratch"),
        LustreConfiguration={"DataCompressionType": "LZ4"},
    )
    assert drifts("s") == {"Scratch": "MODIFIED", "Home": "IN_SYNC"}


class TestLustre:
    def test_mount_settings_are_attributes(self, open_site: Site) -> None:
        wanted = {
            "Id": {"Value": {"Ref": "Scratch"}},
            "Dns": {"Value": {"Fn::GetAtt": ["Scratch", "DNSName"]}},
            "Mount": {"Value": {"Fn::GetAtt": ["Scratch", "LustreMountName"]}},
            "Arn": {"Value": {"Fn::GetAtt": ["Scratch", "ResourceARN"]}},
        }
        stack = deploy("s", {"Scratch": lustre(open_site)}, Outputs=wanted)
        assert stack["StackStatus"] == "CREATE_COMPLETE"
        out = outputs(stack)
        file_system = found(out["Id"])
        assert out["Dns"] == f"{out['Id']}.fsx.us-east-1.amazonaws.com"
        assert out["Mount"] == file_system["LustreConfiguration"]["MountName"]
        assert out["Arn"] == file_system["ResourceARN"]

    def test_growth_and_settings_change_in_place(self, open_site: Site) -> None:
        deploy("s", {"Scratch": lustre(open_site)})
        before = physical_id("s", "Scratch")
        stack = deploy("s", {"Scratch": lustre(open_site, 2400, DataCompressionType="LZ4")})
        assert stack["StackStatus"] == "UPDATE_COMPLETE"
        assert physical_id("s", "Scratch") == before
        file_system = found(before)
        assert file_system["StorageCapacity"] == 2400
        assert file_system["LustreConfiguration"]["DataCompressionType"] == "LZ4"

    def test_shrinking_is_refused_and_rolled_back(self, open_site: Site) -> None:
        deploy("s", {"Scratch": lustre(open_site, 2400)})
        stack = deploy("s", {"Scratch": lustre(open_site, 1200)})
        assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        assert "must be greater than the current one" in failure("s", "Scratch")
        assert found(physical_id("s", "Scratch"))["StorageCapacity"] == 2400

    def test_changed_deployment_type_replaces_the_file_system(self, open_site: Site) -> None:
        deploy("s", {"Scratch": lustre(open_site)})
        before = physical_id("s", "Scratch")
        changed = lustre(open_site)
        changed["Properties"]["LustreConfiguration"] = {"DeploymentType": "SCRATCH_2"}
        stack = deploy("s", {"Scratch": changed})
        assert stack["StackStatus"] == "UPDATE_COMPLETE"
        after = physical_id("s", "Scratch")
        assert after != before
        left = client("fsx").describe_file_systems()["FileSystems"]
        assert [item["FileSystemId"] for item in left] == [after]

    @pytest.mark.parametrize(
        ("resource", "words"),
        [
            ({"capacity": 1300}, "storage capacity: 1300"),
            ({"PerUnitStorageThroughput": 7}, "PerUnitStorageThroughput"),
            ({"EfaEnabled": True}, "EFA"),
        ],
    )
    def test_what_the_api_refuses_the_stack_refuses(
        self, open_site: Site, resource: dict[str, Any], words: str
    ) -> None:
        stack = deploy("s", {"Scratch": lustre(open_site, **resource)})
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert words.lower() in failure("s", "Scratch").lower()
        assert client("fsx").describe_file_systems()["FileSystems"] == []

    def test_closed_ports_are_refused_with_the_message_of_fsx(self, site: Site) -> None:
        stack = deploy("s", {"Scratch": lustre(site)})
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "do not permit Lustre LNET network traffic on port 988" in failure("s", "Scratch")

    def test_exceeded_quota_rolls_back(self) -> None:
        with local_aws(quotas={"fsx/L-FD6F2F22": 0}):  # Persistent 2 file systems
            site = build_site()
            open_lustre_ports(site)
            stack = deploy("s", {"Scratch": lustre(site)})
            assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
            assert "ServiceLimitExceeded" in failure("s", "Scratch")

    def test_deletion_releases_addresses_and_interfaces(self, open_site: Site) -> None:
        free = open_site.free_addresses()
        deploy("s", {"Scratch": lustre(open_site)})
        assert open_site.free_addresses() < free
        assert destroy("s")["StackStatus"] == "DELETE_COMPLETE"
        assert open_site.free_addresses() == free
        assert client("ec2").describe_network_interfaces()["NetworkInterfaces"] == []


class TestAssociations:
    def test_associations_are_created_after_their_file_system(self, open_site: Site) -> None:
        resources = {"Scratch": lustre(open_site), "A": link("/a"), "B": link("/b")}
        assert deploy("s", resources)["StackStatus"] == "CREATE_COMPLETE"
        fsx = client("fsx")
        links = fsx.describe_data_repository_associations()["Associations"]
        assert {item["FileSystemPath"] for item in links} == {"/a", "/b"}
        assert {item["Lifecycle"] for item in links} == {"AVAILABLE"}
        assert destroy("s")["StackStatus"] == "DELETE_COMPLETE"
        assert fsx.describe_data_repository_associations()["Associations"] == []

    def test_policies_change_in_place_and_a_changed_path_replaces(self, open_site: Site) -> None:
        events = {"AutoImportPolicy": {"Events": ["NEW"]}}
        deploy("s", {"Scratch": lustre(open_site), "A": link("/a")})
        first = physical_id("s", "A")
        deploy("s", {"Scratch": lustre(open_site), "A": link("/a", S3=events)})
        assert physical_id("s", "A") == first
        (association,) = client("fsx").describe_data_repository_associations()["Associations"]
        assert association["S3"]["AutoImportPolicy"] == {"Events": ["NEW"]}
        deploy("s", {"Scratch": lustre(open_site), "A": link("/other", S3=events)})
        assert physical_id("s", "A") != first

    def test_missing_bucket_rolls_back(self, open_site: Site) -> None:
        stack = deploy("s", {"Scratch": lustre(open_site), "A": link(bucket="no-such")})
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "no-such" in failure("s", "A")
        assert client("fsx").describe_file_systems()["FileSystems"] == []


class TestOpenZfs:
    def test_openzfs_file_system_has_a_volume(self, open_site: Site) -> None:
        volume = {
            "Type": "AWS::FSx::Volume",
            "Properties": {
                "VolumeType": "OPENZFS",
                "Name": "projects",
                "OpenZFSConfiguration": {
                    "ParentVolumeId": {"Fn::GetAtt": ["Home", "RootVolumeId"]},
                    "DataCompressionType": "ZSTD",
                },
            },
        }
        wanted = {"Dns": {"Value": {"Fn::GetAtt": ["Home", "DNSName"]}}}
        stack = deploy("s", {"Home": openzfs(open_site), "Projects": volume}, Outputs=wanted)
        assert stack["StackStatus"] == "CREATE_COMPLETE"
        assert outputs(stack)["Dns"].startswith(physical_id("s", "Home"))
        volumes = client("fsx").describe_volumes()["Volumes"]
        assert {v["Name"] for v in volumes} == {"fsx", "projects"}
        assert destroy("s")["StackStatus"] == "DELETE_COMPLETE"
        assert client("fsx").describe_volumes()["Volumes"] == []

    def test_throughput_changes_in_place(self, open_site: Site) -> None:
        deploy("s", {"Home": openzfs(open_site)})
        before = physical_id("s", "Home")
        stack = deploy("s", {"Home": openzfs(open_site, throughput=128)})
        assert stack["StackStatus"] == "UPDATE_COMPLETE"
        assert physical_id("s", "Home") == before
        assert found(before)["OpenZFSConfiguration"]["ThroughputCapacity"] == 128

    def test_invalid_throughput_is_refused(self, open_site: Site) -> None:
        stack = deploy("s", {"Home": openzfs(open_site, throughput=100)})
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "ThroughputCapacity" in failure("s", "Home")


def test_windows_and_ontap_are_refused_by_name(open_site: Site) -> None:
    resource = {
        "Type": "AWS::FSx::FileSystem",
        "Properties": {
            "FileSystemType": "ONTAP",
            "SubnetIds": [open_site.subnet_id],
            "OntapConfiguration": {"DeploymentType": "SINGLE_AZ_1"},
        },
    }
    body = json.dumps({"Resources": {"Home": resource}})
    create = client("cloudformation").create_stack
    code, message = refusal(create, StackName="s", TemplateBody=body)
    assert code == "ValidationError"
    assert "does not support OntapConfiguration of AWS::FSx::FileSystem (Home)" in message

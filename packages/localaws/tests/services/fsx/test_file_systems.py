"""File systems and their associations through boto3."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.fsx_requests import create, find, lustre
from packages.localaws.tests.parts import Site, build_site, client, open_lustre_ports, refusal

P2 = {"DeploymentType": "PERSISTENT_2"}
AUTOMATIC = {"MetadataConfiguration": {"Mode": "AUTOMATIC"}}
EFA = {**P2, **AUTOMATIC, "EfaEnabled": True}
TIERING = {
    **P2,
    "ThroughputCapacity": 4000,
    "DataReadCacheConfiguration": {"SizingMode": "NO_CACHE"},
    "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
}


@pytest.fixture
def open_site(site: Site) -> Site:
    open_lustre_ports(site, efa=True)
    return site


def refused(request: dict[str, Any]) -> tuple[str, str]:
    return refusal(client("fsx").create_file_system, **request)


class TestLustreSizes:
    """The grids of the API reference (StorageCapacity, PerUnitStorageThroughput) and of EFA."""

    @pytest.mark.parametrize(
        ("capacity", "configuration"),
        [
            (1200, {"DeploymentType": "SCRATCH_1"}),
            (3600, {"DeploymentType": "SCRATCH_1"}),
            (1200, {"DeploymentType": "SCRATCH_2"}),
            (4800, {"DeploymentType": "SCRATCH_2"}),
            (2400, {"DeploymentType": "PERSISTENT_1", "PerUnitStorageThroughput": 50}),
            (7200, {**P2, "PerUnitStorageThroughput": 125}),
            (4800, {**EFA, "PerUnitStorageThroughput": 1000}),
            (38400, {**EFA, "PerUnitStorageThroughput": 125}),
            (
                6000,
                {
                    "DeploymentType": "PERSISTENT_1",
                    "PerUnitStorageThroughput": 12,
                    "StorageType": "HDD",
                    "DriveCacheType": "NONE",
                },
            ),
            (None, {**TIERING, "StorageType": "INTELLIGENT_TIERING"}),
        ],
    )
    def test_on_the_grid(
        self, open_site: Site, capacity: int | None, configuration: dict[str, Any]
    ) -> None:
        made = create(lustre(open_site, capacity, **configuration))
        assert made["Lifecycle"] == "AVAILABLE"
        assert made.get("StorageCapacity") == capacity

    @pytest.mark.parametrize(
        ("capacity", "configuration", "code", "message"),
        [
            (
                3600,
                {"DeploymentType": "SCRATCH_2"},
                "BadRequest",
                "Invalid Lustre FS storage capacity: 3600. Must be 1200 or a multiple of 2400.",
            ),
            (
                4800,
                {"DeploymentType": "SCRATCH_1"},
                "BadRequest",
                "Must be 1200 or 2400 or a multiple of 3600.",
            ),
            (
                4800,
                {**EFA, "PerUnitStorageThroughput": 500},
                "BadRequest",
                "Must be a multiple of 9600 for an EFA-enabled file system.",
            ),
            (
                1200,
                {**P2, "PerUnitStorageThroughput": 130},
                "InvalidPerUnitStorageThroughput",
                "the provided throughput is invalid",
            ),
            (1200, P2, "BadRequest", "the provided throughput is invalid"),
            (
                1200,
                {"DeploymentType": "SCRATCH_2", "PerUnitStorageThroughput": 125},
                "IncompatibleParameterError",
                "not supported by SCRATCH_2",
            ),
            (None, {**P2, "PerUnitStorageThroughput": 125}, "BadRequest", "StorageCapacity"),
            (
                6000,
                {
                    "DeploymentType": "PERSISTENT_1",
                    "PerUnitStorageThroughput": 12,
                    "StorageType": "HDD",
                },
                "BadRequest",
                "DriveCacheType is required",
            ),
            (
                1200,
                {**P2, "PerUnitStorageThroughput": 125, "StorageType": "HDD"},
                "BadRequest",
                "HDD storage is supported by PERSISTENT_1",
            ),
            (
                4800,
                {**P2, "EfaEnabled": True, "PerUnitStorageThroughput": 1000},
                "BadRequest",
                "needs a metadata configuration",
            ),
            (
                1200,
                {"DeploymentType": "SCRATCH_2", "EfaEnabled": True},
                "IncompatibleParameterError",
                "EFA needs",
            ),
            (
                1200,
                {**P2, "PerUnitStorageThroughput": 125, "FileSystemTypeVersion": "2.10"},
                "BadRequest",
                "do not support Lustre 2.10",
            ),
            (
                1200,
                {
                    **P2,
                    **AUTOMATIC,
                    "PerUnitStorageThroughput": 125,
                    "FileSystemTypeVersion": "2.12",
                },
                "BadRequest",
                "needs Lustre 2.15",
            ),
            (
                1200,
                {
                    **P2,
                    "PerUnitStorageThroughput": 125,
                    "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 2000},
                },
                "BadRequest",
                "Invalid metadata IOPS: 2000",
            ),
            (
                1200,
                {
                    **P2,
                    "PerUnitStorageThroughput": 125,
                    "MetadataConfiguration": {"Mode": "AUTOMATIC", "Iops": 1500},
                },
                "BadRequest",
                "cannot be given in AUTOMATIC mode",
            ),
            (
                1200,
                {**P2, "PerUnitStorageThroughput": 125, "ImportPath": "s3://corpus"},
                "IncompatibleParameterError",
                "create a data repository association",
            ),
            (
                None,
                {**TIERING, "ThroughputCapacity": 5000, "StorageType": "INTELLIGENT_TIERING"},
                "BadRequest",
                "multiple of 4000",
            ),
            (
                1200,
                {**TIERING, "StorageType": "INTELLIGENT_TIERING"},
                "IncompatibleParameterError",
                "take no StorageCapacity",
            ),
            (
                None,
                {
                    **TIERING,
                    "StorageType": "INTELLIGENT_TIERING",
                    "DataReadCacheConfiguration": {
                        "SizingMode": "USER_PROVISIONED",
                        "SizeGiB": 8,
                    },
                },
                "BadRequest",
                "must have 32 to 131072 GiB",
            ),
        ],
    )
    def test_off_the_grid(
        self,
        open_site: Site,
        capacity: int | None,
        configuration: dict[str, Any],
        code: str,
        message: str,
    ) -> None:
        found, text = refused(lustre(open_site, capacity, **configuration))
        assert found == code
        assert message in text
        assert client("fsx").describe_file_systems()["FileSystems"] == []


class TestNetwork:
    def test_port_988_must_be_open(self, site: Site) -> None:
        code, message = refused(lustre(site, 1200, DeploymentType="SCRATCH_2"))
        assert code == "InvalidNetworkSettings"
        assert message == (
            "The file system cannot be created because the default security group in the subnet "
            "provided or the provided security groups do not permit Lustre LNET network traffic "
            "on port 988"
        )

    def test_ports_1018_to_1023_must_be_open(self, site: Site) -> None:
        client("ec2").authorize_security_group_ingress(
            GroupId=site.group_id,
            IpPermissions=[
                {
                    "IpProtocol": "tcp",
                    "FromPort": 988,
                    "ToPort": 988,
                    "UserIdGroupPairs": [{"GroupId": site.group_id}],
                }
            ],
        )
        assert "on port 1018" in refused(lustre(site, 1200, DeploymentType="SCRATCH_2"))[1]

    def test_the_whole_subnet_will_do_for_lustre(self, site: Site) -> None:
        client("ec2").authorize_security_group_ingress(
            GroupId=site.group_id,
            IpPermissions=[
                {
                    "IpProtocol": "tcp",
                    "FromPort": 0,
                    "ToPort": 65535,
                    "IpRanges": [{"CidrIp": "10.0.0.0/16"}],
                }
            ],
        )
        assert create(lustre(site, 1200, DeploymentType="SCRATCH_2"))["Lifecycle"] == "AVAILABLE"
        request = lustre(site, 4800, **EFA, PerUnitStorageThroughput=1000)
        assert refused(request) == (
            "InvalidNetworkSettings",
            "Insufficient security group permissions to create an EFA-enabled file system. "
            "Update security group to allow all internal inbound and outbound traffic.",
        )

    def test_addresses_are_reserved_and_released(self, open_site: Site) -> None:
        before = open_site.free_addresses()
        made = create(lustre(open_site, 9600, **EFA, PerUnitStorageThroughput=1000))
        # 6,000 metadata IOPS are one server, 9,600 GiB at 1,000 MB/s/TiB are two.
        assert len(made["NetworkInterfaceIds"]) == 3
        assert open_site.free_addresses() == before - 3
        found = client("ec2").describe_network_interfaces(
            NetworkInterfaceIds=made["NetworkInterfaceIds"]
        )["NetworkInterfaces"]
        assert {eni["Description"] for eni in found} == {"Created by Amazon FSx"}
        client("fsx").delete_file_system(FileSystemId=made["FileSystemId"])
        assert open_site.free_addresses() == before

    def test_a_full_subnet_is_refused(self) -> None:
        with local_aws("full-subnets"):
            site = build_site()
            open_lustre_ports(site)
            code, message = refused(lustre(site, 1200, DeploymentType="SCRATCH_2"))
            assert (code, "free IP addresses" in message) == ("InvalidNetworkSettings", True)

    def test_groups_and_subnets_exist(self, open_site: Site) -> None:
        request = lustre(open_site, 1200, DeploymentType="SCRATCH_2")
        assert (
            refused({**request, "SubnetIds": ["subnet-00000000"]})[0] == "InvalidNetworkSettings"
        )
        assert (
            refused({**request, "SecurityGroupIds": ["sg-00000000"]})[0]
            == "InvalidNetworkSettings"
        )

    def test_a_group_in_use_stays(self, open_site: Site) -> None:
        made = create(lustre(open_site, 1200, DeploymentType="SCRATCH_2"))
        ec2 = client("ec2")
        assert (
            refusal(ec2.delete_security_group, GroupId=open_site.group_id)[0]
            == "DependencyViolation"
        )
        client("fsx").delete_file_system(FileSystemId=made["FileSystemId"])
        ec2.delete_security_group(GroupId=open_site.group_id)


def test_the_description_of_a_file_system(open_site: Site) -> None:
    made = create(
        lustre(
            open_site,
            4800,
            **EFA,
            PerUnitStorageThroughput=1000,
            Tags=[{"Key": "a", "Value": "1"}],
        )
    )
    name = made["FileSystemId"]
    assert len(name) == len("fs-") + 17
    assert made["DNSName"] == f"{name}.fsx.us-east-1.amazonaws.com"
    assert len(made["LustreConfiguration"]["MountName"]) == 8
    assert made["LustreConfiguration"]["MetadataConfiguration"] == {
        "Mode": "AUTOMATIC",
        "Iops": 6000,
    }
    assert made["FileSystemTypeVersion"] == "2.15"
    assert made["Tags"] == [{"Key": "a", "Value": "1"}]


def test_a_token_creates_once(open_site: Site) -> None:
    request = lustre(open_site, 1200, DeploymentType="SCRATCH_2", ClientRequestToken="t")
    assert create(request)["FileSystemId"] == create(request)["FileSystemId"]
    code, _ = refused({**request, "StorageCapacity": 2400})
    assert code == "IncompatibleParameterError"


def test_quotas_hold() -> None:
    with local_aws(quotas={"fsx/L-8F1B9C74": 10_000}):
        site = build_site()
        open_lustre_ports(site)
        create(lustre(site, 7200, **P2, PerUnitStorageThroughput=125))
        code, message = refused(lustre(site, 4800, **P2, PerUnitStorageThroughput=125))
        assert code == "ServiceLimitExceeded"
        assert "the limit is 10000, 7200 are in use and 4800 more" in message
    with local_aws(quotas={"fsx/L-C48231E5": 0}):
        site = build_site()
        open_lustre_ports(site)
        assert refused(lustre(site, 1200, DeploymentType="SCRATCH_2"))[0] == "ServiceLimitExceeded"


class TestUpdate:
    def test_capacity_grows_on_the_grid(self, open_site: Site) -> None:
        made = create(lustre(open_site, 1200, DeploymentType="SCRATCH_2"))
        fsx = client("fsx")
        answer = fsx.update_file_system(FileSystemId=made["FileSystemId"], StorageCapacity=2400)
        assert answer["FileSystem"]["Lifecycle"] == "UPDATING"
        assert find(made["FileSystemId"])["StorageCapacity"] == 2400
        for capacity in (1200, 3600):
            code, _ = refusal(
                fsx.update_file_system,
                FileSystemId=made["FileSystemId"],
                StorageCapacity=capacity,
            )
            assert code == "BadRequest"

    def test_the_tier_of_an_efa_file_system_is_fixed(self, open_site: Site) -> None:
        made = create(lustre(open_site, 38400, **EFA, PerUnitStorageThroughput=125))
        code, _ = refusal(
            client("fsx").update_file_system,
            FileSystemId=made["FileSystemId"],
            LustreConfiguration={"PerUnitStorageThroughput": 250},
        )
        assert code == "BadRequest"

    def test_metadata_iops_do_not_shrink(self, open_site: Site) -> None:
        made = create(
            lustre(
                open_site,
                1200,
                **P2,
                PerUnitStorageThroughput=125,
                MetadataConfiguration={"Mode": "USER_PROVISIONED", "Iops": 6000},
            )
        )
        code, message = refusal(
            client("fsx").update_file_system,
            FileSystemId=made["FileSystemId"],
            LustreConfiguration={
                "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 3000}
            },
        )
        assert (code, "cannot be decreased" in message) == ("BadRequest", True)


def test_states_take_their_time() -> None:
    with local_aws(delays={"file_system": 60}) as runtime:
        site = build_site()
        open_lustre_ports(site)
        made = create(lustre(site, 1200, DeploymentType="SCRATCH_2"))
        assert made["Lifecycle"] == "CREATING"
        fsx, name = client("fsx"), made["FileSystemId"]
        assert refusal(fsx.delete_file_system, FileSystemId=name)[0] == "BadRequest"
        runtime.clock.advance(61)
        assert find(name)["Lifecycle"] == "AVAILABLE"
        fsx.delete_file_system(FileSystemId=name)
        assert find(name)["Lifecycle"] == "DELETING"
        held = site.free_addresses()
        runtime.clock.advance(61)
        assert site.free_addresses() == held + 2
        assert refusal(fsx.describe_file_systems, FileSystemIds=[name])[0] == "FileSystemNotFound"


class TestOpenZfs:
    def request(self, site: Site, capacity: int = 128, **more: Any) -> dict[str, Any]:
        return {
            "FileSystemType": "OPENZFS",
            "StorageCapacity": capacity,
            "SubnetIds": [site.subnet_id],
            "SecurityGroupIds": [site.group_id],
            "OpenZFSConfiguration": {
                "DeploymentType": "SINGLE_AZ_1",
                "ThroughputCapacity": 64,
                **more,
            },
        }

    def test_it_has_a_root_volume_with_children(self, site: Site) -> None:
        made = create(self.request(site))
        root = made["OpenZFSConfiguration"]["RootVolumeId"]
        assert made["OpenZFSConfiguration"]["DiskIopsConfiguration"] == {
            "Mode": "AUTOMATIC",
            "Iops": 384,
        }
        fsx = client("fsx")
        child = fsx.create_volume(
            VolumeType="OPENZFS", Name="home", OpenZFSConfiguration={"ParentVolumeId": root}
        )["Volume"]
        assert child["OpenZFSConfiguration"]["VolumePath"] == "/fsx/home/"
        assert refusal(fsx.delete_volume, VolumeId=root)[0] == "BadRequest"
        fsx.delete_volume(VolumeId=child["VolumeId"])
        assert [v["VolumeId"] for v in fsx.describe_volumes()["Volumes"]] == [root]

    @pytest.mark.parametrize(
        ("capacity", "more"),
        [
            (63, {}),
            (524_289, {}),
            (128, {"ThroughputCapacity": 65}),
            (128, {"DeploymentType": "SINGLE_AZ_2", "ThroughputCapacity": 64}),
            (128, {"DiskIopsConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 100}}),
            (128, {"DeploymentType": "MULTI_AZ_1", "ThroughputCapacity": 160}),
            (128, {"RootVolumeConfiguration": {"RecordSizeKiB": 5}}),
        ],
    )
    def test_wrong_values_are_refused(
        self, site: Site, capacity: int, more: dict[str, Any]
    ) -> None:
        assert refused(self.request(site, capacity, **more))[0] == "BadRequest"

    def test_growth_is_at_least_a_tenth(self, site: Site) -> None:
        name = create(self.request(site))["FileSystemId"]
        fsx = client("fsx")
        assert (
            refusal(fsx.update_file_system, FileSystemId=name, StorageCapacity=130)[0]
            == "BadRequest"
        )
        fsx.update_file_system(FileSystemId=name, StorageCapacity=256)
        assert find(name)["OpenZFSConfiguration"]["DiskIopsConfiguration"]["Iops"] == 768

    def test_associations_are_for_lustre(self, site: Site) -> None:
        client("s3").create_bucket(Bucket="corpus")
        code, _ = refusal(
            client("fsx").create_data_repository_association,
            FileSystemId=create(self.request(site))["FileSystemId"],
            FileSystemPath="/a",
            DataRepositoryPath="s3://corpus",
        )
        assert code == "UnsupportedOperation"


class TestAssociations:
    @pytest.fixture
    def name(self, open_site: Site) -> str:
        client("s3").create_bucket(Bucket="corpus")
        made = create(lustre(open_site, 1200, **P2, PerUnitStorageThroughput=125))
        return str(made["FileSystemId"])

    def link(self, name: str, path: str, repository: str, **more: Any) -> dict[str, Any]:
        found: dict[str, Any] = client("fsx").create_data_repository_association(
            FileSystemId=name, FileSystemPath=path, DataRepositoryPath=repository, **more
        )["Association"]
        return found

    def listed(self, name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = client("fsx").describe_data_repository_associations(
            Filters=[{"Name": "file-system-id", "Values": [name]}]
        )["Associations"]
        return found

    def test_it_is_made_changed_and_deleted(self, name: str) -> None:
        events = {"AutoImportPolicy": {"Events": ["NEW", "CHANGED"]}}
        made = self.link(name, "/data", "s3://corpus/tokens", S3=events)
        assert made["Lifecycle"] == "CREATING"
        assert self.listed(name)[0]["Lifecycle"] == "AVAILABLE"
        fsx, link = client("fsx"), made["AssociationId"]
        fsx.update_data_repository_association(
            AssociationId=link, S3={"AutoExportPolicy": {"Events": ["NEW"]}}
        )
        assert self.listed(name)[0]["S3"] == {
            "AutoImportPolicy": {"Events": ["NEW", "CHANGED"]},
            "AutoExportPolicy": {"Events": ["NEW"]},
        }
        fsx.delete_data_repository_association(AssociationId=link)
        assert self.listed(name) == []
        assert (
            refusal(fsx.delete_data_repository_association, AssociationId=link)[0]
            == "DataRepositoryAssociationNotFound"
        )

    @pytest.mark.parametrize(
        ("path", "repository", "message"),
        [
            ("/data/sub", "s3://corpus/other", "overlaps with /data"),
            ("/", "s3://corpus/other", "only for the first association"),
            ("/other", "s3://corpus/tokens/sub", "overlaps with s3://corpus/tokens"),
            ("/other", "s3://absent/x", "bucket absent does not exist"),
            ("/other", "https://corpus", "must be s3://"),
            ("other", "s3://corpus/other", "must start with a slash"),
        ],
    )
    def test_what_does_not_fit_is_refused(
        self, name: str, path: str, repository: str, message: str
    ) -> None:
        self.link(name, "/data", "s3://corpus/tokens")
        code, text = refusal(
            client("fsx").create_data_repository_association,
            FileSystemId=name,
            FileSystemPath=path,
            DataRepositoryPath=repository,
        )
        assert code == "BadRequest"
        assert message in text

    def test_a_file_system_has_at_most_eight(self, name: str) -> None:
        for number in range(8):
            self.link(name, f"/d{number}", f"s3://corpus/d{number}")
        code, message = refusal(
            client("fsx").create_data_repository_association,
            FileSystemId=name,
            FileSystemPath="/d8",
            DataRepositoryPath="s3://corpus/d8",
        )
        assert (code, "which is the maximum" in message) == ("BadRequest", True)

    def test_scratch_1_and_tiering_have_none(self, open_site: Site) -> None:
        client("s3").create_bucket(Bucket="corpus")
        for request in (
            lustre(open_site, 1200, DeploymentType="SCRATCH_1"),
            lustre(open_site, None, **TIERING, StorageType="INTELLIGENT_TIERING"),
        ):
            code, _ = refusal(
                client("fsx").create_data_repository_association,
                FileSystemId=create(request)["FileSystemId"],
                FileSystemPath="/a",
                DataRepositoryPath="s3://corpus",
            )
            assert code == "UnsupportedOperation"

    def test_they_go_with_the_file_system(self, name: str) -> None:
        self.link(name, "/data", "s3://corpus")
        client("fsx").delete_file_system(FileSystemId=name)
        assert self.listed(name) == []

    def test_a_task_needs_a_link_and_ends(self, name: str) -> None:
        fsx = client("fsx")
        task = {
            "Type": "IMPORT_METADATA_FROM_REPOSITORY",
            "FileSystemId": name,
            "Report": {"Enabled": False},
        }
        assert refusal(fsx.create_data_repository_task, **task)[0] == "BadRequest"
        self.link(name, "/data", "s3://corpus")
        made = fsx.create_data_repository_task(**task)["DataRepositoryTask"]
        assert made["Lifecycle"] == "PENDING"
        found = fsx.describe_data_repository_tasks(TaskIds=[made["TaskId"]])
        assert found["DataRepositoryTasks"][0]["Lifecycle"] == "SUCCEEDED"


def test_tags(open_site: Site) -> None:
    made = create(lustre(open_site, 1200, DeploymentType="SCRATCH_2"))
    fsx, arn = client("fsx"), made["ResourceARN"]
    fsx.tag_resource(ResourceARN=arn, Tags=[{"Key": "a", "Value": "1"}])
    assert fsx.list_tags_for_resource(ResourceARN=arn)["Tags"] == [{"Key": "a", "Value": "1"}]
    fsx.untag_resource(ResourceARN=arn, TagKeys=["a"])
    assert fsx.list_tags_for_resource(ResourceARN=arn)["Tags"] == []


def test_nothing_of_motos_file_systems_is_left(aws: Runtime) -> None:
    code, message = refusal(
        client("fsx").describe_file_caches,
    )
    assert (code, message) == (
        "UnknownOperationException",
        "the local AWS does not implement fsx DescribeFileCaches",
    )

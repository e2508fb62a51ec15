"""Tests of services.fsx.associations."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.fsx_requests import create, lustre
from packages.localaws.tests.parts import Site, client, open_lustre_ports, refusal

P2 = {"DeploymentType": "PERSISTENT_2"}


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
    def test_invalid_associations_are_refused(
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

    def test_file_system_has_at_most_eight_associations(self, name: str) -> None:
        for number in range(8):
            self.link(name, f"/d{number}", f"s3://corpus/d{number}")
        code, message = refusal(
            client("fsx").create_data_repository_association,
            FileSystemId=name,
            FileSystemPath="/d8",
            DataRepositoryPath="s3://corpus/d8",
        )
        assert (code, "which is the maximum" in message) == ("BadRequest", True)

    def test_scratch_1_and_intelligent_tiering_have_no_associations(self, open_site: Site) -> None:
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

    def test_associations_are_deleted_with_the_file_system(self, name: str) -> None:
        self.link(name, "/data", "s3://corpus")
        client("fsx").delete_file_system(FileSystemId=name)
        assert self.listed(name) == []

    def test_task_requires_an_association_and_completes(self, name: str) -> None:
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

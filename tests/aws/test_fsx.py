"""File systems, associations, export tasks and the metrics of exports."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import ANY, Stubber

from clusterwright.aws import fsx
from clusterwright.aws.session import AwsSession

CREATED = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
ID = "fs-0a1b2c3d4e5f60718"


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("fsx")) as stub:
        yield stub


def test_file_systems_of_a_vpc_with_a_tag(session: AwsSession, stub: Stubber) -> None:
    own, other = "vpc-0a1b2c3d4e5f60718", "vpc-0a1b2c3d4e5f60719"
    tagged = {"VpcId": own, "Tags": [{"Key": "CSIVolumeName", "Value": "pvc-1"}]}
    named = {"Tags": [{"Key": "Name", "Value": "pvc-1"}]}
    found = [
        {**file_system("LUSTRE", **{**tagged, **more}), "FileSystemId": f"fs-0a1b2c3d4e5f6071{n}"}
        for n, more in enumerate(({}, {"VpcId": other}, named))
    ]
    stub.add_response("describe_file_systems", {"FileSystems": found}, {})
    assert fsx.tagged_file_systems(session, own, "CSIVolumeName") == ("fs-0a1b2c3d4e5f60710",)


def file_system(kind: str, **more: Any) -> dict[str, Any]:
    return {
        "FileSystemId": ID,
        "FileSystemType": kind,
        "Lifecycle": "AVAILABLE",
        "CreationTime": CREATED,
        **more,
    }


LUSTRE = file_system(
    "LUSTRE",
    StorageType="SSD",
    StorageCapacity=4800,
    VpcId="vpc-0a1b2c3d",
    SubnetIds=["subnet-0a1b2c3d"],
    NetworkInterfaceIds=["eni-0a1b2c3d", "eni-1a2b3c4d"],
    DNSName="fs-1.fsx.example.com",
    Tags=[
        {"Key": "aws:cloudformation:stack-name", "Value": "storage"},
        {"Key": "Name", "Value": "scratch"},
    ],
    LustreConfiguration={
        "DeploymentType": "PERSISTENT_2",
        "PerUnitStorageThroughput": 1000,
        "EfaEnabled": True,
        "MountName": "abcd",
        "DataRepositoryConfiguration": {"ImportPath": "s3://corpus"},
    },
)
ELASTIC = file_system(
    "LUSTRE",
    StorageType="INTELLIGENT_TIERING",
    LustreConfiguration={
        "ThroughputCapacity": 4000,
        "DataReadCacheConfiguration": {"SizingMode": "USER_PROVISIONED", "SizeGiB": 4000},
    },
)
WINDOWS = file_system("WINDOWS", WindowsConfiguration={"ThroughputCapacity": 8})


def test_file_systems_of_every_kind(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("describe_file_systems", {"FileSystems": [LUSTRE], "NextToken": "more"})
    stub.add_response(
        "describe_file_systems", {"FileSystems": [ELASTIC, WINDOWS]}, {"NextToken": "more"}
    )
    lustre, elastic, windows = fsx.file_systems(session)
    assert lustre == fsx.FileSystem(
        id=ID,
        kind="LUSTRE",
        lifecycle="AVAILABLE",
        storage_type="SSD",
        deployment_type="PERSISTENT_2",
        capacity_gib=4800,
        throughput_mbps=0,
        efa=True,
        vpc_id="vpc-0a1b2c3d",
        subnet_ids=("subnet-0a1b2c3d",),
        dns_name="fs-1.fsx.example.com",
        mount_name="abcd",
        stack="storage",
        throughput_mbps_per_tib=1000,
        interface_ids=("eni-0a1b2c3d", "eni-1a2b3c4d"),
    )
    sizes = (elastic.capacity_gib, elastic.throughput_mbps, elastic.read_cache_gib)
    assert sizes == (0, 4000, 4000)
    assert (windows.kind, windows.storage_type, windows.throughput_mbps) == ("WINDOWS", "SSD", 0)


def test_export_sources(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("describe_file_systems", {"FileSystems": [LUSTRE, WINDOWS]})
    assert fsx.export_sources(session) == (
        fsx.ExportSource(
            ID, "scratch", "LUSTRE", "AVAILABLE", "PERSISTENT_2", CREATED, "s3://corpus"
        ),
        fsx.ExportSource(ID, None, "WINDOWS", "AVAILABLE", "", CREATED, None),
    )


@pytest.mark.parametrize(
    ("policy", "automatic"),
    [
        ({"Events": ["NEW", "CHANGED", "DELETED"]}, True),
        ({"Events": ["NEW"]}, False),
        (None, False),
    ],
)
def test_associations(
    session: AwsSession, stub: Stubber, policy: dict[str, Any] | None, automatic: bool
) -> None:
    answer = {
        "AssociationId": "dra-0a1b2c3d4e5f60718",
        "Lifecycle": "MISCONFIGURED",
        "CreationTime": CREATED,
        "FailureDetails": {"Message": "access denied"},
        "DataRepositoryPath": "s3://corpus/tokens",
        **({"S3": {"AutoExportPolicy": policy}} if policy else {}),
    }
    stub.add_response(
        "describe_data_repository_associations",
        {"Associations": [answer]},
        {"Filters": [{"Name": "file-system-id", "Values": [ID]}]},
    )
    (found,) = fsx.associations(session, ID)
    assert (found.path, found.bucket, found.failure) == (
        "/",
        "s3://corpus/tokens",
        "access denied",
    )
    assert found.exports_automatically is automatic


def test_export_tasks_newest_first(session: AwsSession, stub: Stubber) -> None:
    def task(name: str, day: int, lifecycle: str, kind: str, **more: Any) -> dict[str, Any]:
        return {
            "TaskId": name,
            "Lifecycle": lifecycle,
            "Type": kind,
            "CreationTime": CREATED + dt.timedelta(days=day),
            **more,
        }

    complete = {"Paths": ["a"], "Status": {"FailedCount": 0}}
    export, imported = "EXPORT_TO_REPOSITORY", "IMPORT_METADATA_FROM_REPOSITORY"
    stub.add_response(
        "describe_data_repository_tasks",
        {
            "DataRepositoryTasks": [
                task("task-00000000001", 0, "SUCCEEDED", export, **complete),
                task("task-00000000002", 2, "SUCCEEDED", export, Status={"FailedCount": 3}),
                task("task-00000000003", 3, "SUCCEEDED", imported),
                task("task-00000000004", 1, "EXECUTING", export),
            ]
        },
        {"Filters": [{"Name": "file-system-id", "Values": [ID]}]},
    )
    found = fsx.export_tasks(session, ID)
    assert [(task.id, task.succeeded) for task in found] == [
        ("task-00000000002", False),
        ("task-00000000004", False),
        ("task-00000000001", True),
    ]
    assert found[2].paths == ("a",)


def test_the_age_of_the_oldest_pending_export_is_the_newest_datapoint(session: AwsSession) -> None:
    with Stubber(session.client("cloudwatch")) as stub:
        stub.add_response(
            "get_metric_statistics",
            {
                "Datapoints": [
                    {"Timestamp": CREATED + dt.timedelta(minutes=1), "Maximum": 30.0},
                    {"Timestamp": CREATED, "Maximum": 90.0},
                ]
            },
            {
                "Namespace": "AWS/FSx",
                "MetricName": "AgeOfOldestQueuedMessage",
                "Dimensions": [
                    {"Name": "FileSystemId", "Value": ID},
                    {"Name": "Publisher", "Value": "AutoExport"},
                ],
                "StartTime": ANY,
                "EndTime": ANY,
                "Period": 60,
                "Statistics": ["Maximum"],
            },
        )
        assert fsx.oldest_pending_export_seconds(session, ID) == 30.0


@pytest.mark.parametrize(("points", "gib"), [([1, 3], 3.0), ([], None)])
def test_free_capacity_is_the_newest_sum(
    session: AwsSession, points: list[int], gib: float | None
) -> None:
    answer = [
        {"Timestamp": CREATED + dt.timedelta(minutes=index), "Sum": value * 1024.0**3}
        for index, value in enumerate(points)
    ]
    with Stubber(session.client("cloudwatch")) as stub:
        stub.add_response("get_metric_statistics", {"Datapoints": answer})
        assert fsx.free_capacity_gib(session, ID) == gib


def test_written_bytes_of_a_long_time_have_longer_periods(session: AwsSession) -> None:
    since = dt.datetime.now(dt.UTC) - dt.timedelta(days=2) + dt.timedelta(minutes=5)
    with Stubber(session.client("cloudwatch")) as stub:
        stub.add_response(
            "get_metric_statistics",
            {"Datapoints": [{"Timestamp": CREATED, "Sum": 5.0}, {"Timestamp": since, "Sum": 7.0}]},
            {
                "Namespace": "AWS/FSx",
                "MetricName": "DataWriteBytes",
                "Dimensions": [{"Name": "FileSystemId", "Value": ID}],
                "StartTime": since - dt.timedelta(minutes=2),
                "EndTime": ANY,
                "Period": 120,
                "Statistics": ["Sum"],
            },
        )
        assert fsx.written_bytes(session, ID, since) == 12.0


def test_no_datapoint_is_not_zero(session: AwsSession) -> None:
    with Stubber(session.client("cloudwatch")) as stub:
        stub.add_response("get_metric_statistics", {"Datapoints": []})
        stub.add_response("get_metric_statistics", {"Datapoints": []})
        assert fsx.oldest_pending_export_seconds(session, ID) is None
        assert fsx.written_bytes(session, ID, None) is None


def test_volume_by_id(session: AwsSession) -> None:
    identity = "fsvol-0a1b2c3d4e5f60718"
    answer = {
        "VolumeId": identity,
        "FileSystemId": ID,
        "Lifecycle": "AVAILABLE",
        "VolumeType": "OPENZFS",
    }
    with Stubber(session.client("fsx")) as stub:
        stub.add_response("describe_volumes", {"Volumes": [answer]}, {"VolumeIds": [identity]})
        assert fsx.volume(session, identity) == fsx.Volume(identity, ID, "AVAILABLE", "OPENZFS")
        stub.add_client_error("describe_volumes", "VolumeNotFound")
        assert fsx.volume(session, identity) is None

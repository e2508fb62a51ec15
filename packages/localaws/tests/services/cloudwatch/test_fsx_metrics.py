"""Metrics of Lustre file systems, from the world's activity."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.services.cloudwatch.fsx_metrics import _moments
from packages.localaws.tests.fsx_requests import create, lustre
from packages.localaws.tests.parts import build_site, client, open_lustre_ports

NOW = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
ACTIVITY = {"written_bytes_per_minute": 1000.0, "oldest_queued_export_seconds": 90.0}


def statistics(name: str, dimensions: dict[str, str], **more: Any) -> list[dict[str, Any]]:
    now = dt.datetime.now(dt.UTC)
    found = client("cloudwatch").get_metric_statistics(
        Namespace="AWS/FSx",
        MetricName=name,
        Dimensions=[{"Name": key, "Value": value} for key, value in dimensions.items()],
        StartTime=now - dt.timedelta(minutes=10),
        EndTime=now + dt.timedelta(minutes=10),
        **{"Period": 300, "Statistics": ["Sum", "Maximum"], **more},
    )
    assert found["Label"] == name
    return list(found["Datapoints"])


def file_system(**s3: Any) -> str:
    site = build_site()
    open_lustre_ports(site)
    name = str(create(lustre(site, 1200, DeploymentType="SCRATCH_2"))["FileSystemId"])
    client("s3").create_bucket(Bucket="corpus")
    client("fsx").create_data_repository_association(
        FileSystemId=name, FileSystemPath="/d", DataRepositoryPath="s3://corpus", S3=s3
    )
    return name


def test_written_bytes_are_summed_over_each_period() -> None:
    with local_aws(file_system_activity=ACTIVITY):
        found = statistics("DataWriteBytes", {"FileSystemId": file_system()})
        # Nothing is known of the time to come.
        assert len(found) == 2
        assert {(each["Sum"], each["Maximum"], each["Unit"]) for each in found} == {
            (5000.0, 1000.0, "Bytes")
        }


@pytest.mark.parametrize(
    ("policies", "expected"),
    [({}, []), ({"AutoExportPolicy": {"Events": ["NEW"]}}, [90.0, 90.0])],
)
def test_the_export_queue_belongs_to_file_systems_that_export(
    policies: dict[str, Any], expected: list[float]
) -> None:
    with local_aws(file_system_activity=ACTIVITY):
        dimensions = {"FileSystemId": file_system(**policies), "Publisher": "AutoExport"}
        found = statistics("AgeOfOldestQueuedMessage", dimensions)
        assert [each["Maximum"] for each in found] == expected
        assert statistics("DataWriteBytes", dimensions) == []


def test_free_space_is_the_share_that_the_world_states() -> None:
    with local_aws(file_system_activity={"free_percent": 25}):
        points = statistics("FreeDataStorageCapacity", {"FileSystemId": file_system()}, Period=60)
        assert {point["Sum"] for point in points} == {300 * 1024.0**3}


def test_other_metrics_have_no_datapoints() -> None:
    with local_aws(file_system_activity=ACTIVITY):
        assert statistics("DataReadBytes", {"FileSystemId": "fs-1"}) == []


def test_periods_end_with_the_last_and_are_limited() -> None:
    minute = dt.timedelta(minutes=1)
    assert _moments(NOW - 3 * minute, NOW, 60) == [NOW - n * minute for n in (1, 2, 3)]
    assert _moments(NOW - 30 * minute / 60, NOW, 60) == []
    assert len(_moments(NOW - dt.timedelta(days=9), NOW, 60)) == 1440


def test_metric_data_have_what_the_statistics_have() -> None:
    with local_aws(file_system_activity=ACTIVITY):
        dimensions = [{"Name": "FileSystemId", "Value": file_system()}]
        metric = {
            "Namespace": "AWS/FSx",
            "MetricName": "DataWriteBytes",
            "Dimensions": dimensions,
        }
        stat = {"Metric": metric, "Period": 300, "Stat": "Sum"}
        end = dt.datetime.now(dt.UTC)
        (found,) = client("cloudwatch").get_metric_data(
            MetricDataQueries=[{"Id": "a", "MetricStat": stat}],
            StartTime=end - dt.timedelta(minutes=10),
            EndTime=end,
        )["MetricDataResults"]
        assert found["Values"] == [5000.0, 5000.0]

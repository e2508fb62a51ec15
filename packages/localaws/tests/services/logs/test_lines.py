"""Tests of services.logs.lines: the world's lines in CloudWatch Logs."""

from __future__ import annotations

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import build_site, client, describe


def messages(group: str, stream: str) -> list[str]:
    found = client("logs").get_log_events(
        logGroupName=group, logStreamName=stream, startFromHead=True
    )
    return [event["message"] for event in found["events"]]


def test_lines_of_the_world_are_in_their_stream_once() -> None:
    lines = {"group": "/aws/parallelcluster/demo", "stream": "head.clustermgtd", "at": "-1h"}
    with local_aws(log_lines=[{**lines, "lines": ["first", "", "third"]}]):
        for _ in range(2):
            assert messages(lines["group"], lines["stream"]) == ["first", " ", "third"]


def test_star_stands_for_the_id_of_a_cluster_that_exists() -> None:
    lines = {
        "group": "/aws/sagemaker/Clusters/train/*",
        "stream": "LifecycleConfig/controller/i-0",
        "lines": ["slurmctld: fatal"],
    }
    with local_aws(log_lines=[lines]):
        assert client("logs").describe_log_groups()["logGroups"] == []
        site = build_site()
        site.create(site.group("workers", 1))
        name = describe()["ClusterArn"].rsplit("/", 1)[-1]
        group = f"/aws/sagemaker/Clusters/train/{name}"
        assert messages(group, "LifecycleConfig/controller/i-0") == ["slurmctld: fatal"]


def test_time_that_cannot_be_read_is_refused() -> None:
    lines = {"group": "g", "stream": "s", "lines": ["x"], "at": "yesterday"}
    with pytest.raises(ValueError, match="neither a time"), local_aws(log_lines=[lines]):
        raise AssertionError("the world was accepted")

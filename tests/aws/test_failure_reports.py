"""Failures that services report about their resources."""

from __future__ import annotations

import datetime as dt

from botocore.stub import Stubber

from clusterwright.aws import failure_reports
from clusterwright.aws.session import AwsSession

WHEN = dt.datetime(2026, 11, 23, tzinfo=dt.UTC)
ID = "fs-0a1b2c3d4e5f60718"
OF_FILE_SYSTEM = {"Filters": [{"Name": "file-system-id", "Values": [ID]}]}


def test_every_page_of_associations_and_tasks_is_read(session: AwsSession) -> None:
    with Stubber(session.client("fsx")) as stub:
        stub.add_response(
            "describe_data_repository_associations",
            {"Associations": [{"AssociationId": "dra-0123456789abcdef0"}], "NextToken": "more"},
            OF_FILE_SYSTEM,
        )
        stub.add_response(
            "describe_data_repository_associations",
            {"Associations": []},
            {**OF_FILE_SYSTEM, "NextToken": "more"},
        )
        stub.add_response(
            "describe_data_repository_tasks", {"DataRepositoryTasks": []}, OF_FILE_SYSTEM
        )
        found = failure_reports.data_repository_associations(session, ID)
        assert [a["AssociationId"] for a in found] == ["dra-0123456789abcdef0"]
        assert failure_reports.data_repository_tasks(session, ID) == ()


def test_node_groups_are_described_one_by_one(session: AwsSession) -> None:
    with Stubber(session.client("eks")) as stub:
        stub.add_response("list_nodegroups", {"nodegroups": ["a"]}, {"clusterName": "prod"})
        stub.add_response(
            "describe_nodegroup",
            {"nodegroup": {"nodegroupName": "a", "status": "DEGRADED"}},
            {"clusterName": "prod", "nodegroupName": "a"},
        )
        stub.add_response("list_addons", {"addons": ["cni"]}, {"clusterName": "prod"})
        stub.add_response(
            "describe_addon",
            {"addon": {"addonName": "cni"}},
            {"clusterName": "prod", "addonName": "cni"},
        )
        assert [g["status"] for g in failure_reports.node_groups(session, "prod")] == ["DEGRADED"]
        assert [a["addonName"] for a in failure_reports.add_ons(session, "prod")] == ["cni"]


def test_no_control_plane_is_none(session: AwsSession) -> None:
    with Stubber(session.client("eks")) as stub:
        stub.add_client_error("describe_cluster", "ResourceNotFoundException", "no", 404)
        assert failure_reports.kubernetes_cluster(session, "prod") is None


def test_activities_are_the_newest_page(session: AwsSession) -> None:
    activity = {
        "ActivityId": "1",
        "AutoScalingGroupName": "g",
        "Cause": "demand",
        "StartTime": WHEN,
        "StatusCode": "Failed",
    }
    with Stubber(session.client("autoscaling")) as stub:
        stub.add_response(
            "describe_scaling_activities",
            {"Activities": [activity], "NextToken": "older"},
            {"AutoScalingGroupName": "g", "MaxRecords": 50},
        )
        assert failure_reports.scaling_activities(session, "g") == (activity,)

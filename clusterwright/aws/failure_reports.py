"""Failures that services report about their own resources: FSx, RDS, EKS, Auto Scaling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession

Answer = Mapping[str, Any]


def file_systems(session: AwsSession) -> tuple[Answer, ...]:
    """Return every file system of the region, as DescribeFileSystems does.

    Raises
    ------
    AwsUnavailable
        AWS did not answer; the same for the other functions.
    """
    return tuple(session.items("fsx", "DescribeFileSystems", "FileSystems"))


def data_repository_associations(session: AwsSession, file_system_id: str) -> tuple[Answer, ...]:
    """Return the data repository associations of a file system."""
    pages = session.pages(
        "fsx",
        "DescribeDataRepositoryAssociations",
        Filters=[{"Name": "file-system-id", "Values": [file_system_id]}],
    )
    return tuple(found for page in pages for found in page["Associations"])


def data_repository_tasks(session: AwsSession, file_system_id: str) -> tuple[Answer, ...]:
    """Return the data repository tasks of a file system."""
    pages = session.pages(
        "fsx",
        "DescribeDataRepositoryTasks",
        Filters=[{"Name": "file-system-id", "Values": [file_system_id]}],
    )
    return tuple(found for page in pages for found in page["DataRepositoryTasks"])


def databases(session: AwsSession) -> tuple[Answer, ...]:
    """Return every DB instance of the region."""
    return tuple(session.items("rds", "DescribeDBInstances", "DBInstances"))


@none_if_not_found()
def kubernetes_cluster(session: AwsSession, name: str) -> Answer | None:
    """Return an EKS cluster; None if there is no such cluster."""
    found: Answer = session.call("eks", "DescribeCluster", name=name)["cluster"]
    return found


def node_groups(session: AwsSession, cluster: str) -> Iterator[Answer]:
    """Yield every managed node group of an EKS cluster."""
    for name in session.items("eks", "ListNodegroups", "nodegroups", clusterName=cluster):
        yield session.call("eks", "DescribeNodegroup", clusterName=cluster, nodegroupName=name)[
            "nodegroup"
        ]


def add_ons(session: AwsSession, cluster: str) -> Iterator[Answer]:
    """Yield every add-on of an EKS cluster."""
    for name in session.items("eks", "ListAddons", "addons", clusterName=cluster):
        yield session.call("eks", "DescribeAddon", clusterName=cluster, addonName=name)["addon"]


def scaling_activities(session: AwsSession, group: str) -> tuple[Answer, ...]:
    """Return the newest activities of an Auto Scaling group, newest first."""
    for page in session.pages(
        "autoscaling", "DescribeScalingActivities", AutoScalingGroupName=group, MaxRecords=50
    ):
        return tuple(page["Activities"])
    return ()

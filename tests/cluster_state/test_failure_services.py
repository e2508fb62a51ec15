"""Failures that FSx, RDS, EKS and Auto Scaling report."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from clusterwright.aws import failure_reports, pcs
from clusterwright.aws.cloudformation.stacks import StackResource
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state import failure_services
from clusterwright.platforms.loading import load_cluster
from tests.support.rich_specs import MINIMAL
from tests.support.specs import write

SESSION: Any = object()


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """A cluster whose stacks have the resources fs-1 and db-1."""
    resources = (StackResource("A", "T", "fs-1"), StackResource("B", "T", "db-1"))
    monkeypatch.setattr(failure_services, "stack_resources", lambda *_: resources)
    return load_cluster(write(tmp_path / "s.yaml", MINIMAL)).cluster


def answers(monkeypatch: pytest.MonkeyPatch, **values: Any) -> None:
    for name, value in values.items():
        monkeypatch.setattr(failure_reports, name, lambda *_, found=value: found)


def test_file_systems_of_the_stacks(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = {"Lifecycle": "FAILED", "FailureDetails": {"Message": "no capacity"}}
    repository = {"Lifecycle": "MISCONFIGURED", "AssociationId": "dra-1", "FileSystemPath": "/d"}
    answers(
        monkeypatch,
        file_systems=(
            {"FileSystemId": "fs-1", "FileSystemType": "LUSTRE", **failed},
            {"FileSystemId": "fs-9", "FileSystemType": "LUSTRE", **failed},
        ),
        data_repository_associations=({**repository, "DataRepositoryPath": "s3://b"},),
        data_repository_tasks=(
            {"TaskId": "t1", "CreationTime": 1, "Lifecycle": "FAILED", "Type": "EXPORT"},
            {"TaskId": "t2", "CreationTime": 2, "Lifecycle": "SUCCEEDED", "Type": "EXPORT"},
        ),
    )
    found = failure_services.of_file_systems(SESSION, cluster)
    assert [(e.kind, e.id, e.text) for e in found] == [
        ("file-system", "fs-1", "FAILED: no capacity"),
        ("data-repository", "dra-1", "MISCONFIGURED: data repository /d → s3://b: "),
    ]


def test_databases_of_the_stacks(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def database(name: str, status: str) -> dict[str, str]:
        return {"DBInstanceIdentifier": name, "DBInstanceStatus": status}

    answers(monkeypatch, databases=(database("db-1", "stopped"), database("db-2", "stopped")))
    assert [e.text for e in failure_services.of_databases(SESSION, cluster)] == ["state stopped"]
    answers(monkeypatch, databases=(database("db-1", "available"),))
    assert failure_services.of_databases(SESSION, cluster) == ()


def test_kubernetes_health(monkeypatch: pytest.MonkeyPatch) -> None:
    issue = {"code": "InsufficientFreeAddresses", "message": "subnet-1"}
    scaling = {"autoScalingGroups": [{"name": "asg"}]}
    answers(
        monkeypatch,
        kubernetes_cluster={"status": "ACTIVE", "health": {"issues": []}},
        node_groups=[
            {"nodegroupName": "w", "status": "DEGRADED", "health": {"issues": [issue]}},
            {"nodegroupName": "x", "status": "CREATE_FAILED", "resources": scaling},
        ],
        add_ons=[{"addonName": "cni", "status": "ACTIVE"}],
        scaling_activities=(
            {"ActivityId": "2", "StatusCode": "Failed", "Cause": "demand"},
            {"ActivityId": "1", "StatusCode": "Successful", "Description": "Launching a new EC2"},
            {"ActivityId": "0", "StatusCode": "Failed", "StatusMessage": "old"},
        ),
    )
    assert [e.text for e in failure_services.of_kubernetes(SESSION, "prod")] == [
        "InsufficientFreeAddresses: subnet-1",
        "CREATE_FAILED",
        "Failed: demand",
    ]
    answers(monkeypatch, kubernetes_cluster=None)
    assert failure_services.of_kubernetes(SESSION, "prod") == ()


PART = pcs.Part("workers", "pcs_2", "ACTIVE", ())


@pytest.mark.parametrize(
    ("status", "errors", "texts"),
    [
        ("ACTIVE", (), []),
        ("SUSPENDED", (), ["SUSPENDED"]),
        ("CREATE_FAILED", ("A: x", "B: y"), ["CREATE_FAILED: A: x", "CREATE_FAILED: B: y"]),
    ],
)
def test_pcs_states(
    monkeypatch: pytest.MonkeyPatch, status: str, errors: tuple[str, ...], texts: list[str]
) -> None:
    part = dataclasses.replace(PART, status=status, errors=errors)
    monkeypatch.setattr(pcs, "groups", lambda *_: (part,))
    monkeypatch.setattr(pcs, "queues", lambda *_: (PART,))
    whole = pcs.Cluster("test", "pcs_1", status, "SMALL", "25.11", errors)
    found = failure_services.of_pcs(SESSION, whole)
    assert [(item.kind, item.resource, item.text) for item in found] == [
        (kind, name, text)
        for kind, name in (("cluster", "test"), ("node-group", "workers"))
        for text in texts
    ]
    assert failure_services.of_pcs(SESSION, None) == ()

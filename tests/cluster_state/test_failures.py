"""The stages of reading: what is asked for each target, and what is unknown."""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state import reading
from clusterwright.cluster_state.failures import Failures, Reader
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import SchedulerState, SchedulerView
from clusterwright.diagnosis.model import Target
from clusterwright.platforms.loading import load_cluster
from tests.support.rich_specs import MINIMAL, PCS_MINIMAL
from tests.support.specs import write

NOW = dt.datetime(2026, 11, 23, 8, tzinfo=dt.UTC)


class Empty:
    """An account that answers every call with nothing, and notes the operations."""

    region = "us-east-1"

    def __init__(self, refused: str = "") -> None:
        self.asked: set[str] = set()
        self.refused = refused

    def require_credentials(self, **_: Any) -> None:
        if self.refused == "credentials":
            raise self._error("sts", "GetCallerIdentity", "no-credentials")

    def call(self, service: str, operation: str, **_: Any) -> Any:
        self.asked.add(operation)
        if operation == self.refused:
            raise self._error(service, operation, "denied")
        raise AwsUnavailable(
            service=service,
            operation=operation,
            region=None,
            reason="other",
            detail="no",
            code="ResourceNotFound",
        )

    def pages(self, service: str, operation: str, **_: Any) -> Iterator[Any]:
        self.asked.add(operation)
        if operation == self.refused:
            raise self._error(service, operation, "denied")
        yield from ()

    def items(self, service: str, operation: str, _: str, **__: Any) -> Iterator[Any]:
        yield from self.pages(service, operation)

    def _error(self, service: str, operation: str, reason: Any) -> AwsUnavailable:
        return AwsUnavailable(
            service=service, operation=operation, region=None, reason=reason, detail="no"
        )


class Existing(Empty):
    """An account with the cluster, and nothing else."""

    def call(self, service: str, operation: str, **arguments: Any) -> Any:
        if operation == "DescribeCluster":
            return {"ClusterArn": "arn:aws:sagemaker:1", "ClusterStatus": "InService"}
        return super().call(service, operation, **arguments)


class Published(Empty):
    """An account with the controller's state, and nothing else."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text.encode()

    def call(self, service: str, operation: str, **arguments: Any) -> Any:
        if operation == "GetObject":
            return {"ContentLength": len(self._text), "Body": io.BytesIO(self._text)}
        return super().call(service, operation, **arguments)


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return load_cluster(write(tmp_path / "s.yaml", MINIMAL)).cluster


def read(session: Any, cluster: Cluster, *target: str) -> Failures:
    reader = Reader(
        session,
        cluster,
        Target(*target),  # type: ignore[arg-type]
        now=NOW,
        since=NOW - dt.timedelta(days=7),
        deadline_seconds=20,
    )
    return reader.read()


def test_each_target_reads_only_what_can_answer_it(cluster: Cluster) -> None:
    of_deployment = {"ListStacks", "DescribeFileSystems", "DescribeDBInstances"}
    for target, asked, published in (
        ((), True, True),
        (("deploy",), True, False),
        (("node", "a"), False, True),
        (("job", "7"), False, True),
    ):
        session = Empty()
        read(session, cluster, *target)
        assert (of_deployment <= session.asked) == asked, target
        assert ("GetObject" in session.asked) == published, target
        assert "DescribeLogGroups" in session.asked


def test_refusals_and_missing_state_are_unknown(cluster: Cluster) -> None:
    found = read(Empty("ListClusterNodes"), cluster)
    unknown = {entry.what: entry for entry in found.unknown}
    assert unknown["the nodes of the HyperPod cluster"].hint.startswith(
        "allow sagemaker:ListClusterNodes"
    )
    assert "no stack of test exists" in unknown["the deployment"].reason
    assert [entry.what for entry in found.unknown].count("the deployment") == 1


@pytest.mark.parametrize("target", [(), ("node", "a")])
def test_no_controller_is_named_where_there_is_no_cluster(
    cluster: Cluster, target: tuple[str, ...]
) -> None:
    found = {entry.what: entry for entry in read(Empty(), cluster, *target).unknown}
    assert found["the scheduler's state"].reason.startswith("no cluster test exists in us-east-1")
    assert "clusterwright-state" not in found["the scheduler's state"].hint
    found = {entry.what: entry for entry in read(Existing(), cluster, *target).unknown}
    assert "has not published it" in found["the scheduler's state"].reason
    assert "clusterwright-state" in found["the scheduler's state"].hint


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"schema_version": 9}, "not valid for this version of Clusterwright: schema_version"),
        ({"nodes": [{"name": "a", "states": "IDLE"}]}, "nodes.0.states: Input should be"),
        ({"environment": "other"}, "of the environment other, not of test"),
        ({"written_at": "2026-11-23T07:00:00Z"}, "60 minutes ago"),
        ({"written_at": "2026-11-23T09:00:00Z"}, "the clock of the controller is 60 minutes"),
        ({}, None),
    ],
)
def test_a_state_that_cannot_be_used_is_unknown(
    cluster: Cluster, changes: dict[str, Any], reason: str | None
) -> None:
    state = {"schema_version": 1, "environment": "test", "written_at": NOW.isoformat(), **changes}
    found = read(Published(json.dumps(state)), cluster)
    unknown = {entry.what: entry.reason for entry in found.unknown}
    assert (reason or "") in unknown.pop("the scheduler's state", "")
    assert (reason is None) == (not {entry.what for entry in found.unknown} - unknown.keys())


def test_what_the_controller_could_not_read_is_unknown(cluster: Cluster) -> None:
    state = {"schema_version": 1, "environment": "test", "written_at": NOW.isoformat()}
    unread = {"nodes": None, "running": None, "ended": None}
    found = read(Published(json.dumps({**state, **unread})), cluster)
    # Without accounting nobody knows the jobs that ended.
    assert [entry.what for entry in found.unknown if "scheduler" in entry.what] == [
        "the scheduler's nodes",
        "the scheduler's running jobs",
    ]


def test_pcs_is_asked_for_its_cluster_first(tmp_path: Path) -> None:
    cluster = load_cluster(write(tmp_path / "s.yaml", PCS_MINIMAL)).cluster
    found = read(Empty("GetCluster"), cluster)
    unknown = {entry.what: entry for entry in found.unknown}
    assert unknown["the PCS cluster"].hint.startswith("allow pcs:GetCluster")
    assert unknown["the scheduler's state"].reason.startswith("the node of login has not")
    session = Empty("ListComputeNodeGroups")
    assert "PCS states: 0 failures" in read(session, cluster).read
    assert "ListComputeNodeGroups" not in session.asked  # there is no cluster


class OfAnotherAccount(Empty):
    """An account that is not that of the cluster."""

    def call(self, service: str, operation: str, **arguments: Any) -> Any:
        if operation == "GetCallerIdentity":
            return {"Account": "444455556666", "Arn": "arn:aws:iam::444455556666:user/a"}
        return super().call(service, operation, **arguments)


def test_with_credentials_of_another_account_there_is_one_unknown(cluster: Cluster) -> None:
    (unknown,) = read(OfAnotherAccount(), cluster).unknown
    assert unknown.reason == (
        "the credentials are of account 444455556666, the cluster is in 111122223333"
    )


def test_without_credentials_there_is_one_unknown(cluster: Cluster) -> None:
    session = Empty("credentials")
    found = read(session, cluster)
    assert [entry.what for entry in found.unknown] == ["the AWS account"]
    assert session.asked == set()


def kubernetes(*_: Any) -> SchedulerView:
    past = {"instance_id": "i-a", "advice": "replace", "reason": "1 reboot in 7 days did not help"}
    state = SchedulerState.model_validate(
        {
            "schema_version": 1,
            "environment": "prod",
            "written_at": NOW,
            "nodes": [{"name": "a", "instance_id": "i-a", "states": ["NOT_READY"]}],
            "acceptance": {"a": {"state": "rejected", "reason": "xid: 79", "action": "replace"}},
            "history": {"a": past},
        }
    )
    return SchedulerView(state, None)


def test_on_kubernetes_the_nodes_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    eks = load_cluster("configs/dev-eks.yaml").cluster
    monkeypatch.setattr(reading, "scheduler", kubernetes)
    found = read(Empty(), eks, "node", "a")
    assert found.names == {"i-a": "a"}
    assert [(one.kind, one.source, one.node, one.text) for one in found.evidence] == [
        ("acceptance", "the Kubernetes API", "a", "acceptance rejected: xid: 79"),
        (
            "node-history",
            "the Kubernetes API",
            "a",
            "history advises replace: 1 reboot in 7 days did not help ()",
        ),
    ]
    assert "the Kubernetes API's view: 2 statements" in found.read
    assert "the Kubernetes API's view" not in [one.what for one in found.unknown]


def test_without_the_kubernetes_api_the_nodes_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    eks = load_cluster("configs/dev-eks.yaml").cluster
    refused = NotRead("the Kubernetes API's view", "kubectl is not installed")
    monkeypatch.setattr(reading, "scheduler", lambda *_: SchedulerView(None, refused))
    found = read(Empty(), eks, "node", "a")
    unknown = {one.what: one.reason for one in found.unknown}
    assert unknown["the Kubernetes API's view"] == "kubectl is not installed"
    # What was deployed does not depend on nodes of Kubernetes.
    found = read(Empty(), eks, "deploy")
    assert "the Kubernetes API's view" not in {one.what for one in found.unknown}

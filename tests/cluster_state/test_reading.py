"""Reading of a whole cluster: what is asked, and what a refusal leaves unknown."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.aws.cloudformation.stacks import Stack
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.aws.sts import Caller
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import SchedulerView
from clusterwright.cluster_state.reading import deployed_spec, read_cluster
from clusterwright.cluster_state.results import ClusterState
from tests.support import specs

NOW = dt.datetime(2026, 11, 23, 8, 0, tzinfo=dt.UTC)
READING = "clusterwright.cluster_state.reading"
TEMPLATE = {"Resources": {"Cluster": {"Metadata": {"clusterwright:spec": json.dumps({"a": 1})}}}}


def refused(code: str = "AccessDenied", detail: str = "no") -> AwsUnavailable:
    return AwsUnavailable(
        service="cloudformation",
        operation="X",
        region="us-east-1",
        reason="denied" if code == "AccessDenied" else "other",
        detail=detail,
        code=code,
    )


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Answers by function; an exception is raised."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "111122223333")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    found: dict[str, Any] = {
        "sts.caller": Caller("111122223333", "arn:aws:iam::111122223333:user/a"),
        "platform_nodes": (),
        "platform_cluster": None,
        "scheduler_view": SchedulerView(None, NotRead("x", "y")),
        "stacks.template": TEMPLATE,
        "stacks.stack": {"test-network": Stack("test-network", "CREATE_COMPLETE", None, False)},
    }

    def answer(name: str, *arguments: Any) -> Any:
        value = found[name]
        if isinstance(value, Exception):
            raise value
        return value.get(arguments[1]) if name == "stacks.stack" else value

    for name in found:
        monkeypatch.setattr(f"{READING}.{name}", lambda *a, name=name, **_: answer(name, *a))
    return found


def read(folder: Path) -> ClusterState:
    spec = specs.load(folder)
    return read_cluster(AwsSession("us-east-1"), spec.cluster, now=NOW, deadline_seconds=10)


def test_everything(tmp_path: Path, account: dict[str, Any]) -> None:
    found = read(tmp_path)
    assert (found.nodes, found.cluster, found.read_at) == ((), None, NOW)
    assert not isinstance(found.stacks, NotRead)
    assert [stack.name for stack in found.stacks] == ["test-network"]
    assert deployed_spec(found) == {"a": 1}


def test_another_account_says_nothing_of_the_cluster(
    tmp_path: Path, account: dict[str, Any]
) -> None:
    account["sts.caller"] = Caller("444455556666", "arn:aws:iam::444455556666:user/a")
    found = read(tmp_path)
    reason = "the credentials are of account 444455556666, the cluster is in 111122223333"
    for part in (found.nodes, found.cluster, found.stacks, found.deployed_spec):
        assert isinstance(part, NotRead)
        assert (part.reason, part.hint) == (reason, "use credentials of the cluster's account")


def test_without_an_answer_of_sts_the_others_are_read(
    tmp_path: Path, account: dict[str, Any]
) -> None:
    account["sts.caller"] = refused()
    assert read(tmp_path).nodes == ()


def test_stacks_that_are_not_deployed(tmp_path: Path, account: dict[str, Any]) -> None:
    for status in ("DELETE_COMPLETE", "REVIEW_IN_PROGRESS"):
        account["stacks.stack"] = {"test-network": Stack("test-network", status, None, False)}
        assert read(tmp_path).stacks == ()


@pytest.mark.parametrize("missing", ["platform_nodes", "platform_cluster"])
def test_no_controller_is_named_where_there_is_no_cluster(
    tmp_path: Path, account: dict[str, Any], missing: str
) -> None:
    silent = NotRead("the scheduler's view", "not published", "see on the controller: journalctl")
    account["scheduler_view"] = SchedulerView(None, silent)
    account["platform_cluster"] = "a cluster"
    assert read(tmp_path).scheduler.unknown == silent
    account[missing] = None
    assert read(tmp_path).scheduler.unknown == NotRead(
        "the scheduler's view",
        "no cluster test exists in us-east-1, in the account of these credentials",
        "cdk deploy -c env=test --all; or check the account: aws sts get-caller-identity",
    )
    account[missing] = refused()
    assert read(tmp_path).scheduler.unknown == silent


@pytest.mark.parametrize("part", ["platform_nodes", "platform_cluster", "stacks.stack"])
def test_a_refusal_leaves_the_rest(tmp_path: Path, account: dict[str, Any], part: str) -> None:
    account[part] = refused()
    found = read(tmp_path)
    unknown = [x for x in (found.nodes, found.cluster, found.stacks) if isinstance(x, NotRead)]
    assert len(unknown) == 1
    assert unknown[0].iam_action == "cloudformation:X"


def test_no_recorded_spec(tmp_path: Path, account: dict[str, Any]) -> None:
    account["stacks.template"] = refused("ValidationError", "Stack test-cluster does not exist")
    assert read(tmp_path).deployed_spec is None
    account["stacks.template"] = {"Resources": {}}
    assert deployed_spec(read(tmp_path)) is None
    account["stacks.template"] = refused()
    assert isinstance(read(tmp_path).deployed_spec, NotRead)


def test_without_credentials_everything_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    found = read(tmp_path)
    assert isinstance(found.nodes, NotRead)
    assert isinstance(found.stacks, NotRead)
    assert found.scheduler.unknown is not None

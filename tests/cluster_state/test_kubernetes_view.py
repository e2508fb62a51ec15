"""The Kubernetes API's view, from what kubectl prints."""

from __future__ import annotations

import datetime as dt
import json
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_state.kubernetes_view import (
    KubectlFailed,
    kubernetes_view,
    run_kubectl,
)
from clusterwright.cluster_state.published import SchedulerView

NOW = dt.datetime(2026, 11, 23, 8, 0, tzinfo=dt.UTC)
ENDPOINT = "https://ABC.gr7.us-east-1.eks.amazonaws.com"
CONFIG = {
    "current-context": "elsewhere",
    "clusters": [
        {"name": "other", "cluster": {"server": "https://other"}},
        {"name": "ours", "cluster": {"server": ENDPOINT.lower() + "/"}},
    ],
    "contexts": [
        {"name": "elsewhere", "context": {"cluster": "other"}},
        {"name": "train", "context": {"cluster": "ours"}},
    ],
}


def node(name: str, ready: str = "True", **more: Any) -> dict[str, Any]:
    conditions = [
        {"type": "MemoryPressure", "status": "False"},
        {
            "type": "Ready",
            "status": ready,
            "message": "kubelet stopped posting",
            "lastTransitionTime": "2026-11-23T07:00:00Z",
        },
    ]
    return {
        "metadata": {"name": name, "labels": {"clusterwright.dev/group": "workers"}},
        "spec": {"providerID": f"aws:///us-east-1a/i-{name}", **more},
        "status": {"conditions": conditions},
    }


def job(**status: Any) -> dict[str, Any]:
    return {"metadata": {"name": "j"}, "spec": {}, "status": status}


def view(
    nodes: list[dict[str, Any]], jobs: list[dict[str, Any]] | None = None, config: Any = CONFIG
) -> tuple[SchedulerView, list[list[str]]]:
    called: list[list[str]] = []

    def kubectl(arguments: Sequence[str]) -> str:
        called.append(list(arguments))
        if "config" in arguments:
            return json.dumps(config)
        return json.dumps({"items": nodes if "nodes" in arguments else jobs or []})

    found = kubernetes_view("train", ENDPOINT, "us-east-1", now=NOW, kubectl=kubectl)
    return found, called


def test_the_context_of_the_endpoint_is_used() -> None:
    found, called = view([node("a")])
    assert found.current is not None
    assert called[1][:4] == ["--context", "train", "--request-timeout=10s", "get"]
    assert {call[-2] if "get" in call else call[0] for call in called} <= {
        "config",
        "nodes",
        "--all-namespaces",
    }


def test_states_reasons_and_acceptance() -> None:
    taint = {"key": "clusterwright/acceptance", "value": "pending", "effect": "NoSchedule"}
    found, _ = view(
        [
            node("a"),
            node("b", "Unknown"),
            node("c", unschedulable=True),
            node("d", taints=[taint]),
            node("e", taints=[{**taint, "value": "rejected"}]),
            node("f", taints=[{**taint, "value": "away"}]),
        ]
    )
    assert found.current is not None
    nodes = {each.name: each for each in found.current.nodes or ()}
    assert nodes["a"].states == ("READY",)
    assert (nodes["a"].group, nodes["a"].instance_id) == ("workers", "i-a")
    assert nodes["b"].states == ("NOT_READY",)
    assert nodes["b"].reason == "kubelet stopped posting"
    assert nodes["b"].reason_at == dt.datetime(2026, 11, 23, 7, 0, tzinfo=dt.UTC)
    assert nodes["c"].states == ("READY", "SCHEDULING_DISABLED")
    acceptance = {name: each.state for name, each in (found.current.acceptance or {}).items()}
    assert acceptance == {"d": "new", "e": "rejected", "f": "new"}


@pytest.mark.parametrize(
    ("provider", "instance"),
    [
        ("aws:///use1-az6/i-0123456789abcdef0", "i-0123456789abcdef0"),
        (
            "aws:///a/sagemaker/cluster/hyperpod-4hqlkz5wyg3i-i-0123456789abcdef0",
            "i-0123456789abcdef0",
        ),
        ("aws:///use1-az6/sagemaker/cluster/hyperpod-abi-cd-i-0123", "i-0123"),
        ("kind://docker/mini-worker-node", None),
        ("kind://docker/i-0123/worker", None),
    ],
)
def test_the_instance_id_ends_the_providers_id(provider: str, instance: str | None) -> None:
    one = node("a")
    one["spec"]["providerID"] = provider
    found, _ = view([one])
    assert found.current is not None
    (only,) = found.current.nodes or ()
    assert only.instance_id == instance


def test_the_health_label_of_hyperpod() -> None:
    sick = node("a")
    sick["metadata"]["labels"] = {
        "sagemaker.amazonaws.com/instance-group-name": "workers",
        "sagemaker.amazonaws.com/node-health-status": "UnschedulablePendingReplacement",
    }
    sick["spec"]["providerID"] = "aws:///use1-az6/sagemaker/cluster/hyperpod-abc-i-0123"
    found, _ = view([sick])
    assert found.current is not None
    (only,) = found.current.nodes or ()
    assert only.states == ("READY", "UNSCHEDULABLEPENDINGREPLACEMENT")
    assert (only.group, only.instance_id) == ("workers", "i-0123")


HISTORY = {
    "instance_id": "i-a",
    "is_lemon": True,
    "advice": "replace",
    "reason": "faults on 3 days of the last 28",
    "events": [{"at": "2026-11-23T07:00:00Z", "kind": "rejected", "detail": "xid: 79"}],
}


def annotated(one: dict[str, Any], **annotations: str) -> dict[str, Any]:
    one["metadata"]["annotations"] = {
        f"clusterwright.dev/{key}": value for key, value in annotations.items()
    }
    return one


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (json.dumps(HISTORY), True),
        (json.dumps({**HISTORY, "instance_id": "i-before"}), False),
        (json.dumps({**HISTORY, "is_lemon": {}}), False),
        (json.dumps({**HISTORY, "reason": "x" * 300_000}), False),
        ("[]", False),
        ("{", False),
    ],
)
def test_the_history_of_an_instance(text: str, known: bool) -> None:
    found, _ = view([annotated(node("a"), history=text), node("b")])
    assert found.current is not None
    if not known:
        assert found.current.history is None
        return
    assert found.current.history is not None
    (only,) = found.current.history.items()
    assert (only[0], only[1].advice, only[1].reason) == ("a", "replace", HISTORY["reason"])


def test_the_action_of_a_rejected_node() -> None:
    value = {"state": "rejected", "reason": "xid: 79", "action": "replace", "boot_id": None}
    found, _ = view([annotated(node("a"), acceptance=json.dumps(value))])
    assert found.current is not None
    assert found.current.acceptance is not None
    assert found.current.acceptance["a"].action == "replace"


def test_network_nodes_of_labels() -> None:
    placed = node("a")
    for layer in (1, 2, 3):
        label = f"topology.k8s.aws/network-node-layer-{layer}"
        placed["metadata"]["labels"][label] = f"nn-{layer}"
    found, _ = view([placed, node("b")])
    assert found.current is not None
    first, second = found.current.nodes or ()
    assert (first.switch_path, second.switch_path) == (("nn-1", "nn-2", "nn-3"), None)


def test_jobs_by_state() -> None:
    done = {"conditions": [{"type": "Complete", "status": "True"}]}
    failed = {"conditions": [{"type": "Failed", "status": "True"}]}
    suspended = {**job(), "spec": {"suspend": True}}
    found, _ = view([], [job(active=2), job(), job(**done), job(**failed), suspended])
    assert found.current is not None
    assert found.current.jobs == {
        "RUNNING": 1,
        "PENDING": 1,
        "COMPLETED": 1,
        "FAILED": 1,
        "SUSPENDED": 1,
    }


def test_without_a_context_another_cluster_is_never_asked() -> None:
    config = {**CONFIG, "contexts": CONFIG["contexts"][:1]}  # type: ignore[index]
    found, called = view([], config=config)
    assert found.unknown is not None
    assert found.unknown.reason == f"no context of the kubeconfig has the server {ENDPOINT}"
    assert found.unknown.hint == "aws eks update-kubeconfig --name train --region us-east-1"
    assert len(called) == 1


@pytest.mark.parametrize("text", ["no json", "[]", '{"items": 1}'])
def test_output_that_is_not_json(text: str) -> None:
    def kubectl(arguments: Sequence[str]) -> str:
        return json.dumps(CONFIG) if "config" in arguments else text

    found = kubernetes_view("train", ENDPOINT, "us-east-1", now=NOW, kubectl=kubectl)
    assert found.unknown is not None
    assert "kubectl did not print" in found.unknown.reason


def test_no_endpoint() -> None:
    found = kubernetes_view("train", None, "us-east-1", now=NOW)
    assert found.unknown is not None
    assert found.unknown.reason == "the control plane has no endpoint yet"


def program(folder: Path, text: str) -> None:
    path = folder / "kubectl"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)


def test_run_kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KubectlFailed, match=r"^kubectl is not installed$"):
        run_kubectl(["get"])
    program(tmp_path, 'echo "words: $*"')
    assert run_kubectl(["get", "nodes"]) == "words: get nodes\n"
    program(tmp_path, "echo 'error: Unauthorized' >&2; exit 1")
    with pytest.raises(KubectlFailed, match=r"^kubectl failed: error: Unauthorized$"):
        run_kubectl(["get"])
    (tmp_path / "kubectl").write_text("not a program")
    with pytest.raises(KubectlFailed, match=r"^kubectl did not run: "):
        run_kubectl(["get"])

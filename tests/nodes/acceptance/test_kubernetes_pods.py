"""Pods that a kubelet has not taken."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from clusterwright_acceptance.kubernetes_pods import PATH, name_of, not_taken

TAINT = "clusterwright/acceptance"


def pod(
    *tolerations: dict[str, str], owners: tuple[str, ...] = ("Job",), **metadata: Any
) -> dict[str, Any]:
    return {
        "metadata": {
            "name": "p",
            "namespace": "team",
            "ownerReferences": [{"kind": kind, "controller": True} for kind in owners],
            **metadata,
        },
        "spec": {"tolerations": list(tolerations)},
        "status": {"phase": "Pending"},
    }


NOT_READY = {
    "key": "node.kubernetes.io/not-ready",
    "operator": "Exists",
    "effect": "NoExecute",
}


@pytest.mark.parametrize(
    "one",
    [
        pod(),
        pod(NOT_READY),
        pod(owners=("ReplicaSet",)),
        pod({"key": TAINT, "operator": "Exists", "effect": "NoExecute"}),
        pod({"key": TAINT, "operator": "Equal", "value": "pending"}),
    ],
)
def test_pods_of_controllers_are_moved(one: dict[str, Any]) -> None:
    assert [name_of(found) for found in not_taken([one])] == ["team/p"]


@pytest.mark.parametrize(
    "one",
    [
        # Nothing makes another one.
        pod(owners=()),
        {**pod(), "metadata": {"name": "p", "ownerReferences": [{"kind": "Job"}]}},
        # They belong to the node.
        pod(owners=("DaemonSet",)),
        pod(owners=("Node",)),
        pod(deletionTimestamp="2026-11-30T10:00:00Z"),
        {**pod(), "status": {"phase": "Pending", "startTime": "2026-11-30T10:00:00Z"}},
        {**pod(), "status": {"phase": "Running"}},
        # The tests of acceptance, and what runs on every node.
        pod({"key": TAINT, "operator": "Exists", "effect": "NoSchedule"}),
        pod({"key": TAINT, "operator": "Equal", "value": "away"}),
        pod({"operator": "Exists"}),
    ],
)
def test_other_pods_stay(one: dict[str, Any]) -> None:
    assert list(not_taken([one])) == []


def test_the_path_selects_bound_pods_that_do_not_run() -> None:
    query = parse_qs(urlsplit(PATH).query)
    assert query == {"fieldSelector": ["status.phase=Pending,spec.nodeName!="]}

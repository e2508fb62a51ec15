"""The Deployment that holds nodes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance import kubernetes_hold

from clusterwright.platforms.kubernetes import acceptance_hold
from tests.platforms.kubernetes.conftest import Load, objects
from tests.platforms.kubernetes.specs import EKS, HELD, HYPERPOD, IMAGE
from tests.support.rich_specs import changed


def test_the_hold_may_change_nodes_and_evict_pods(load: Load) -> None:
    found = objects(load, changed(EKS, acceptance=HELD))
    account = found["Deployment", "acceptance-hold"]["spec"]["template"]["spec"][
        "serviceAccountName"
    ]
    bound = {
        (kind, name): one["roleRef"]
        for (kind, name), one in found.items()
        if kind.endswith("Binding") and one["subjects"][0]["name"] == account
    }
    assert bound == {
        ("ClusterRoleBinding", "clusterwright-acceptance-hold"): {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "clusterwright-acceptance-hold",
        }
    }
    assert found["ClusterRole", "clusterwright-acceptance-hold"]["rules"] == [
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "watch", "patch"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
        {"apiGroups": [""], "resources": ["pods/eviction"], "verbs": ["create"]},
    ]
    assert ("ServiceAccount", account) in found


@pytest.mark.parametrize(
    ("base", "selector"),
    [
        (EKS, "clusterwright.dev/group in (trainium,workers)"),
        (HYPERPOD, "sagemaker.amazonaws.com/instance-group-name in (Elastic-1,trainium,workers)"),
    ],
    ids=["eks", "hyperpod-eks"],
)
def test_the_hold_follows_the_nodes_of_the_groups(
    load: Load, base: dict[str, Any], selector: str
) -> None:
    spec = objects(load, changed(base, acceptance=HELD))["Deployment", "acceptance-hold"]["spec"]
    pod = spec["template"]["spec"]
    (container,) = pod["containers"]
    assert container["command"][-2:] == ["clusterwright_acceptance", "hold"]
    assert container["args"] == [f"--selector={selector}"]
    assert (spec["replicas"], spec["strategy"]["rollingUpdate"]["maxUnavailable"]) == (1, 0)
    assert acceptance_hold.WATCHED == kubernetes_hold.WATCHED
    assert acceptance_hold.WATCHED in container["livenessProbe"]["exec"]["command"][-1]


def test_without_the_hold_nothing_puts_the_taint_back(load: Load) -> None:
    # Not left out: `kubectl apply` would leave the one that was there before running.
    spec = changed(EKS, acceptance={"image": IMAGE, "hold": False})
    assert objects(load, spec)["Deployment", "acceptance-hold"]["spec"]["replicas"] == 0


@pytest.mark.parametrize(("age", "code"), [(10, 0), (400, 1)])
def test_the_kubelet_ends_a_program_that_watches_no_more(
    load: Load, tmp_path: Path, age: int, code: int
) -> None:
    spec = objects(load, changed(EKS, acceptance=HELD))["Deployment", "acceptance-hold"]["spec"]
    probe = spec["template"]["spec"]["containers"][0]["livenessProbe"]["exec"]["command"]
    watched = tmp_path / "watched"
    watched.touch()
    os.utime(watched, (time.time() - age,) * 2)
    program = probe[-1].replace(acceptance_hold.WATCHED, str(watched))
    done = subprocess.run([sys.executable, *probe[1:-1], program], check=False)
    assert done.returncode == code

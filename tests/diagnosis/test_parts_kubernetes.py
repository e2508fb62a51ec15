"""Events of Kubernetes by their reason."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_kubernetes import EVENTS, event, is_no_quota
from tests.diagnosis.made import findings, of_log

CASES = (
    ("FailedCreate", 'pods "a" is forbidden: exceeded quota: q', "a quota of the namespace"),
    ("FailedCreate", 'pods "a" is forbidden: violates PodSecurity', "a policy of the cluster"),
    ("BackoffLimitExceeded", "Job has reached it", "backoffLimit"),
    ("DeadlineExceeded", "Job was active longer", "activeDeadlineSeconds"),
    ("OutOfnvidia.com/gpu", "odd", ""),
    ("OutOfcpu", "odd", "given by the scheduler"),
    ("TopologyAffinityError", "odd", "one NUMA node"),
    ("NodeAffinity", "odd", "node selector"),
    ("SysctlForbidden", "odd", "does not allow"),
    ("VolumeResizeFailed", "odd", "resized"),
    ("FailedMapVolume", "odd", "block device"),
    ("FailedBinding", "odd", "cannot be bound"),
    ("FailedPrepareDynamicResources", "odd", "dynamic resource allocation"),
    ("InspectFailed", "odd", "name is not valid"),
    ("ErrImageNeverPull", "odd", "imagePullPolicy"),
    ("ImageGCFailed", "odd", "disk is full"),
    ("FailedPreStopHook", "odd", "preStop"),
    ("FailedKillPod", "odd", "containerd"),
    ("KubeletSetupFailed", "odd", "kubelet cannot start"),
    ("CIDRNotAvailable", "odd", "range of addresses"),
    ("FailedDaemonPod", "odd", "DaemonSet"),
    ("Preempted", "odd", "higher priority"),
    ("TaintManagerEviction", "odd", "taint evicts"),
    ("SystemOOM", "odd", "runs out of a resource"),
    ("Unhealthy", "Liveness probe failed", "probe of a container"),
    ("Rebooted", "odd", "rebooted"),
    ("FailedConsistencyCheck", "odd", "lacks a resource"),
    ("NoCompatibleInstanceTypes", "odd", "no instance type fits"),
    ("NodeClassNotReady", "odd", "a NodeClass is not ready"),
    ("FailedDraining", "odd", "cannot be drained"),
    ("NodeRepairBlocked", "odd", "does not repair"),
)


@pytest.mark.parametrize(("name", "message", "words"), CASES)
def test_reason_of_an_event(name: str, message: str, words: str) -> None:
    said = event(f"  Warning  {name}  2m (x5 over 10m)  kubelet  {message}")
    assert (words in (said or "")) if words else said is None


def test_every_reason_has_an_event_here() -> None:
    assert len(CASES) - 1 == len(EVENTS)


@pytest.mark.parametrize(
    "line",
    [
        "5m          Warning   TopologyAffinityError   pod/a   Resources cannot be allocated",
        'event.go:389] "Event occurred" type="Warning" reason="TopologyAffinityError" message="a"',
    ],
)
def test_other_forms_of_events(line: str) -> None:
    assert "one NUMA node" in (event(line) or "")


@pytest.mark.parametrize(
    "line",
    [
        "Warning  Unhealthy  2m (x5 over 10m)  kubelet  Readiness probe failed: odd",
        "Warning  Rebooted   2m  kubelet  Node a has been rebooted",
        "Normal   OutOfcpu   2m  kubelet  odd",
        "Warning  Frob       2m  kubelet  odd",
    ],
)
def test_what_healthy_clusters_have_is_no_failure(line: str) -> None:
    assert event(line, known_to_fail=False) is None


def test_quota_of_a_namespace_is_none_of_aws() -> None:
    line = '  Warning  FailedCreate  2m  job-controller  pods "a" is forbidden: exceeded quota: q'
    (found,) = findings(*of_log(line))
    assert found.cause.startswith("Kubernetes: a quota of the namespace")
    assert is_no_quota(line)
    assert not is_no_quota("VcpuLimitExceeded: You have requested more")

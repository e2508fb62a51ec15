"""Controllers of Kubernetes by the words of their lines and the reasons of their events."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis import parts_operators
from clusterwright.diagnosis.signatures.programs import KNOWN
from tests.diagnosis.made import findings, of_log

EVENTS = (
    ("Warning FlavorNotFound 1s kueue x", "references a flavor"),
    ("Normal EvictedDueToPodsReadyTimeout 3m kueue Exceeded the timeout", "did not become ready"),
    ("Warning AdmissionCheckRejected 3m kueue Deactivated", "admission check"),
    ("Normal Preempted 3m kueue Preempted to accommodate a workload", "(preemption)"),
    ("Warning ExceedsMaxQuota 3m kueue x", "may ever have"),
    ("Warning TopologyPlacementFailed 3m kueue x", "no group of nodes"),
    ("Warning NoMatchingFlavor 3m kueue x", "no flavor"),
    ("Warning Misconfigured 3m kueue x", "names does not exist"),
    ("Normal EvictedDueToClusterQueueStopped 3m kueue x", "stopped or inactive"),
    ("Warning FailedJobs 5m jobset jobset failed", "JobSet: jobs of it failed"),
    ("Warning ExclusivePlacementViolation 5m jobset x", "one job per domain"),
    ("Warning JobCreationFailed 5m jobset x", "cannot be created"),
    ("Warning MPIJobFailed 1m mpi-job-controller x", "MPI operator"),
    ("1m Normal MPIJobEvicted mpijob/x 1/8 workers are evicted", "was evicted from its node"),
    ("Warning PyTorchJobFailed 1m pytorchjob-controller x", "training operator"),
    ("Warning TrainingRuntimeNotSupported 3s trainjob-controller x", "the runtime that the job"),
)

CASES = (
    (
        "message: Can't admit new workloads: references missing ResourceFlavor(s): p5. kueue",
        "references a flavor",
    ),
    (
        "kueue: LocalQueue users doesn't exist",
        "names does not exist",
    ),
    (
        "kueue: ClusterQueue gpu is stopped",
        "stopped or inactive",
    ),
    (
        "kueue: no topology domains at level: host",
        "no group of nodes",
    ),
    (
        "kueue: load client config failed: no kubeconfig",
        "MultiKueue",
    ),
    (
        "controller: nodeclass error: getting subnets, no subnets exist given constraints",
        "no subnet",
    ),
    (
        "karpenter: error: creating instance profile, not found",
        "instance profile",
    ),
    (
        "controller: nodeclaim.lifecycle error: launching nodeclaim, failed to fi"
        "nd ec2nodeclass default",
        "node class does not exist",
    ),
    (
        "karpenter: Controller isn't authorized to call ec2:CreateFleet",
        "permissions for EC2",
    ),
    (
        "controller: provisioner error: all available instance types exceed limits for nodepool",
        "limits of the node pool",
    ),
    (
        "controller: provisioner error: nodepool requirements filtered out all av"
        "ailable instance types",
        "no instance type fits",
    ),
    (
        "controller: nodeclass error: KubeletExpressionInvalid",
        "kubelet settings",
    ),
    (
        "caller: aws-k8s-agent/main.go:42 msg: Failed to check API server connect"
        "ivity: i/o timeout",
        "does not reach the Kubernetes API",
    ),
    (
        "caller: eniconfig/eniconfig.go:1 msg: Failed to find eniconfig",
        "ENIConfig",
    ),
    (
        "caller: awsutils/awsutils.go:7 msg: AllocENI: failed to create ENI",
        "another interface",
    ),
    (
        "caller: aws-k8s-agent/main.go:7 msg: dial tcp 127.0.0.1:50051: connect: connection refused",
        "(ipamd) does not answer",
    ),
    (
        "caller: ipamd/ipamd.go:7 msg: Failed to get primary address from IMDS",
        "(IMDS)",
    ),
    (
        "caller: networkutils/network.go:7 msg: failed to add iptables chain",
        "routes, rules",
    ),
    (
        '[FATAL] plugin/loop: Loop (127.0.0.1:55953 -> :53) detected for zone "."',
        "(a loop)",
    ),
    (
        "plugin/forward: no nameservers found in /etc/resolv.conf",
        "no upstream",
    ),
    (
        "E0516 plugin/kubernetes: Failed to list *v1.Endpoints: Unauthorized",
        "may not read the cluster's API",
    ),
    (
        "E0516 plugin/kubernetes: Failed to watch *v1.Endpoints: connection refused",
        "does not reach the cluster's API",
    ),
    (
        "plugin/reload: Corefile changed but reload failed",
        "(Corefile)",
    ),
    (
        'containerd[8]: level=fatal msg="failed to recover state: failed to load bolt metadata"',
        "its database",
    ),
    (
        'containerd[8]: level=error error="OCI runtime create failed: exec: pytho'
        'n: executable file not found in $PATH"',
        "command of a container",
    ),
    (
        'containerd[8]: level=error error="OCI runtime create failed: stat /opt/a: no such file"',
        "command of a container",
    ),
    (
        "docker: Error response from daemon: failed to create shim task: OCI runtime create "
        "failed: unable to retrieve OCI runtime error (open /run/containerd/io.containerd.runtime."
        "v2.task/moby/abc/log.json: no such file or directory): fork/exec "
        "/usr/bin/nvidia-container-runtime: permission denied: unknown.",
        "cannot be executed on the node: it is not installed there, is not executable or is for "
        "another processor: it has no permission: ",
    ),
    (
        'containerd[8]: level=error error="error setting cgroup config for procHooks process"',
        "cgroup driver",
    ),
    (
        'containerd[8]: level=error error="failed to create shim task: error moun'
        'ting /a to rootfs"',
        "cannot be mounted into a container",
    ),
    (
        'containerd[8]: level=error error="failed to inject CDI devices: unresolvable"',
        "hook or CDI",
    ),
    (
        'containerd[8]: level=error error="failed to load plugin io.containerd.grpc.v1.cri"',
        "plug-in of it cannot be loaded",
    ),
    (
        'containerd[8]: level=error error="failed to create shim task: EOF"',
        "failed to start a container",
    ),
)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("dial tcp 172.19.0.1:443: i/o timeout", "the cluster's API server is not reached"),
        ("dial tcp 172.19.0.1:443: connect: no route to host", "API server is not reached"),
        ("dial tcp 172.19.0.1:443: connect: connection refused", "kube-proxy or the network"),
        ("Unauthorized", "(CoreDNS): may not read the cluster's API"),
    ],
)
def test_dns_that_does_not_reach_the_api_is_not_the_cause_itself(answer: str, words: str) -> None:
    line = (
        "E0516 07:55:41.452368       1 reflector.go:205] github.com/coredns/coredns/plugin/"
        "kubernetes/controller.go:314: Failed to list *v1.Endpoints: Get "
        f"https://172.19.0.1:443/api/v1/endpoints?limit=500&resourceVersion=0: {answer}"
    )
    (found,) = findings(*of_log(line))
    assert words in found.cause


@pytest.mark.parametrize(("line", "words"), CASES)
def test_message_is_of_its_part(line: str, words: str) -> None:
    assert words in (KNOWN.error(line) or "")


def test_every_part_has_a_message_here() -> None:
    said = [KNOWN.error(line) or "" for line, _ in CASES]
    for program in parts_operators.PROGRAMS:
        for part in program.parts:
            assert any(f"{program.name}: {part.wrong}" in one for one in said), part.wrong


@pytest.mark.parametrize(("line", "words"), EVENTS)
def test_event_is_of_its_reason(line: str, words: str) -> None:
    assert words in (parts_operators.event(line) or "")


def test_every_reason_has_an_event_here() -> None:
    assert len(EVENTS) == len(parts_operators.EVENTS)


@pytest.mark.parametrize(
    "line",
    [
        "Normal CreatedWorkload 1s kueue Created Workload: a",
        "Warning FailedJobs 5m someone-else jobs failed",
        "kueue FlavorNotFound",
    ],
)
def test_other_lines_are_no_events_of_them(line: str) -> None:
    assert parts_operators.event(line) is None

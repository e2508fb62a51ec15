"""Signatures of the family `platforms`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of

CASES = (
    (
        "log",
        "Warning  FailedScheduling  111s  volcano  10/6 tasks in gang unschedulable: job is not ready, 10 minAvailable, 6 Pending.",
        "gang",
    ),
    (
        "log",
        "Warning  UnexpectedAdmissionError  84s  kubelet  Allocate failed due to no healthy devices present; cannot allocate "
        "unhealthy devices nvidia.com/gpu, which is unexpected",
        "device-missing",
    ),
    (
        "log",
        "scale_up.go:257] Node group workers-gpu is not ready for scaleup",
        "autoscaler-group",
    ),
    (
        "log",
        'Error from server (InternalError): Internal error occurred: failed calling webhook "mjob.kb.io": failed to call '
        'webhook: Post "https://kueue:443/mutate": dial tcp 10.96.58.56:443: connect: connection refused',
        "webhook",
    ),
    (
        "node-group",
        "PodEvictionFailure: Reached max retries while trying to evict pods",
        "pod-eviction",
    ),
    ("log", "0/8 nodes are available: 8 Insufficient nvidia.com/gpu.", "unschedulable"),
    (
        "log",
        'failed calling webhook "pod-identity-webhook.amazonaws.com": failed to call webhook: Post '
        '"https://w.kube-system.svc:443/m": dial tcp 10.0.0.9:443: connect: connection refused',
        "webhook",
    ),
    ("cluster-event", "The replacement of the node failed", "replacement-failed"),
    ("log", 'Warning FailedMount MountVolume.SetUp failed for volume "pvc-1"', "volume"),
    ("node-group", "Ec2LaunchTemplateVersionMaxLimitExceeded: too many", "quota"),
    (
        "log",
        "[slurm_plugin.resume] - ERROR - Failed to launch following nodes: (x2) ['q-dy-c-1', 'b']",
        "pcluster-launch",
    ),
    ("log", 'must evict pod(s) to reclaim" resourceName="memory"', "evicted"),
    ("log", "Failed to create pod sandbox: rpc error: context deadline exceeded", "pod-sandbox"),
    (
        "stack-state",
        "UPDATE_ROLLBACK_FAILED: The following resource(s) failed to update: [X].",
        "stack-state",
    ),
    (
        "log",
        "0/6 nodes are available: 2 Insufficient cpu, 4 Insufficient vpc.amazonaws.com/efa.",
        "unschedulable",
    ),
    (
        "log",
        "Error encountered during build of deployFiles: Command 02_prepare failed",
        "cfn-init",
    ),
    (
        "log",
        "E0612 10:11:12.123456    911 kubelet.go:2412] PLEG is not healthy: pleg was last seen active 3m8s ago",
        "container-runtime-down",
    ),
    (
        "log",
        "FailedAttachVolume 15s attachdetach-controller Multi-Attach error for volume pvc-1",
        "volume",
    ),
    ("log", "GenericPLEG: Unable to retrieve pods: operation timeout", "container-runtime-down"),
    (
        "log",
        'failed to provision volume with StorageClass "fsx-sc": CreateFileSystem failed: BadRequest: '
        "Access denied for import path.",
        "volume-creation",
    ),
    (
        "log",
        "ProvisioningFailed: Value 'a,b' at 'subnetIds' failed to satisfy constraint: Member must",
        "volume-creation",
    ),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


@pytest.mark.parametrize(
    ("resource", "cause"),
    [
        ("mount[mount /opt/shared]", "it cannot mount /opt/shared"),
        ("execute[wait for slurm database]", "a command failed (wait for slurm database)"),
        ("service[munge]", "the service munge cannot be started, stopped or enabled"),
        ("gizmo[x]", "it cannot run the gizmo x"),
    ],
)
def test_resource_of_chef_is_named_once(resource: str, cause: str) -> None:
    """The line with the class of the error has nothing to say."""
    text = (
        '"exception-type": "Mixlib::ShellOut::ShellCommandFailed",\n'
        f'"error-title": "Error executing action `run` on resource \'{resource}\'",'
    )
    (found,) = findings(*of_log(text))
    assert found.cause == f"ParallelCluster: the cookbook (Chef) failed on a node: {cause}"


def test_start_of_the_network_plugin_is_no_finding() -> None:
    serves = '{"level":"info","msg":"Serving RPC Handler version v1.18.1 on 127.0.0.1:50051"}'
    assert findings(*of_log(serves)) == ()


@pytest.mark.parametrize("escaped", ["", "\\", "\\\\\\"])
def test_reason_of_the_network_plugin_is_named_in_quotations(escaped: str) -> None:
    text = (
        'failed to destroy network for sandbox "abc": plugin type="aws-cni" name="aws-cni" failed '
        "(delete): del cmd: error received from DelNetwork gRPC call: rpc error: code = Unavailable "
        'desc = connection error: desc = "transport: Error while dialing: dial tcp '
        '127.0.0.1:50051: connect: connection refused"'
    ).replace('"', f'{escaped}"')
    (found,) = findings(*of_log(text))
    assert "its daemon (ipamd) does not answer" in found.cause
    assert "127.0.0.1:50051: connect: connection" in found.cause
    assert "\\" not in found.cause


_WAITING = "message: '1/1 tasks in gang unschedulable: pod group is not ready, 1 Pending, 1 minAvailable.'"


def test_a_gang_that_has_a_place_or_ended_is_no_cause() -> None:
    assert [one.signature for one in findings(*of_log(_WAITING))] == ["gang"]
    for after in (
        "reason: tasks in gang are ready to be scheduled",
        "phase: Running",
        '"phase": "Running",',
    ):
        assert findings(*of_log(f"{_WAITING}\n  {after}\n")) == ()
    told = of_log(f"{_WAITING}\nphase: Running, but the gizmo is missing")
    assert [one.signature for one in findings(*told)] == ["gang"]
    for text in (
        "message: '1/0 tasks in gang unschedulable: pod group is not ready, 1 minAvailable.'",
        "0/1 tasks in gang unschedulable: pod group is not ready, 1 Succeeded, 4 minAvailable",
        "0/4 tasks in gang unschedulable: pod group is ready",
    ):
        assert findings(*of_log(text)) == ()

"""Signatures of the family `kubernetes`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of

NODES = "0/4 nodes are available: "
CASES = (
    (NODES + "4 node(s) had untolerated taint {clusterwright/acceptance: pending}.", "held-nodes"),
    (NODES + "4 node(s) had untolerated taint {team: a}.", "taint-not-tolerated"),
    (NODES + "2 node(s) had untolerated taint {team: a}, 2 Insufficient cpu.", "unschedulable"),
    (NODES + "1 Too many pods, 3 node(s) didn't match Pod's node selector.", "too-many-pods"),
    ('Failed to pull image "r/train:v1": manifest unknown', "image-not-found"),
    (
        'failed to resolve reference "r/train:v1": unexpected status from HEAD request: '
        "403 Forbidden",
        "image-refused",
    ),
    (
        'failed to resolve reference "r/train:v1": failed to authorize: failed to fetch oauth token: '
        "unexpected status: 403",
        "image-refused",
    ),
    (
        'Failed to pull image "1.dkr.ecr.us-east-1.amazonaws.com/r:v1": unauthorized: authentication '
        "required",
        "image-credentials",
    ),
    (
        "driver name s3.csi.aws.com not found in the list of registered CSI drivers",
        "csi-driver",
    ),
    (
        "dial unix /var/lib/kubelet/plugins/efs.csi.aws.com/csi.sock: connect: no such file or "
        "directory",
        "csi-driver",
    ),
    ('admission webhook "v.kueue.x-k8s.io" denied the request: no queue', "webhook-refusal"),
    ('"Unable to register node with API server" err="Unauthorized" node="a"', "kubelet-refused"),
    (
        '"command failed" err="failed to parse kubelet flag: unknown flag: --container-runtime"',
        "kubelet-start",
    ),
    (
        'pods "train-0" is forbidden: exceeded quota: compute, requested: nvidia.com/gpu=8',
        "resource-quota",
    ),
    ('Error: secret "hf-token" not found', "object-missing"),
    (NODES + 'persistentvolumeclaim "fsx-claim" not found.', "object-missing"),
    ("ERROR: bootstrap.sh has been removed from AL2023-based EKS AMIs.", "bootstrap-script"),
    (
        '"Unable to register node with API server" err="dial tcp 10.0.0.9:443: i/o timeout"',
        "kubelet-unregistered",
    ),
    (
        'error: no matches for kind "PyTorchJob" in version "kubeflow.org/v1"',
        "type-missing",
    ),
    ("Error: UPGRADE FAILED: another operation is in progress", "helm"),
    ("Error from server (Conflict): the object was changed", "api-error"),
    (
        'Failed to pull image "r/a:1": rpc error: Error response from daemon: toomanyrequests: Rate '
        "exceeded",
        "image-rate",
    ),
    ("Normal   Unschedulable  15s  volcano  queue resource quota insufficient", "queue-quota"),
    (
        "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in "
        "flavor p5, 8 more needed",
        "kueue-quota",
    ),
    (
        "couldn't assign flavors to pod set main: flavor p5 does not match node affinity",
        "kueue-flavor",
    ),
    (
        "GET https://123456789012.dkr.ecr.us-east-1.amazonaws.com/v2/a/manifests/1: 429 Too Many "
        "Requests",
        "image-rate",
    ),
    (
        "kubelet[4355]: E0724 11:18:46.682540 4355 reflector.go:125] Failed to list *v1.Service: "
        "Unauthorized",
        "kubelet-refused",
    ),
    (
        NODES + "3 node(s) had untolerated taint "
        "{sagemaker.amazonaws.com/node-health-status: Unschedulable}",
        "health-check-taint",
    ),
    (
        "failed to attach ENI: AttachmentLimitExceeded: Interface count 4 exceeds the limit for "
        "d3en.12xlarge",
        "interface-limit",
    ),
    (
        "InvalidInterface.IpAddressLimitExceeded: Address count 7 on interface-087bf941f13a906b1 "
        "exceeds the limit for t3.medium",
        "interface-limit",
    ),
    (
        "failed to ensure load balancer: could not find any suitable subnets for creating the ELB",
        "load-balancer-subnets",
    ),
    (
        "Failed build model due to couldn't auto-discover subnets: unable to discover at least one "
        "subnet",
        "load-balancer-subnets",
    ),
)


@pytest.mark.parametrize(("text", "signature"), CASES)
def test_message_has_its_signature(text: str, signature: str) -> None:
    assert signature_of("log", text) == (signature,)


@pytest.mark.parametrize(
    "text",
    [
        "Successfully assigned a/train-0 to ip-10-0-0-5",
        "Pulling image r/train:v1",
        'MountVolume: configmap "kube-root-ca.crt" not found',
        'Successfully pulled image "r/train:v1" in 3m20s',
        'registered CSI driver "fsx.csi.aws.com" at /plugins/fsx.csi.aws.com/csi.sock',
        '"Successfully registered node" node="ip-10-0-0-5.ec2.internal"',
        "Ensured load balancer for service default/nginx in subnets of two zones",
        "node ip-10-0-0-5 has label sagemaker.amazonaws.com/node-health-status=Schedulable",
    ],
)
def test_normal_messages_have_no_signature(text: str) -> None:
    assert signature_of("log", text) == ("unknown",)


@pytest.mark.parametrize(
    "text",
    [
        "INFO secret store: rate limit is 50/s",
        "INFO pulling shard 3/64 (rate limit 2 GB/s)",
        "INFO registry of optimizers: lr rate limit disabled",
        "INFO pulled batch; decreasing rate limit to 10 samples/s",
    ],
)
def test_rates_of_others_are_no_registrys(text: str) -> None:
    assert findings(*of_log(text)) == ()


def test_throttled_secret_is_no_registry() -> None:
    said = "An error occurred (ThrottlingException) when calling the GetSecretValue operation: Rate exceeded"
    assert signature_of("log", said) == ("throttled",)


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        (
            'failed to get sandbox image "602401143452.dkr.ecr.us-east-1.amazonaws.com/eks/pause:3.5": failed to pull image: dial tcp 52.46.1.1:443: i/o timeout',
            "pause-image",
        ),
    ],
)
def test_similar_line_of_another_cause(text: str, signature: str) -> None:
    assert signature not in signature_of("log", text)


@pytest.mark.parametrize(
    ("message", "begins"),
    [
        ("NoCredentialProviders: no valid providers in chain", "Kubernetes: credentials are"),
        ("dial tcp: lookup sts.amazonaws.com: no such host", "Kubernetes: a name cannot"),
        ("spec.queue: missing credentials", "Kubernetes: credentials are"),
        ("spec.replicas must be 1 or more", "Kubernetes: the admission webhook v.example.org"),
    ],
)
def test_webhook_refuses_for_a_failure_of_its_own(message: str, begins: str) -> None:
    text = f'Error from server: admission webhook "v.example.org" denied the request: {message}'
    (found,) = findings(*of_log(text))
    assert found.cause.startswith(begins)
    assert message in found.cause

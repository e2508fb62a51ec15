"""Errors of EKS's network plug-in and of Karpenter."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_eks import KARPENTER, VPC_CNI
from tests.diagnosis.made import findings, of_log

_CNI = '{{"level":"error","ts":"2026-05-12T01:14:59Z","caller":"{}:21","msg":"{}"}}'
_KARPENTER = (
    '{{"level":"ERROR","time":"2026-12-09T14:48:32.537Z","logger":"controller","message":'
    '"Reconciler error","controller":"{}","error":"{}"}}'
)
PLUGIN = (
    ("aws-vpc-cni/main.go", "WARM_IP_TARGET must be 1 or more", "an environment variable"),
    ("eventrecorder/eventrecorder.go", "Failed to find host aws-node pod: a", "Kubernetes API"),
    ("routed-eni-cni-plugin/cni.go", "Failed to delete pod network policy", "network policies"),
    ("awsutils/awsutils.go", "Failed to detach ENI eni-1", "EC2 refuses"),
    ("datastore/data_store.go", "Prefix is in use", "addresses of pods"),
    ("egress-cni-plugin/egressContext.go", "setup host snat failed", "interface or routes"),
    ("networkutils/network.go", "host network setup: failed to add rule", "of the node cannot be"),
    ("cni-metrics-helper/main.go", "Failed to create publisher", "metrics"),
    ("aws-k8s-agent/main.go", "Failed to set up gRPC handler", "does not start"),
)
NODES = (
    ("all requested instance types were unavailable during launch", "has capacity"),
    ("validating kubernetes version, a", "does not fit"),
    ("receiving sqs messages, a", "queue (SQS)"),
    ("evaluating maxPods expression, a", "a setting of a NodePool"),
    ("describing subnets with filters, a", "what a NodeClass names"),
    ("creating fleet request, a", "cannot be launched"),
    ("draining node, a", "cannot be emptied"),
    ("tracking topology counts, a", "pods cannot be planned"),
    ("no nodeclaim exists with id", "does not exist"),
    ("listing daemonsets, a", "objects of the cluster"),
)


@pytest.mark.parametrize(("caller", "message", "words"), PLUGIN)
def test_message_of_the_plug_in_is_of_its_part(caller: str, message: str, words: str) -> None:
    (found,) = findings(*of_log(_CNI.format(caller, message)))
    assert words in found.cause


@pytest.mark.parametrize(("message", "words"), NODES)
def test_message_of_karpenter_is_of_its_part(message: str, words: str) -> None:
    assert words in (KARPENTER.error(_KARPENTER.format("nodeclaim.lifecycle", message)) or "")
    assert KARPENTER.error(_KARPENTER.format("job", message)) is None


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ("InvalidAMIID.NotFound: The image id '[ami-0]' does not exist", "does not exist, or is"),
        ("InvalidIamInstanceProfile: Value (a) for parameter is invalid.", "invalid request"),
        ("InvalidParameterCombination: a and b do not fit", "invalid request"),
        ("VcpuLimitExceeded: You have requested more vCPU capacity than your limit", "a quota"),
        ("InvalidFleetConfiguration: a is not supported by the AMI", "invalid request"),
        ("UnfulfillableCapacity: a; InvalidParameterCombination: b", "role or a limit of EC2"),
        ("UnfulfillableCapacity: Unable to fulfill", "has capacity"),
        ("InsufficientInstanceCapacity: a; ReservationCapacityExceeded: b", "has capacity"),
    ],
)
def test_error_of_a_fleet_is_that_of_its_codes(errors: str, words: str) -> None:
    message = f"creating instance, with fleet error(s), {errors}"
    said = (KARPENTER.error(_KARPENTER.format("nodeclaim.lifecycle", message)) or "").partition(
        ": creating"
    )[0]
    assert words in said
    assert ("has capacity" in said) == (words == "has capacity")


def test_every_part_has_a_message_here() -> None:
    said = [VPC_CNI.error(_CNI.format(caller, message)) or "" for caller, message, _ in PLUGIN]
    said += [KARPENTER.error(_KARPENTER.format("node", m)) or "" for m, _ in NODES]
    assert all(any(p.wrong in t for t in said) for p in (*VPC_CNI.parts, *KARPENTER.parts))


def test_what_the_plug_in_tries_again_is_harmless() -> None:
    line = _CNI.format("datastore/data_store.go", "DataStore has no available IP/Prefix addresses")
    assert findings(*of_log(line)) == ()


@pytest.mark.parametrize(
    "message",
    [
        "waiting on cluster sync",
        "syncing node, Operation cannot be fulfilled on nodes a: the object has been modified; "
        "please apply your changes to the latest version and try again",
    ],
)
def test_what_karpenter_tries_again_is_harmless(message: str) -> None:
    assert findings(*of_log(_KARPENTER.format("nodeclaim.lifecycle", message))) == ()


def test_line_of_an_earlier_release_of_karpenter_is_read() -> None:
    text = (
        "2023-02-21T22:43:08.810Z\tERROR\tcontroller\tReconciler error\t"
        '{"controller": "awsnodetemplate", "error": "describing security groups [], '
        "InvalidParameterValue: The filter 'null' is invalid\\n\\tstatus code: 400, request id: 1\"}"
    )
    (found,) = findings(*of_log(text))
    assert found.cause.startswith("Karpenter: it cannot find what a NodeClass names")

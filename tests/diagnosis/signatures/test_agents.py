"""Signatures of the family `agents`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, item, of_log, signature_of

CASES = (
    (
        "coreos-metadata[641]: http://169.254.169.254/2009-04-04/meta-data/instance-id: timed out",
        "link-local",
    ),
    ("DataSourceEc2.py[WARNING]: IMDS's HTTP endpoint is probably disabled", "link-local"),
    (
        '{"level":"info","msg":"sending condition to exporter","condition":{"Reason":"NvidiaXID79Error",'
        '"Message":"XID 79","Severity":"Fatal","MinOccurrences":0},"conditionType":'
        '"AcceleratedHardwareReady"}',
        "node-condition",
    ),
    (
        "  NetworkingReady   False   Mon, 23 Nov 2026 08:00:00 +0000   Mon, 23 Nov 2026 08:00:00 +0000   "
        "InterfaceNotUp   eth1 is down",
        "node-condition",
    ),
    (
        "slurmctld: update_node: node q-st-p5-1 reason set to: Static node maintenance: unhealthy node "
        "is being replaced",
        "pcluster-unhealthy",
    ),
    ("Message: Node not registered with cluster", "node-claim"),
    (
        '{"level":"DEBUG","message":"terminating due to timeout","timeout":"15m0s",'
        '"reason":"registration_timeout"}',
        "node-claim-timeout",
    ),
    (
        "DataSourceEc2.py[CRITICAL]: Giving up on md from "
        "['http://169.254.169.254/2009-04-04/meta-data/instance-id'] after 126 seconds",
        "link-local",
    ),
    ("ERROR - No valid clustermgtd heartbeat detected, clustermgtd is down!", "clustermgtd-down"),
    (
        'csinodes.storage.k8s.io "i-1" is forbidden: User "system:node:i-1.ec2.internal" cannot get '
        'resource "csinodes" in API group "storage.k8s.io" at the cluster scope: can only access '
        "CSINode with the same name as the requesting node",
        "node-name-differs",
    ),
    ("curl: (28) Connection timed out after 5000 ms: 169.254.170.23", "link-local"),
    ("Failed to connect to 169.254.169.254 port 80: Connection refused", "link-local"),
    (
        "An error occurred (AccessDenied) when calling the AssumeRoleWithWebIdentity operation: Not "
        "authorized to perform sts:AssumeRoleWithWebIdentity",
        "pod-role",
    ),
    ("Access denied to resource 'job-1' in namespace 'team-a'.", "namespace-access"),
    ("Slurm accounting storage is disabled", "no-accounting"),
    ("[ERROR] Received import response from node id 3 with failure status 3", "imex-memory"),
)


@pytest.mark.parametrize(("text", "signature"), CASES)
def test_message_has_its_signature(text: str, signature: str) -> None:
    assert {found.signature for found in findings(*of_log(text))} == {signature}


@pytest.mark.parametrize(
    ("address", "service"),
    [
        ("169.254.169.253", "the DNS resolver of the VPC"),
        ("169.254.170.23", "the EKS Pod Identity agent"),
        ("169.254.169.254", "the metadata service of EC2 (IMDS)"),
    ],
)
def test_addresses_of_aws_are_named_and_need_no_internet(address: str, service: str) -> None:
    (found,) = findings(*of_log(f"curl: (7) Failed to connect to {address} port 80 after 0 ms"))
    assert service in found.cause
    assert "internet" not in found.cause


def test_conditions_that_are_not_fatal_say_nothing() -> None:
    told = (
        '{"level":"info","msg":"sending condition to exporter","condition":{"Reason":"NvidiaXID43Warning",'
        '"Message":"XID 43","Severity":"Warning"},"conditionType":"AcceleratedHardwareReady"}'
    )
    ready = "  KernelReady   True   Mon, 23 Nov 2026 08:00:00 +0000   KernelIsReady   Monitoring is active"
    assert findings(*of_log(f"{told}\n{ready}")) == ()


def test_reason_of_a_node_in_the_published_state_is_known_too() -> None:
    (found,) = findings(
        item("scheduler-node", "Scheduler health check failed", failed=True, node="q-1")
    )
    assert (found.signature, found.resources) == ("pcluster-unhealthy", ("q-1",))


def test_other_refusals_of_access_keep_their_signature() -> None:
    text = 'pods is forbidden: User "ada" cannot list resource "pods" in API group "" in the namespace "x"'
    assert signature_of("log", text) == ("kubernetes-access",)


def test_instance_that_boots_is_no_failure_of_karpenter() -> None:
    said = "Status: Unknown, Message: Node not registered with cluster, Reason: NodeNotFound"
    (found,) = findings(*of_log(said))
    assert (found.signature, found.severity) == ("node-claim", "info")


@pytest.mark.parametrize(
    ("condition", "begins"),
    [
        ("KernelReady", "the kernel of the node reports errors"),
        ("NetworkingReady", "the network of the node does not work"),
        ("AcceleratedHardwareReady", "GPU: a GPU, a Neuron device or EFA"),
    ],
)
def test_only_a_condition_of_accelerators_is_of_the_gpu(condition: str, begins: str) -> None:
    said = f"Reason: XIDWarn Message: Xid 94 Severity: Fatal conditionType: {condition}"
    (found,) = findings(*of_log(said))
    assert found.cause.startswith(begins)


@pytest.mark.parametrize(
    "line",
    [
        "url_helper.py[WARNING]: Timed out connecting to http://169.254.169.254/latest/meta-data, "
        "attempt 0 of 5",
        "url_helper.py[WARNING]: Calling 'http://169.254.169.254/latest/api/token' failed [50/120s]: "
        "request error [Connection to 169.254.169.254 timed out. (connect timeout=50.0)]",
    ],
)
def test_attempt_that_is_followed_by_others_is_no_failure(line: str) -> None:
    assert findings(*of_log(f"{line}\ncloud-init finished")) == ()
    assert findings(*of_log(line)) == ()

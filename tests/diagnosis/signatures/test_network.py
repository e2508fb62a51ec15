"""Signatures of the family `network`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of

CASES = (
    (
        "log",
        "F0818 18:26:48.927147       1 leader_election.go:182] stopped leading",
        "leader-lost",
    ),
    (
        "log",
        'I1130 10:00:00.1 1 leaderelection.go:302] "Failed to renew lease" lock="kueue-system/x" '
        'err="context deadline exceeded"',
        "leader-lost",
    ),
    (
        "log",
        "I1130 10:00:00.1 1 leaderelection.go:283] failed to renew lease kube-system/x: timed out "
        "waiting for the condition",
        "leader-lost",
    ),
    ("log", "Unable to connect to the server: Connection timed out", "api-server"),
    ("log", "ena 0000:00:05.0 eth0: TX hasn't completed, qid 3, index 812", "ena"),
    (
        "log",
        "curl: (28) Failed to connect to downloads.example.org port 443 after 130 ms: Connection timed out",
        "internet-unreachable",
    ),
    (
        "stack-event",
        "private-dns-enabled cannot be set because there is already a conflicting DNS domain for s3.us-east-1.amazonaws.com in the VPC",
        "endpoint-conflict",
    ),
    (
        "stack-event",
        "InvalidParameterException: The subnet(s) provided belong to a VPC with unsupported "
        "tenancy. Only subnets from VPCs with default tenancy are supported",
        "vpc-tenancy",
    ),
    (
        "log",
        "Failed to CreateNetworkInterface InvalidParameterValue: There aren't sufficient free Ipv4 "
        "addresses or prefixes",
        "subnet-addresses",
    ),
    (
        "log",
        'Get "https://172.20.0.1:443/api/v1/nodes/ip-10-0-0-1": dial tcp 172.20.0.1:443: i/o timeout',
        "api-server",
    ),
    ("node-group", "Ec2SubnetNotFound: subnet-0a1b2c3d does not exist", "subnet-missing"),
    (
        "stack-event",
        "The DB instance and EC2 security group are in different VPCs.",
        "vpc-differs",
    ),
    ("log", "E: Unable to locate package libmunge-dev", "apt-offline"),
    ("log", "sinfo: error: _establish_config_source: failed to fetch config", "client-configless"),
    ("stack-event", "The CIDR '10.0.0.0/24' conflicts with another subnet", "cidr-conflict"),
    (
        "log",
        "[ERROR] plugin/errors: 2 a.example. A: read udp 10.0.0.3:5->10.0.0.2:53: i/o timeout",
        "cluster-dns",
    ),
    ("log", "Unable to connect to the server: dial tcp 10.0.0.9:443: i/o timeout", "api-server"),
    (
        "stack-event",
        "Amazon FSx cannot create your file system because the security group(s) provided do not "
        "allow outbound (egress) connectivity on the following port(s): UDP 53,88",
        "security-group-closed",
    ),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


_STOPPED = (
    'error received after stop sequence was engaged {"error": "leader election lost"}',
    "F1130 10:00:05.000000 1 main.go:20] stopped leading",
    '{"level":"error","msg":"problem running manager","error":"leader election lost"}',
    "I1130 10:00:05.1 1 leaderelection.go:283] failed to renew lease kube-system/x: timed out "
    "waiting for the condition",
)


@pytest.mark.parametrize("lost", _STOPPED)
@pytest.mark.parametrize(
    "asked",
    [
        "I1130 10:00:00.000000 1 main.go:10] received SIGTERM, shutting down",
        "I1130 10:00:00.000000 1 main.go:10] Received signal: terminated",
        '{"level":"info","msg":"Caught signal","signal":"terminated"}',
        "I1130 10:00:00.1 1 main.go:10] Received termination, signaling shutdown",
        "I1130 10:00:00.1 1 leaderelection.go:293] failed to renew lease a/x: context canceled",
    ],
)
def test_lease_that_ends_with_a_stop_that_was_asked_for_is_not_lost(asked: str, lost: str) -> None:
    assert findings(*of_log(f"{asked}\n{lost}\n")) == ()


def test_lease_of_another_pod_or_of_the_next_start_is_lost() -> None:
    asked = "I1130 10:00:00.000000 1 main.go:10] received SIGTERM, shutting down\n"
    again = "I1130 10:00:09.1 1 leaderelection.go:254] successfully acquired lease kube-system/x\n"
    (found,) = findings(*of_log(asked + again + _STOPPED[1]))
    assert found.signature == "leader-lost"
    (found,) = findings(*of_log(f"[pod/a-1/manager] {asked}[pod/a-2/manager] {_STOPPED[1]}"))
    assert found.signature == "leader-lost"


@pytest.mark.parametrize(
    "line",
    [
        "I1130 10:00:00.1 1 leaderelection.go:293] failed to renew lease kueue-system/x: context "
        "canceled",
        'I1130 10:00:00.1 1 leaderelection.go:302] "Failed to renew lease" lock="kueue-system/x" '
        'err="context canceled"',
        "I1130 10:00:05.000000 1 main.go:20] stopped leading",
    ],
)
def test_lease_that_is_given_back_is_not_lost(line: str) -> None:
    assert findings(*of_log(f"{line}\n{_STOPPED[0]}")) == ()


@pytest.mark.parametrize(
    "reason",
    [
        "proxyconnect tcp: dial tcp 10.1.1.1:3128: i/o timeout",
        "proxyconnect tcp: dial tcp 10.1.1.1:443: i/o timeout",
        "dial tcp: lookup ABC.eks.amazonaws.com on 10.0.0.2:53: read udp: i/o timeout",
        "dial tcp: lookup ABC.eks.amazonaws.com on 10.0.0.2:53: server misbehaving",
        "dial tcp 127.0.0.1:6443: connect: connection refused",
        "x509: certificate signed by unknown authority",
        "getting credentials: exec: executable aws failed with exit code 255",
        "context canceled",
    ],
)
def test_server_that_is_not_reached_for_another_reason(reason: str) -> None:
    found = findings(*of_log(f"Unable to connect to the server: {reason}"))
    assert "api-server" not in {f.signature for f in found}
    assert not any("kube-proxy" in f.cause for f in found)


def test_endpoint_whose_name_is_not_resolved_is_named() -> None:
    (found,) = findings(
        *of_log(
            "Unable to connect to the server: dial tcp: lookup ABC.eks.amazonaws.com on "
            "10.0.0.2:53: server misbehaving"
        )
    )
    assert "ABC.eks.amazonaws.com" in found.cause


@pytest.mark.parametrize("reason", ["access denied for user 'x'", "Connection timed out"])
def test_server_of_another_program_is_not_that_of_the_cluster(reason: str) -> None:
    line = f"mysql: Unable to connect to the server: {reason}, falling back to sqlite"
    assert "api-server" not in {f.signature for f in findings(*of_log(line))}


@pytest.mark.parametrize("before", ["", "error: ", "kubectl: ", "2026-11-30T10:00:00Z "])
@pytest.mark.parametrize(
    "reason",
    [
        "net/http: TLS handshake timeout",
        "context deadline exceeded",
        "net/http: request canceled while waiting for connection (Client.Timeout exceeded)",
        "dial tcp 10.0.0.9:8443: connect: no route to host",
    ],
)
def test_api_server_that_does_not_answer(before: str, reason: str) -> None:
    (found,) = findings(*of_log(f"{before}Unable to connect to the server: {reason}"))
    assert found.signature == "api-server"


@pytest.mark.parametrize(
    ("name", "signature"),
    [("db.a.svc.cluster.local.", "node-dns-cache"), ("s3.amazonaws.com.", "cluster-dns")],
)
def test_name_of_the_cluster_is_asked_of_coredns(name: str, signature: str) -> None:
    text = f"[ERROR] plugin/errors: 2 {name} A: dial tcp 172.20.29.6:53: i/o timeout"
    (found,) = findings(*of_log(text))
    assert found.signature == signature

"""Signatures of the family `network`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import signature_of

CASES = (
    (
        "log",
        "F0818 18:26:48.927147       1 leader_election.go:182] stopped leading",
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
    ("log", "sinfo: error: _establish_config_source: failed to fetch config", "configless"),
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

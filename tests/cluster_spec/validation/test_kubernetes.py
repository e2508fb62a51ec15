"""Access to the control plane of EKS, and installed components."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import kubernetes
from tests.support.rich_specs import ACCOUNT, EKS, EKS_MINIMAL, EXISTING, HYPERPOD_EKS
from tests.support.validation import found

ROLE = f"arn:aws:iam::{ACCOUNT}:role/people"
ONE = {"principal_arn": ROLE, "policy": "view"}
POD = {
    "namespace": "a",
    "service_account": "loader",
    "role_arn": ROLE,
}


def test_consistent_specs_pass() -> None:
    assert found(kubernetes.problems) == {}
    assert found(kubernetes.problems, base=EKS) == {}
    assert found(kubernetes.problems, base=EKS_MINIMAL) == {}
    assert found(kubernetes.problems, base=HYPERPOD_EKS) == {}


@pytest.mark.parametrize(
    ("changes", "path", "words"),
    [
        (
            {"kubernetes.public_access_cidrs": ["0.0.0.0/0"]},
            "kubernetes.public_access_cidrs[0]",
            "the API server would be reachable from the whole internet",
        ),
        (
            {"kubernetes.public_access_cidrs": ["198.51.100.0/24", "128.0.0.0/0"]},
            "kubernetes.public_access_cidrs[1]",
            "is not a CIDR range",
        ),
        (
            {"kubernetes.public_access_cidrs": ["10.1.0.0/16"]},
            "kubernetes.public_access_cidrs[0]",
            "is a private range",
        ),
        (
            {"kubernetes.public_access_cidrs": ["198.51.100.0/24", "198.51.100.0/24"]},
            "kubernetes.public_access_cidrs[1]",
            "duplicate ",
        ),
        (
            {"kubernetes.public_access_cidrs": ["198.51.100.7/24"]},
            "kubernetes.public_access_cidrs[0]",
            "is not a CIDR range",
        ),
        (
            {"kubernetes.private_access_cidrs": ["0.0.0.0/0"]},
            "kubernetes.private_access_cidrs[0]",
            "every connected network could reach the API server",
        ),
        (
            {"kubernetes.private_access_cidrs": ["10.9.0.1/16"]},
            "kubernetes.private_access_cidrs[0]",
            "is not a CIDR range",
        ),
        (
            {"kubernetes.private_access_cidrs": ["10.9.0.0/16", "10.9.0.0/16"]},
            "kubernetes.private_access_cidrs[1]",
            "duplicate ",
        ),
        (
            {"network.second_availability_zone_id": "use1-az3"},
            "network.second_availability_zone_id",
            "EKS does not support control plane subnets in use1-az3",
        ),
        (
            {"network.second_availability_zone_id": "use1-atl2-az1"},
            "network.second_availability_zone_id",
            "EKS does not support control plane subnets in use1-atl2-az1",
        ),
        (
            {"kubernetes.admin_role": False},
            "kubernetes.admin_role",
            "no principal could administer the cluster",
        ),
        (
            {"kubernetes.access": [{"principal_arn": ROLE}]},
            "kubernetes.access[0]",
            "an entry without a policy and groups has no effect",
        ),
        (
            {"kubernetes.access": [{"principal_arn": ROLE, "groups": ["a"], "namespaces": ["b"]}]},
            "kubernetes.access[0].namespaces",
            "`namespaces` requires a policy",
        ),
        (
            {"kubernetes.access": [{**ONE, "policy": "cluster-admin", "namespaces": ["b"]}]},
            "kubernetes.access[0].namespaces",
            "cluster-admin cannot be limited to namespaces",
        ),
        (
            {"kubernetes.access": [{**ONE, "groups": ["system:masters"]}]},
            "kubernetes.access[0].groups[0]",
            "is reserved",
        ),
        (
            {"kubernetes.access": [{**ONE, "namespaces": ["a", "a"]}]},
            "kubernetes.access[0].namespaces[1]",
            "duplicate ",
        ),
        ({"kubernetes.access": [ONE, ONE]}, "kubernetes.access[1].principal_arn", "duplicate "),
        (
            {"kubernetes.access": [{**ONE, "principal_arn": ROLE.replace("aws:", "aws-cn:", 1)}]},
            "kubernetes.access[0].principal_arn",
            "the ARN is not in the partition aws",
        ),
        (
            {"kubernetes.addons": [{"name": "vpc-cni", "version": "v1.18.2-eksbuild.9"}]},
            "kubernetes.addons[0].version",
            "vpc-cni must be version 1.18.3 or later, which",
        ),
        (
            {"kubernetes.addons": [{"name": "coredns"}, {"name": "coredns"}]},
            "kubernetes.addons[1].name",
            "duplicate ",
        ),
        (
            {"kubernetes.addons": [{"name": "aws-fsx-csi-driver"}]},
            "kubernetes.addons[0].name",
            "no Lustre file system",
        ),
        (
            {"kubernetes.pod_identities": [POD, {**POD, "role_arn": f"{ROLE}-2"}]},
            "kubernetes.pod_identities[1]",
            "duplicate ",
        ),
        (
            {
                "kubernetes.pod_identities": [
                    {**POD, "role_arn": "arn:aws:iam::999999999999:role/x"}
                ]
            },
            "kubernetes.pod_identities[0].role_arn",
            "the role is in account 999999999999, the cluster in",
        ),
        (
            {"kubernetes.control_plane_logs": ["api", "audit", "api"]},
            "kubernetes.control_plane_logs[2]",
            "duplicate ",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, words: str) -> None:
    problems = found(kubernetes.problems, changes, EKS_MINIMAL)
    assert list(problems) == [path]
    assert words in problems[path]


@pytest.mark.parametrize("version", ["v1.18.3-eksbuild.1", "v1.100.0-eksbuild.1", None])
def test_network_plugin_versions_with_efa_only(version: str | None) -> None:
    addons = [{"name": "vpc-cni", "version": version}]
    assert found(kubernetes.problems, {"kubernetes.addons": addons}, EKS_MINIMAL) == {}


def test_administrator_is_required_without_the_role() -> None:
    changes = {
        "kubernetes.admin_role": False,
        "kubernetes.access": [{**ONE, "policy": "cluster-admin"}],
    }
    assert found(kubernetes.problems, changes, EKS_MINIMAL) == {}


def test_existing_network_requires_control_plane_subnets() -> None:
    path = "network.existing.control_plane_subnet_ids"
    existing = {
        "vpc_id": "vpc-0a1b2c3d4e5f60718",
        "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
        "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
    }
    for subnets, words in (
        ([], "two subnets in two zones"),
        (["subnet-0a1b2c3d4e5f60718"], "two subnets in two zones"),
    ):
        changes = {"network.existing": {**existing, "control_plane_subnet_ids": subnets}}
        problems = found(kubernetes.problems, changes, EKS_MINIMAL)
        assert words in problems[path]
    both = ["subnet-0a1b2c3d4e5f60718", "subnet-0a1b2c3d4e5f60719"]
    changes = {
        "network.existing": {**existing, "control_plane_subnet_ids": both},
        "kubernetes.private_access_cidrs": ["10.9.0.0/16"],
    }
    problems = found(kubernetes.problems, changes, EKS_MINIMAL)
    assert (
        "security groups of an existing network are never modified"
        in problems["kubernetes.private_access_cidrs"]
    )
    twice = ["subnet-0a1b2c3d4e5f60718"] * 2
    changes = {"network.existing": {**existing, "control_plane_subnet_ids": twice}}
    assert list(found(kubernetes.problems, changes, EKS_MINIMAL)) == [f"{path}[1]"]
    changes = {path: ["subnet-0a1b2c3d4e5f60718"]}
    assert "has no EKS control plane" in found(kubernetes.problems, changes, EXISTING)[path]

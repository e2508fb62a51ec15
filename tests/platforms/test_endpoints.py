"""Services that nodes call, by what the spec uses."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.endpoints import gateway_services, interface_services
from tests.support.rich_specs import EXISTING, ON_EKS, ON_PARALLELCLUSTER
from tests.support.specs import LUSTRE, SMALL
from tests.support.validation import cluster

CLOSED = {"network.egress": "closed"}
SMALLEST = [
    *("ec2", "ec2messages", "kms", "logs", "monitoring", "sagemaker.api", "ssm"),
    *("ssmmessages", "sts"),
]


def interfaces(changes: dict[str, Any], base: dict[str, Any] = SMALL) -> list[str]:
    return [service.name for service in interface_services(cluster(changes, base))]


def test_a_closed_network_needs_interface_endpoints() -> None:
    assert interfaces(CLOSED) == SMALLEST


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"storage.lustre": [LUSTRE]}, "fsx"),
        ({"slurm.accounting": {"kind": "rds"}}, "secretsmanager"),
        ({"slurm.configuration": "scripted"}, "secretsmanager"),
        ({"observability.prometheus": True}, "aps-workspaces"),
    ],
)
def test_a_feature_adds_its_service(changes: dict[str, Any], name: str) -> None:
    assert set(interfaces({**CLOSED, **changes})) == {*SMALLEST, name}


def test_session_manager_has_three_services() -> None:
    without = interfaces({**CLOSED, "identity.session_manager": False})
    assert set(SMALLEST) - set(without) == {"ec2messages", "ssm", "ssmmessages"}


def test_containers_pull_from_the_registry() -> None:
    found = interfaces({**CLOSED, "slurm.containers.pyxis": True})
    assert set(found) - set(SMALLEST) == {"ecr.api", "ecr.dkr"}


def test_parallelcluster_signals_its_stack() -> None:
    found = interfaces(CLOSED, ON_PARALLELCLUSTER)
    assert "cloudformation" in found
    assert not {"sagemaker.api", "elasticloadbalancing"} & set(found)


def test_pods_need_the_endpoints_of_eks() -> None:
    assert {"eks", "eks-auth", "ecr.api", "ecr.dkr"} <= set(interfaces(CLOSED, ON_EKS))


def test_other_networks_need_none() -> None:
    assert interfaces({"network.egress": "nat"}) == []
    assert interface_services(cluster(base=EXISTING)) == []


@pytest.mark.parametrize(
    ("changes", "base", "names"),
    [
        ({}, SMALL, ["s3"]),
        ({}, ON_PARALLELCLUSTER, ["s3", "dynamodb"]),
        (
            {"storage.buckets": [{"name": "shuffle", "create": True, "directory": True}]},
            SMALL,
            ["s3", "s3express"],
        ),
    ],
)
def test_gateway_endpoints(
    changes: dict[str, Any], base: dict[str, Any], names: list[str]
) -> None:
    assert [service.name for service in gateway_services(cluster(changes, base))] == names

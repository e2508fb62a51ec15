"""Versions, add-ons, names and ranges of the control plane of EKS."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.kubernetes.control_plane import (
    AFTER_NODES,
    BEFORE_NODES,
    HYPERPOD_VERSIONS,
    VERSIONS,
    addons,
    cluster_name,
    configuration_values,
    log_group,
    mounted_buckets,
    service_cidr,
    version,
)
from tests.support.rich_specs import ON_EKS, ON_PLAIN_EKS
from tests.support.specs import LUSTRE
from tests.support.validation import cluster

ALWAYS = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent", "coredns", "metrics-server")
MOUNTED = [{"name": "corpus", "mount_path": "/s3/corpus"}, {"name": "results", "create": True}]


def names(changes: dict[str, Any], base: dict[str, Any]) -> list[str]:
    return [addon.name for addon in addons(cluster(changes, base))]


def test_support_of_a_version_ends_after_its_release() -> None:
    assert [item.name for item in VERSIONS] == sorted(HYPERPOD_VERSIONS, reverse=True)
    for item in VERSIONS:
        assert item.released is None or item.released < item.end_of_standard
        assert item.end_of_standard < item.end_of_extended
    assert version("1.34") is VERSIONS[1]
    assert version("1.29") is None


def test_names_are_those_of_the_environment() -> None:
    spec = cluster(base=ON_EKS)
    assert cluster_name(spec) == "rich"
    assert log_group(spec) == "/aws/eks/rich/cluster"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "172.20.0.0/16"),
        ({"network.cidr": "172.20.0.0/16"}, "10.100.0.0/16"),
        ({"network.cidr": "10.0.0.0/8", "network.peered_cidrs": ["172.16.0.0/12"]}, None),
        ({"kubernetes.service_cidr": "192.168.0.0/16"}, "192.168.0.0/16"),
    ],
)
def test_the_range_of_services_overlaps_no_other(
    changes: dict[str, Any], expected: str | None
) -> None:
    assert service_cidr(cluster(changes, ON_PLAIN_EKS)) == expected


def test_add_ons_in_the_order_of_installation() -> None:
    assert names({"kubernetes.addons": []}, ON_EKS) == list(ALWAYS)
    found = names(
        {"storage.lustre": [{**LUSTRE, "efa": False}], "storage.buckets": MOUNTED}, ON_PLAIN_EKS
    )
    assert found == [
        *ALWAYS[:4],
        "aws-fsx-csi-driver",
        "aws-mountpoint-s3-csi-driver",
        "metrics-server",
        "eks-node-monitoring-agent",
    ]
    order = [*BEFORE_NODES, *AFTER_NODES]
    assert sorted(found, key=order.index) == found


def test_a_named_add_on_has_its_version() -> None:
    pinned = [{"name": "vpc-cni", "version": "v1.19.0-eksbuild.1"}]
    found = addons(cluster({"kubernetes.addons": pinned}, ON_PLAIN_EKS))
    assert [(a.name, a.version) for a in found[:2]] == [
        ("vpc-cni", "v1.19.0-eksbuild.1"),
        ("kube-proxy", None),
    ]


def test_only_buckets_with_a_mount_path_are_mounted() -> None:
    spec = cluster({"storage.buckets": MOUNTED}, ON_PLAIN_EKS)
    assert [bucket.name for bucket in mounted_buckets(spec)] == ["corpus"]


def test_configuration_of_add_ons() -> None:
    assert configuration_values("vpc-cni") == {
        "enableNetworkPolicy": "true",
        "env": {"MINIMUM_IP_TARGET": "10", "WARM_IP_TARGET": "2"},
    }
    assert configuration_values("aws-mountpoint-s3-csi-driver") == {
        "node": {"tolerateAllTaints": True}
    }
    assert configuration_values("coredns") == {}

"""The versions that a spec declares or implies."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models import Cluster
from clusterwright.platforms import software
from tests.support import specs

CATALOG = load_catalog()


def cluster_of(changes: dict[str, Any]) -> Cluster:
    with tempfile.TemporaryDirectory() as folder:
        return specs.load(Path(folder), changes).cluster


def stated(changes: dict[str, Any], index: int = 1) -> dict[str, str]:
    cluster = cluster_of(changes)
    return software.stated(cluster, cluster.compute[index], CATALOG)


def test_versions_of_the_cluster_apply_to_groups_that_have_the_component() -> None:
    changes = {"software": {"nccl": "2.27.5", "efa_installer": "1.50.0", "slurm": "25.11.8"}}
    assert stated(changes) == changes["software"]
    assert stated(changes, index=0) == {"slurm": "25.11.8"}


def test_versions_of_a_group_replace_those_of_the_cluster() -> None:
    changes = {"software": {"nccl": "2.27.5"}, "compute.1.software": {"nccl": "2.29.7"}}
    assert stated(changes) == {"nccl": "2.29.7"}


def test_driver_of_the_image_is_a_declaration() -> None:
    image = {"image": {"image_id": "ami-0123456789abcdef0", "nvidia_driver": "595.91.07"}}
    assert stated(image) == {"nvidia_driver": "595.91.07"}
    cluster = cluster_of(image)
    found = software.declared(cluster, 1, cluster.compute[1], CATALOG)
    assert found["nvidia_driver"].path == ("image", "nvidia_driver")
    assert found["nvidia_driver"].is_stated


def test_other_keys_imply_versions() -> None:
    cluster = cluster_of({"platform": "parallelcluster", "parallelcluster.os": "rhel9"})
    found = software.declared(cluster, 1, cluster.compute[1], CATALOG)
    assert {name: each.version for name, each in found.items()} == {
        "os": "rhel-9",
        "instance_type": "p5.48xlarge",
    }
    assert not any(each.is_stated for each in found.values())
    eks = cluster_of(
        {
            "platform": "eks",
            "compute": [
                {"name": "w", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}
            ],
            "kubernetes.addons": [{"name": "vpc-cni", "version": "v1.19.0-eksbuild.1"}],
        }
    )
    found = software.declared(eks, 0, eks.compute[0], CATALOG)
    assert found["vpc_cni"].path == ("kubernetes", "addons", 0, "version")
    assert {"kubernetes", "nvidia_device_plugin", "efa_device_plugin"} <= found.keys()


def test_default_charts_and_kubernetes_version_work_together() -> None:
    """No spec that `init` writes begins with an incompatibility."""
    for changes in ({"kubernetes.autoscaling": "karpenter", "compute.0.max_count": 8}, {}):
        eks = cluster_of(
            {
                "platform": "eks",
                "compute": [
                    {"name": "w", "role": "compute", "instance_type": "p6-b200.48xlarge",
                     "count": 4}
                ],
                **changes,
            }
        )  # fmt: skip
        versions = software.declared(eks, 0, eks.compute[0], CATALOG)
        found = software.findings(eks, versions)
        assert {each.verdict for each in found} <= {"works", "unknown"}
        assert found


def test_every_component_of_the_spec_has_a_title() -> None:
    from typing import get_args

    from clusterwright.cluster_spec.models.software import Component

    assert set(get_args(Component)) <= set(software.model()["components"])
    assert set(software.CHARTS.values()) <= set(software.model()["components"])
    assert software.title("nccl") == "NCCL"

"""Karpenter is configured in different sections on the platforms with Kubernetes."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.platforms.registry import PlatformName
from tests.migration.migrated import moved
from tests.support.rich_specs import EKS_KARPENTER


def test_autoscaling_is_converted_for_hyperpod_and_back(tmp_path: Path) -> None:
    there, hyperpod = moved(EKS_KARPENTER, "hyperpod-eks", tmp_path / "there.yaml")
    assert hyperpod.cluster.hyperpod.autoscaling == "karpenter"
    (note,) = [n for n in there.moves if n.path == "kubernetes.autoscaling"]
    assert "removes nodes that it did not add" in note.what
    assert not any("autoscaling" in n.path for n in there.lost)
    back, eks = moved(hyperpod, "eks", tmp_path / "back.yaml")
    assert eks.cluster.kubernetes.autoscaling == "karpenter"
    (note,) = [n for n in back.moves if n.path == "hyperpod.autoscaling"]
    assert "`count` nodes are in managed node groups" in note.what


def test_autoscaling_without_a_group_is_lost(tmp_path: Path) -> None:
    """HyperPod's Karpenter supports only groups with the role compute."""
    system, workers = EKS_KARPENTER["compute"][:2]
    fixed = [{**system, "max_count": 4}, {**workers, "max_count": None}]
    spec = {**EKS_KARPENTER, "compute": fixed}
    found, other = moved(spec, "hyperpod-eks", tmp_path / "other.yaml")
    assert other.cluster.hyperpod.autoscaling == "off"
    assert any(n.path == "kubernetes.autoscaling" for n in found.lost)


@pytest.mark.parametrize("target", ["parallelcluster", "hyperpod-slurm"])
def test_slurm_has_no_autoscaling(target: PlatformName, tmp_path: Path) -> None:
    found, other = moved(EKS_KARPENTER, target, tmp_path / "other.yaml")
    assert other.cluster.platform == target
    assert any(n.path.startswith("kubernetes") for n in found.lost)

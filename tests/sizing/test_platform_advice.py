"""The decision tree, every leaf of it, and the effect of capacity and instance type."""

from __future__ import annotations

import itertools

import pytest

from clusterwright.platforms.registry import traits_of
from clusterwright.platforms.traits import CAPACITY_KINDS
from clusterwright.sizing.platform_advice import Preferences, advise


@pytest.mark.parametrize(
    ("scripts", "recovery", "kubernetes", "features", "platform"),
    [
        (True, True, None, None, "hyperpod-slurm"),
        (True, False, None, None, "parallelcluster"),
        (False, None, True, True, "hyperpod-eks"),
        (False, None, True, False, "eks"),
        (False, None, False, None, "parallelcluster"),
        (None, None, None, None, "hyperpod-slurm"),
        (None, None, True, None, "hyperpod-eks"),
    ],
)
def test_decision_tree_selects_the_platform(
    scripts: bool | None,
    recovery: bool | None,
    kubernetes: bool | None,
    features: bool | None,
    platform: str,
) -> None:
    found = advise(Preferences(scripts, recovery, kubernetes, features))
    assert found.platform == platform
    assert found.reasons


def test_the_advised_platform_supports_the_capacity() -> None:
    for scripts, kubernetes, kind in itertools.product(
        (None, True, False), (None, True, False), CAPACITY_KINDS
    ):
        found = advise(Preferences(scripts, None, kubernetes, capacity_kind=kind))
        assert kind in traits_of(found.platform).capacity_kinds


def test_a_capacity_block_excludes_hyperpod() -> None:
    found = advise(Preferences(True, True, capacity_kind="capacity-block"))
    assert found.platform == "parallelcluster"
    assert any("CreateCluster has no field" in reason for reason in found.reasons)


def test_assumed_answers_are_marked() -> None:
    assert all("(assumed)" in reason for reason in advise(Preferences()).reasons)
    assert not any("(assumed)" in reason for reason in advise(Preferences(True, True)).reasons)


def test_a_large_cluster_without_recovery_is_a_caution() -> None:
    found = advise(Preferences(True, False, nodes=512))
    assert any("jobs are not resumed automatically" in text for text in found.cautions)


def test_mig_requires_kubernetes() -> None:
    assert advise(Preferences(True, True, mig=True)).platform == "hyperpod-eks"


def test_requested_platform_is_used_with_its_cautions() -> None:
    found = advise(Preferences(True, True, platform="eks", nodes=512))
    assert found.platform == "eks"
    assert found.reasons == ("eks was requested",)
    assert any("jobs are not resumed automatically" in text for text in found.cautions)


def test_an_unsupported_instance_type_changes_the_platform() -> None:
    found = advise(Preferences(able=("parallelcluster", "eks")))
    assert found.platform == "parallelcluster"
    assert "hyperpod-slurm does not support the instance type" in found.reasons[-1]
    kubernetes = advise(Preferences(None, kubernetes=True, able=("parallelcluster", "eks")))
    assert kubernetes.platform == "eks"
    # No platform supports both: capacity takes precedence over the type.
    both = advise(Preferences(True, True, capacity_kind="training-plan", able=("eks",)))
    assert both.platform == "hyperpod-slurm"

"""The founding documents' tree, every leaf of it, and what capacity does to the answer."""

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
def test_the_tree_of_document_003(
    scripts: bool | None,
    recovery: bool | None,
    kubernetes: bool | None,
    features: bool | None,
    platform: str,
) -> None:
    found = advise(Preferences(scripts, recovery, kubernetes, features))
    assert found.platform == platform
    assert found.reasons


def test_every_platform_that_is_advised_takes_the_capacity() -> None:
    for scripts, kubernetes, kind in itertools.product(
        (None, True, False), (None, True, False), CAPACITY_KINDS
    ):
        found = advise(Preferences(scripts, None, kubernetes, capacity_kind=kind))
        assert kind in traits_of(found.platform).capacity_kinds


def test_a_capacity_block_leaves_hyperpod_and_says_why() -> None:
    found = advise(Preferences(True, True, capacity_kind="capacity-block"))
    assert found.platform == "parallelcluster"
    assert any("CreateCluster has no field" in reason for reason in found.reasons)


def test_what_was_not_said_is_marked() -> None:
    assert all("(assumed)" in reason for reason in advise(Preferences()).reasons)
    assert not any("(assumed)" in reason for reason in advise(Preferences(True, True)).reasons)


def test_a_large_cluster_without_recovery_is_warned_of() -> None:
    found = advise(Preferences(True, False, nodes=512))
    assert any("no job is resumed by itself" in text for text in found.cautions)


def test_mig_goes_to_kubernetes() -> None:
    assert advise(Preferences(True, True, mig=True)).platform == "hyperpod-eks"


def test_the_platform_that_was_asked_for_is_the_answer_and_is_warned_of_all_the_same() -> None:
    found = advise(Preferences(True, True, platform="eks", nodes=512))
    assert found.platform == "eks"
    assert found.reasons == ("eks is what was asked for",)
    assert any("no job is resumed by itself" in text for text in found.cautions)


def test_an_instance_type_that_a_platform_has_not_moves_the_answer() -> None:
    found = advise(Preferences(able=("parallelcluster", "eks")))
    assert found.platform == "parallelcluster"
    assert "hyperpod-slurm does not take the instance type" in found.reasons[-1]
    kubernetes = advise(Preferences(None, kubernetes=True, able=("parallelcluster", "eks")))
    assert kubernetes.platform == "eks"
    # No platform takes both: the type's are not advised against the capacity.
    both = advise(Preferences(True, True, capacity_kind="training-plan", able=("eks",)))
    assert both.platform == "hyperpod-slurm"

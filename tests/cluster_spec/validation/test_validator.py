"""Validators and the clusters that they apply to."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem
from clusterwright.cluster_spec.validation.validator import Validator, every_cluster, uses_slurm
from tests.support.rich_specs import BUILT, ON_EKS
from tests.support.validation import cluster


def problems(_: Cluster) -> Iterator[Problem]:
    yield Problem("wrong")


def test_defaults() -> None:
    validator = Validator(problems)
    assert (validator.phase, validator.applies) == ("spec", every_cluster)
    assert validator.module == problems.__module__
    assert every_cluster(cluster(base=ON_EKS))


def test_validators_of_slurm() -> None:
    assert uses_slurm(cluster(base=BUILT))
    assert not uses_slurm(cluster(base=ON_EKS))

"""Validators of ParallelCluster."""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.validation.validator import Validator
from clusterwright.platforms.parallelcluster import release_validation, validation

VALIDATORS: Final[tuple[Validator, ...]] = (
    Validator(validation.problems),
    Validator(release_validation.problems, "catalogue"),
)

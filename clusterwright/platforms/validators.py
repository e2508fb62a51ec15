"""The registry of validators: every check that refuses a spec (exit 3) is in `validators_of`.

`clusterwright.cluster_spec.validation` describes which mistakes are validation errors and which
are findings of rules. A platform lists its validators as `VALIDATORS` in
`clusterwright/platforms/<platform>/validators.py`.
"""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.validation import SPEC_VALIDATORS
from clusterwright.cluster_spec.validation.validator import Validator
from clusterwright.platforms import (
    acceptance_checks,
    catalog_names,
    interface_types,
    node_artefacts,
    template_limits,
)
from clusterwright.platforms.hyperpod_eks import mig
from clusterwright.platforms.registry import part_of

PLATFORM_VALIDATORS: Final[tuple[Validator, ...]] = (
    Validator(acceptance_checks.problems),
    Validator(catalog_names.problems, "catalogue"),
    Validator(interface_types.problems, "catalogue"),
    Validator(mig.problems, "catalogue"),
    Validator(node_artefacts.problems, "catalogue"),
    Validator(template_limits.problems, "synthesis"),
)
"""Validators of all platforms that need the catalogue or facts about platforms."""


def validators_of(cluster: Cluster) -> tuple[Validator, ...]:
    """Return the validators that apply to a cluster, in the order in which they run.

    Only the modules of the cluster's own platform are imported.
    """
    own = part_of(cluster.platform, "validators").VALIDATORS
    every: tuple[Validator, ...] = (*SPEC_VALIDATORS, *PLATFORM_VALIDATORS, *own)
    return tuple(validator for validator in every if validator.applies(cluster))

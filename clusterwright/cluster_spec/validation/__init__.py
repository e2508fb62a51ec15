"""Validators of the spec, and the rule for what a validator refuses.

A mistake is a validation error (exit 3: the file is not used) if no account, date, price or waiver
can make the file right: values contradict each other, a name does not exist in the spec or in the
catalogue, or a fixed limit of the platform is exceeded. Everything else is a rule in
`clusterwright/preflight/rules` and yields a finding (exit 1, with an id, a severity and waivers):
what depends on the account, the region or the date, what only costs money or time, and what may
become right when AWS changes. A mistake that a rule reports and that no template can express is
also refused before synthesis (phase `synthesis`).

A validator is a module with a function `problems(cluster)`, here if it concerns several platforms,
in `clusterwright/platforms/<platform>/` if it concerns one. `SPEC_VALIDATORS` lists those that
need the spec alone; `clusterwright.platforms.validators` is the registry of all.
"""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.validation import (
    accounting,
    address_ranges,
    buckets,
    capacity,
    checkpoints,
    compute,
    existing,
    grafana,
    images,
    karpenter,
    kubernetes,
    lifecycle,
    lustre,
    metrics,
    node_labels,
    partitions,
    repositories,
    scheduling,
    security_groups,
    slurm_configuration,
    tenants,
    unique_names,
    unused_fields,
    users,
    workloads,
    zones,
)
from clusterwright.cluster_spec.validation.validator import Validator, uses_slurm

SPEC_VALIDATORS: Final[tuple[Validator, ...]] = (
    Validator(unused_fields.problems),
    Validator(zones.problems),
    Validator(address_ranges.problems),
    Validator(unique_names.problems),
    Validator(compute.problems),
    Validator(node_labels.problems),
    Validator(kubernetes.problems),
    Validator(karpenter.problems),
    Validator(capacity.problems),
    Validator(partitions.problems, applies=uses_slurm),
    Validator(slurm_configuration.problems, applies=uses_slurm),
    Validator(lustre.problems),
    Validator(repositories.problems),
    Validator(buckets.problems),
    Validator(existing.problems),
    Validator(security_groups.problems),
    Validator(checkpoints.problems),
    Validator(accounting.problems, applies=uses_slurm),
    Validator(scheduling.problems, applies=uses_slurm),
    Validator(images.problems),
    Validator(lifecycle.problems),
    Validator(metrics.problems),
    Validator(grafana.problems),
    Validator(users.problems, applies=uses_slurm),
    Validator(tenants.problems),
    Validator(workloads.problems),
)
"""Validators of all platforms that need the spec alone, in the order in which they run."""


def spec_validators(cluster: Cluster) -> tuple[Validator, ...]:
    """Return those of `SPEC_VALIDATORS` that apply, for loading without the catalogue."""
    return tuple(validator for validator in SPEC_VALIDATORS if validator.applies(cluster))

"""Properties of platforms that follow from others."""

from __future__ import annotations

import dataclasses

import pytest

from clusterwright.platforms.registry import traits_of


@pytest.mark.parametrize(
    ("name", "slurm", "hyperpod", "node_groups"),
    [
        ("hyperpod-slurm", True, True, False),
        ("hyperpod-eks", False, True, False),
        ("parallelcluster", True, False, False),
        ("eks", False, False, True),
    ],
)
def test_what_follows_from_scheduler_and_node_service(
    name: str, slurm: bool, hyperpod: bool, node_groups: bool
) -> None:
    traits = traits_of(name)  # type: ignore[arg-type]
    assert (traits.uses_slurm, traits.uses_kubernetes) == (slurm, not slurm)
    assert traits.on_hyperpod is hyperpod
    assert traits.managed_node_groups is node_groups


@pytest.mark.parametrize(
    ("from_reserved", "kind", "instance_type", "expected"),
    [
        (False, "on-demand", "p5.48xlarge", True),
        (True, "on-demand", "p5.48xlarge", False),
        (True, "reservation", "p5.48xlarge", True),
        (True, "capacity-block", "p5.48xlarge", True),
        (True, "capacity-block", "p6e-gb200.36xlarge", False),
    ],
)
def test_spares(from_reserved: bool, kind: str, instance_type: str, expected: bool) -> None:
    traits = dataclasses.replace(
        traits_of("hyperpod-slurm"), spares_from_reserved_capacity=from_reserved
    )
    assert traits.keeps_spares(kind, instance_type) is expected

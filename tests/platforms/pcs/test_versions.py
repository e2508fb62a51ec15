"""Tests of platforms.pcs.versions."""

from __future__ import annotations

import typing

import pytest

from clusterwright.cluster_spec.models.pcs import Pcs
from clusterwright.platforms.pcs.versions import VERSIONS, steps


@pytest.mark.parametrize(
    ("current", "target", "expected"),
    [
        ("25.05", "25.11", 1),
        ("25.11", "25.05", -1),
        ("23.11", "26.05", 5),
        ("25.11", "25.11", 0),
        ("22.05", "25.11", None),
        ("25.11", "27.05", None),
    ],
)
def test_steps_between_versions(current: str, target: str, expected: int | None) -> None:
    assert steps(current, target) == expected


def test_every_version_of_a_spec_has_a_place_in_the_order() -> None:
    offered = typing.get_args(Pcs.model_fields["slurm_version"].annotation)
    assert offered == tuple(one for one in VERSIONS if one in offered)

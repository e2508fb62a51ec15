"""Compute capabilities of a cluster's GPUs."""

from __future__ import annotations

import pytest

from clusterwright.container_images.capabilities import compute_capabilities
from clusterwright.platforms.loading import load_cluster
from tools.lint.files import ROOT


@pytest.mark.parametrize(
    ("spec", "expected"), [("p5-8", ("9.0",)), ("trn2-1", ()), ("p6e-gb200-1", ("10.0",))]
)
def test_capabilities_are_those_of_the_catalogue(spec: str, expected: tuple[str, ...]) -> None:
    path = ROOT / f"configs/examples/{spec}.yaml"
    assert compute_capabilities(load_cluster(path).cluster) == expected

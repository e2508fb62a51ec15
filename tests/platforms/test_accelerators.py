"""Accelerator families and counts, from the catalogue."""

from __future__ import annotations

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms import accelerators


@pytest.mark.parametrize(
    ("instance_type", "family", "count"),
    [
        ("p5.48xlarge", "nvidia", 8),
        ("trn1.32xlarge", "neuron", 16),
        ("m5.large", "none", 0),
        ("p5.47xlarge", "none", 0),
    ],
)
def test_family_and_count_of_a_type(instance_type: str, family: str, count: int) -> None:
    catalog = load_catalog()
    assert accelerators.family(instance_type, catalog) == family
    assert accelerators.count(instance_type, catalog) == count

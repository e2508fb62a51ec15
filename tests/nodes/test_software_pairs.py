"""The node program's copies of the rows and of the module that evaluates them."""

from __future__ import annotations

import pytest
from clusterwright_node import software_pairs

from clusterwright.catalog.building.software import COPIES


@pytest.mark.parametrize("original", COPIES, ids=lambda path: path.name)
def test_copies_are_those_of_the_product(original: object) -> None:
    """`python -m clusterwright.catalog.generate` writes them."""
    (copy,) = [to for origin, to in COPIES.items() if origin == original]
    assert copy.read_bytes() == next(p for p in COPIES if p == original).read_bytes()


def test_copy_evaluates_without_the_product() -> None:
    model = {"components": {"a": "A", "b": "B"}, "pairs": []}
    assert software_pairs.evaluate(model, {"a": "1"}) == []

"""Suggestions for unknown names."""

from __future__ import annotations

import pytest

from clusterwright.catalog import (
    Catalog,
    load_catalog,
)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("p5.48large", "p5.48xlarge"),
        ("P5.48XLARGE", "p5.48xlarge"),
        ("ml.p5.48xlarge", "p5.48xlarge"),
        ("p5-48xlarge", "p5.48xlarge"),
        ("trn2.48xlrage", "trn2.48xlarge"),
        ("p6b200.48xlarge", "p6-b200.48xlarge"),
        ("m5.8xlage", "m5.8xlarge"),
        ("p6e-gb200.36xlarg", "p6e-gb200.36xlarge"),
    ],
)
def test_a_misspelt_type_has_suggestions(catalog: Catalog, typed: str, meant: str) -> None:
    assert catalog.suggest_instance(typed)[0] == meant


def test_nonsense_has_no_suggestions(catalog: Catalog) -> None:
    assert catalog.suggest_instance("banana") == []

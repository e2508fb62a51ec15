"""Suggestions for unknown names."""

from __future__ import annotations
import json
import shutil
from pathlib import Path
from typing import Any
import pytest
from clusterwright.catalog import (
    Catalog,
    CatalogError,
    Known,
    Unknown,
    load_catalog,
)
from clusterwright.catalog.store import PACKAGE_DATA, Store


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
def test_a_misspelt_type_is_recognised(catalog: Catalog, typed: str, meant: str) -> None:
    assert catalog.suggest_instance(typed)[0] == meant


def test_nonsense_is_not_made_into_a_type(catalog: Catalog) -> None:
    assert catalog.suggest_instance("banana") == []

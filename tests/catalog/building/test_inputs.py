"""Versions of the inputs."""

from __future__ import annotations
import json
from decimal import Decimal
from pathlib import Path
from typing import Any
import jsonschema
import pytest
from clusterwright.catalog import Catalog, Known, Unknown, generate, load_catalog, writer
from clusterwright.catalog.building import inputs
from clusterwright.catalog.dates import as_of
from clusterwright.catalog.report import all_facts
from clusterwright.catalog.store import PACKAGE_DATA


def test_a_damaged_input_version_stops_the_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MOTO_VERSION", "0.0.1")
    with pytest.raises(SystemExit, match=r"generated from moto 0\.0\.1"):
        inputs.api_instance_types()

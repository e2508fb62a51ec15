"""Documents of the catalogue from the CSV files."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog.building import inputs, tables


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[dict[str, str]]]:
    """The rows of each file, which a test fills."""
    files: dict[str, list[dict[str, str]]] = {}
    monkeypatch.setattr(inputs, "rows", lambda name: files.get(name, []))
    return files


def fact(field: str, value: str, **key: str) -> dict[str, str]:
    return {**key, "field": field, "value": value, "source": "nvidia", "note": ""}


def test_sources(rows: dict[str, Any]) -> None:
    rows["sources.csv"] = [{"id": "ec2", "title": "EC2 API", "date": "2026-10-04"}]
    assert tables.sources() == {
        "schema_version": 1,
        "sources": {"ec2": ["EC2 API", "2026-10-04"]},
    }


def test_precisions_follow_the_compute_capability(rows: dict[str, Any]) -> None:
    rows["precisions.csv"] = [
        {**fact("", "yes", compute_capability="9.0"), "precision": "fp8"},
        {**fact("", "no", compute_capability="8.0"), "precision": "fp8"},
    ]
    rows["accelerators.csv"] = [
        fact("family", "nvidia", accelerator="H100"),
        fact("compute_capability", "9.0", accelerator="H100"),
        fact("precision:bf16", "yes", accelerator="H100"),
    ]
    (found,) = tables.accelerators()["accelerators"].values()
    assert found["precision:fp8"]["value"] is True
    assert found["precision:bf16"]["value"] is True
    assert found["precision:nvfp4"] == tables.unknown("no source was read")
    assert "value" not in found["memory_gib"]


def test_neuron_has_no_mig(rows: dict[str, Any]) -> None:
    rows["accelerators.csv"] = [fact("family", "neuron", accelerator="Trainium2")]
    (found,) = tables.accelerators()["accelerators"].values()
    assert found["mig_profiles"]["value"] == []
    assert found["mig_instances_max"]["value"] == 0


def test_runs_of_network_cards(rows: dict[str, Any]) -> None:
    layout = {"instance": "p5.48xlarge", "source": "ec2"}
    rows["interface_layouts.csv"] = [
        {**layout, "cards": "0", "device": "0", "kind": "interface"},
        {**layout, "cards": "1-31", "device": "1", "kind": "efa-only"},
    ]
    found = tables.network()["layouts"]["p5.48xlarge"]
    assert found["value"] == [[0, 0, 0, "interface"], [1, 31, 1, "efa-only"]]


def test_limits(rows: dict[str, Any]) -> None:
    limit = {"unit": "nodes", "source": "docs", "note": ""}
    rows["limits.csv"] = [
        {**limit, "key": "groups", "value": "100"},
        {**limit, "key": "other", "value": "unknown", "note": "not stated"},
    ]
    found = tables.limits()["limits"]
    assert found["groups"] == ["nodes", tables.cell(100, "docs", "")]
    assert found["other"] == ["nodes", tables.unknown("not stated")]


def test_ultraservers(rows: dict[str, Any]) -> None:
    rows["ultraservers.csv"] = [fact("instance_count", "18", ultraserver="u-p6e")]
    found = tables.ultraservers()["ultraservers"]
    assert found["u-p6e"]["instance_count"]["value"] == 18

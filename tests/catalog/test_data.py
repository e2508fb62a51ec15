"""The data files: sources, dates and schema."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from clusterwright.catalog import Catalog, Unknown, load_catalog, writer
from clusterwright.catalog.building import inputs
from clusterwright.catalog.dates import as_of
from clusterwright.catalog.report import all_facts
from clusterwright.catalog.store import PACKAGE_DATA

ROOT = Path(__file__).resolve().parents[2]


SCHEMA = json.loads((ROOT / "schema/catalog.schema.json").read_text(encoding="utf-8"))


CATALOG = load_catalog()


@pytest.mark.parametrize("name", writer.DEPTHS)
def test_each_file_matches_its_schema(name: str) -> None:
    document = json.loads((PACKAGE_DATA / f"{name}.json").read_text(encoding="utf-8"))
    schema = {"$ref": f"#/$defs/files/{name}", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(document)


def test_schema_refuses_a_value_without_a_source() -> None:
    schema = {"$ref": "#/$defs/files/limits", "$defs": SCHEMA["$defs"]}
    document = {"schema_version": 1, "limits": {"a.b": ["things", {"value": 3}]}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(document)


def test_every_fact_has_a_source_and_a_date_or_a_reason() -> None:
    count = 0
    for data_set, fact in all_facts(CATALOG):
        count += 1
        if isinstance(fact, Unknown):
            assert len(fact.reason) > 3, data_set
            continue
        assert len(fact.source) > 3, (data_set, fact)
        assert fact.date == "undated" or as_of(fact.date) or fact.date.startswith("before"), fact
    assert count > 10_000


def test_every_source_is_dated_and_listed() -> None:
    listed = {row["id"]: row for row in inputs.rows("sources.csv")}
    assert all(row["date"] and row["title"] for row in listed.values())
    for name in [
        "instance_facts",
        "accelerators",
        "precisions",
        "addresses",
        "interface_layouts",
        "local_zones",
        "ultraservers",
        "limits",
        "quotas",
        "instance_prices",
        "service_prices",
    ]:
        used = {row["source"] for row in inputs.rows(f"{name}.csv")}
        assert used <= listed.keys(), name


def test_catalogs_of_the_same_files_share_data() -> None:
    again: Catalog = load_catalog()
    assert again.store is CATALOG.store

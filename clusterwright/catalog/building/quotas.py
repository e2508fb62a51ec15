"""Quotas: code, name, unit and documented default; unknown stays unknown."""

from __future__ import annotations

from typing import Any

from clusterwright.catalog.building import inputs
from clusterwright.catalog.building.fact_rows import number
from clusterwright.catalog.cells import cell, unknown


def quotas() -> dict[str, Any]:
    """The document of quotas: [service, code or null, name, unit, source, default cell]."""
    found = []
    for row in inputs.rows("quotas.csv"):
        code = row["code"] if row["code"].startswith("L-") else None
        found.append(
            [row["service"], code, row["name"], row["unit"], row["source"], _default(row)]
        )
    return {
        "schema_version": 1,
        "quotas": sorted(found, key=lambda row: (row[0], row[1] or "~", row[2])),
    }


def _default(row: dict[str, str]) -> Any:
    if row["default"] == "unknown":
        return unknown(row["note"] or "the documentation does not state it")
    if "=" in row["default"]:
        pairs = (part.split("=") for part in row["default"].split(";"))
        return cell({place: number(value) for place, value in pairs}, row["source"], row["note"])
    return cell(number(row["default"]), row["source"], row["note"])

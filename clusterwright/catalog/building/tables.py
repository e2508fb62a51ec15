"""Documents of accelerators, UltraServers, interface layouts, Lustre and limits."""

from __future__ import annotations

from typing import Any, Final

from clusterwright.catalog.building import inputs
from clusterwright.catalog.building.fact_rows import fact, integer, number
from clusterwright.catalog.cells import cell, unknown

PRECISIONS: Final = ("fp32", "tf32", "bf16", "fp16", "fp8", "mxfp8", "nvfp4")
_ACCELERATOR_FIELDS: Final = (
    "family",
    "memory_gib",
    "memory_bandwidth_tbytes_per_s",
    "dense_bf16_tflops",
    "dense_fp8_tflops",
    "compute_capability",
    "scale_up_link_gbytes_per_s",
    "mig_profiles",
    "mig_instances_max",
)


def sources() -> dict[str, Any]:
    return {
        "schema_version": 1,
        "sources": {row["id"]: [row["title"], row["date"]] for row in inputs.rows("sources.csv")},
    }


def accelerators() -> dict[str, Any]:
    by_capability: dict[str, dict[str, Any]] = {}
    for row in inputs.rows("precisions.csv"):
        written = fact({**row, "field": "precision"})
        by_capability.setdefault(row["compute_capability"], {})[row["precision"]] = written
    found: dict[str, dict[str, Any]] = {}
    for row in inputs.rows("accelerators.csv"):
        if row["field"] != "api_name":
            found.setdefault(row["accelerator"], {})[row["field"]] = fact(row)
        else:
            found.setdefault(row["accelerator"], {})
    return {
        "schema_version": 1,
        "accelerators": {
            name: _accelerator(record, by_capability) for name, record in found.items()
        },
    }


def _accelerator(
    record: dict[str, Any], by_capability: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    capability = record.get("compute_capability", {})
    by_table = by_capability.get(capability.get("value", ""), {})
    neuron = record["family"]["value"] == "neuron"
    if neuron:
        record["compute_capability"] = unknown("NVIDIA's number; not a CUDA device")
        record["mig_profiles"] = cell([], record["family"]["source"], "MIG is NVIDIA's")
        record["mig_instances_max"] = cell(0, record["family"]["source"], "MIG is NVIDIA's")
    result = {
        field: record.get(field, unknown("stated per instance type, see there, or not found"))
        for field in _ACCELERATOR_FIELDS
    }
    for name in PRECISIONS:
        key = f"precision:{name}"
        result[key] = record.get(key) or by_table.get(name) or unknown("no source was read")
    return result


def ultraservers() -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for row in inputs.rows("ultraservers.csv"):
        found.setdefault(row["ultraserver"], {})[row["field"]] = fact(row)
    return {"schema_version": 1, "ultraservers": found}


def network() -> dict[str, Any]:
    """Sourced addresses per node and interface layouts; others are derived on reading."""
    addresses = [
        [
            row["instance"],
            row["platform"],
            cell(integer(row["addresses"]), row["source"], row["note"]),
        ]
        for row in inputs.rows("addresses.csv")
    ]
    layouts: dict[str, list[list[Any]]] = {}
    source: dict[str, str] = {}
    for row in inputs.rows("interface_layouts.csv"):
        first, _, last = row["cards"].partition("-")
        run = [int(first), int(last or first), int(row["device"]), row["kind"]]
        layouts.setdefault(row["instance"], []).append(run)
        source[row["instance"]] = row["source"]
    return {
        "schema_version": 1,
        "addresses": addresses,
        "layouts": {name: cell(runs, source[name]) for name, runs in layouts.items()},
    }


def lustre() -> dict[str, Any]:
    return {"schema_version": 1, **inputs.document("lustre.yaml")}


def limits() -> dict[str, Any]:
    found = {}
    for row in inputs.rows("limits.csv"):
        value = (
            unknown(row["note"] or "not found")
            if row["value"] == "unknown"
            else cell(number(row["value"]), row["source"], row["note"])
        )
        found[row["key"]] = [row["unit"], value]
    return {"schema_version": 1, "limits": found}

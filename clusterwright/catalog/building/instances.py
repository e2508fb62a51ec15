"""Instance records: EC2's API data, completed and corrected by other sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from clusterwright.catalog.api_shapes import API_FIELDS, instance_record
from clusterwright.catalog.building import inputs
from clusterwright.catalog.building.fact_rows import fact
from clusterwright.catalog.cells import cell, unknown

API_SOURCE: Final = "api-instance-types"

FIELDS: Final = (
    *API_FIELDS,
    "accelerator",
    "nitro",
    "efa_generation",
    "scale_up_size",
    "scale_up_link_gbytes_per_s",
    "topology_layers",
    "on_demand",
    "capacity_block_places",
)

# Facts of the largest size that also apply to smaller sizes of its family.
_FAMILY_FACTS: Final = ("nitro", "scale_up_size", "scale_up_link_gbytes_per_s")
_FAMILY_WITH_EFA: Final = ("efa_generation",)


def names() -> dict[str, Any]:
    """The document of all type names, and of those that HyperPod and training plans support."""
    return {
        "schema_version": 1,
        "source": "botocore",
        "hyperpod": sorted(_bare(inputs.api_enum("sagemaker", "ClusterInstanceType"))),
        "training_plan": sorted(
            _bare(inputs.api_enum("sagemaker", "ReservedCapacityInstanceType"))
        ),
        "instance_types": sorted(inputs.api_enum("ec2", "InstanceType")),
    }


def instances(hyperpod: Iterable[str]) -> dict[str, Any]:
    """The document of instance records: every HyperPod type and every type of the facts."""
    api = inputs.api_instance_types()
    kept: dict[str, dict[str, Mapping[str, str]]] = {}
    families: dict[str, dict[str, Mapping[str, str]]] = {}
    for row in inputs.rows("instance_facts.csv"):
        name = row["instance"]
        target = families if name.endswith(".*") else kept
        target.setdefault(name.removesuffix(".*"), {})[row["field"]] = row
    by_api_name = _accelerators_by_api_name()
    wanted = sorted(set(hyperpod) | set(kept))
    records = {}
    for name in wanted:
        record: dict[str, Any] = {"source": API_SOURCE}
        if name in api:
            record = instance_record(api[name], API_SOURCE)
        for field, line in {**families.get(_family(name), {}), **kept.get(name, {})}.items():
            record[field] = fact(line)
        _complete(name, record, kept, by_api_name, in_api=name in api)
        records[name] = {
            "source": record["source"],
            **({} if name in api else {"in_api": False}),
            **{field: record[field] for field in FIELDS},
            **({"remark": record["remark"]} if "remark" in record else {}),
        }
    return {"schema_version": 1, "instances": records}


def _complete(
    name: str,
    record: dict[str, Any],
    kept: Mapping[str, Mapping[str, Mapping[str, str]]],
    by_api_name: Mapping[str, str],
    *,
    in_api: bool,
) -> None:
    """Fill every field, from the family's largest size if applicable, or else as unknown."""
    accelerated = record.get("accelerator_count") != 0
    largest = f"{_family(name)}.48xlarge"
    if name not in kept and largest in kept:
        copied = [*_FAMILY_FACTS, *(_FAMILY_WITH_EFA if record["efa_interfaces"] else ())]
        for field in copied:
            record[field] = _as_derived(fact(kept[largest][field]), largest)
    if "accelerator" not in record:
        key = _api_key(record)
        record["accelerator"] = by_api_name.get(key, unknown(f"no facts on {key}"))
    if record.get("efa_interfaces") == 0:
        record.setdefault("efa_generation", "none")
    if not accelerated:
        record.setdefault("scale_up_size", 0)
        record.setdefault("scale_up_link_gbytes_per_s", 0)
    if in_api:
        # Capacity Blocks are sold for the types of the documentation's table and no others.
        record.setdefault("capacity_block_places", cell([], "cb-doc"))
        record.setdefault("on_demand", True)
    for field in FIELDS:
        record.setdefault(field, unknown("not in EC2's API dump" if not in_api else "not found"))


def _as_derived(written: Any, of: str) -> Any:
    if "unknown" in written:
        return written
    note = f"as {of}" + (f": {written['note']}" if written.get("note") else "")
    return {"value": written["value"], "source": written["source"], "note": note, "derived": True}


def _accelerators_by_api_name() -> dict[str, str]:
    found = {"": ""}
    for row in inputs.rows("accelerators.csv"):
        if row["field"] == "api_name":
            found[row["value"]] = row["accelerator"]
    return found


def _api_key(record: Mapping[str, Any]) -> str:
    """The accelerator in EC2's API; both A100s have one name and differ in memory."""
    name = record["accelerator_name"]
    if name == "A100":
        return f"A100:{int(record['accelerator_memory_gib'] * 1024)}"
    return str(name)


def _family(name: str) -> str:
    return name.partition(".")[0]


def _bare(values: Iterable[str]) -> Iterable[str]:
    return (value.removeprefix("ml.") for value in values)

"""Convert `field,value,source,note` rows of the CSV files to cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from clusterwright.catalog.cells import cell, unknown

# Prefix of notes on values that are computed from the source.
_DERIVED: Final = "derived: "


def integer(text: str) -> int:
    return int(text)


def number(text: str) -> float | int:
    value = float(text)
    return int(value) if value.is_integer() else value


def boolean(text: str) -> bool:
    return {"yes": True, "no": False}[text]


def words(text: str) -> list[str]:
    """`a;b;c`, or `none` for an empty list."""
    return [] if text == "none" else text.split(";")


def disks(text: str) -> list[int]:
    """`3x7500`: three disks of 7,500 GB."""
    count, size = text.split("x")
    return [int(count), int(size)]


FIELDS: Final[Mapping[str, Callable[[str], Any]]] = {
    "vcpus": integer,
    "memory_gib": number,
    "accelerator_count": integer,
    "accelerator_memory_gib": number,
    "scale_up_size": integer,
    "scale_up_link_gbytes_per_s": number,
    "network_gbps": number,
    "network_cards": integer,
    "efa_interfaces": integer,
    "local_nvme": disks,
    "topology_layers": integer,
    "on_demand": boolean,
    "spot": boolean,
    "capacity_block_places": words,
    "memory_bandwidth_tbytes_per_s": number,
    "dense_bf16_tflops": number,
    "dense_fp8_tflops": number,
    "mig_profiles": words,
    "mig_instances_max": integer,
    "instance_count": integer,
    "memory_tbytes": number,
    "network_tbits_per_s": number,
    "places": words,
    "precision": boolean,
}


def fact(row: Mapping[str, str]) -> Any:
    """The cell of a row; the note of `unknown` is the reason."""
    if row["value"] == "unknown":
        return unknown(row["note"] or "not found")
    field = row["field"].partition(":")[0]
    convert = FIELDS.get(field, str)
    note = row["note"].removeprefix(_DERIVED)
    derived = row["note"].startswith(_DERIVED)
    return cell(convert(row["value"]), row["source"], note, derived=derived)

"""The instance types that nodes know: `clusterwright_acceptance/instance_types.json`."""

from __future__ import annotations

import json
from typing import Any

from clusterwright.catalog.catalog import Catalog
from clusterwright.catalog.facts import Fact, Known

_FIELDS = (
    "vcpus",
    "cores",
    "threads_per_core",
    "memory_gib",
    "architecture",
    "accelerator",
    "accelerator_count",
    "accelerator_memory_gib",
    "efa_interfaces",
    "network_gbps",
    "scale_up_size",
)


def text(catalog: Catalog) -> str:
    """The file: known facts by type, one line each; unknown ones are left out."""
    rows = []
    for name in sorted(catalog.described_names):
        instance = catalog.instance(name)
        found = {key: _value(getattr(instance, key)) for key in _FIELDS}
        nvme = instance.local_nvme if instance is not None else None
        if isinstance(nvme, Known):
            found |= {"nvme_count": nvme.value.count, "nvme_gb": nvme.value.size_gb}
        known = {key: value for key, value in found.items() if value is not None}
        rows.append(f"    {json.dumps(name)}: {json.dumps(known)}")
    return (
        '{\n  "schema_version": 1,\n  "source": "clusterwright/catalog, written by'
        ' `python -m tools.docs instance-types-of-nodes`",\n  "types": {\n'
        + ",\n".join(rows)
        + "\n  }\n}\n"
    )


def _value(fact: Fact[Any]) -> Any:
    return fact.value if isinstance(fact, Known) else None

"""What a node should be: its instance type, file systems and settings.

The node program writes the file from `cluster.json` and `deployment.json`. What the type has is in
`instance_types.json`, which is generated from the product's catalogue; a count that no source
states is None.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional

from clusterwright_common.probe import Probe

FILE = "/etc/clusterwright/acceptance.json"
SCHEMA_VERSION = 1
NODE_VARIABLE = "CLUSTERWRIGHT_NODE"
"""The node's name in a pod, whose file is the same on all nodes of a group."""


class NoExpectation(Exception):
    """The file is missing or invalid; the message says which."""


@dataclass(frozen=True)
class InstanceType:
    """What EC2 states for a type; None where no source has it.

    `accelerator_memory_gib` is of one device; `nvme` is the count and the size in GB of each;
    `network_gbps` is that of the instance; `scale_up_size` is the number of accelerators in one
    NVLink or NeuronLink domain.
    """

    name: str
    vcpus: Optional[int] = None
    cores: Optional[int] = None
    threads_per_core: Optional[int] = None
    memory_gib: Optional[float] = None
    architecture: Optional[str] = None
    accelerator: Optional[str] = None
    accelerator_count: Optional[int] = None
    accelerator_memory_gib: Optional[float] = None
    efa_interfaces: Optional[int] = None
    network_gbps: Optional[float] = None
    scale_up_size: Optional[int] = None
    nvme_count: Optional[int] = None
    nvme_gb: Optional[int] = None


@dataclass(frozen=True)
class FileSystem:
    """A Lustre file system. Its capacity and tier are None where it was not created by us."""

    mount_path: str
    dns_name: Optional[str] = None
    mount_name: Optional[str] = None
    capacity_gib: Optional[int] = None
    throughput_mbps_per_tib: Optional[int] = None


@dataclass(frozen=True)
class SizedFloor:
    """A floor of the user's own for a message size, a number of nodes, or both."""

    check: str
    minimum: float
    size_mib: Optional[int] = None
    node_count: Optional[int] = None


@dataclass(frozen=True)
class Expected:
    """One node. `kind` is nvidia, neuron or none.

    `floors` are the user's own, by check id, in the check's unit. `programs` are paths of programs
    that are not in their usual places, by name (`all_reduce_perf`).
    `efa` is False where the group's nodes are deployed without EFA interfaces.
    """

    node: str
    instance_type: str
    kind: str
    efa: bool = True
    lustre: tuple[FileSystem, ...] = ()
    home_path: Optional[str] = None
    scratch_path: Optional[str] = None
    group: str = ""
    floors: Mapping[str, float] = field(default_factory=dict)
    waivers: tuple[Mapping[str, Any], ...] = ()
    programs: Mapping[str, str] = field(default_factory=dict)
    sized_floors: tuple[SizedFloor, ...] = ()

    @property
    def type(self) -> InstanceType:
        return type_of(self.instance_type)


def read_expected(probe: Probe) -> Expected:
    """Read the file. Raises NoExpectation with the reason if it is missing or invalid."""
    text = probe.read(FILE)
    if text is None:
        raise NoExpectation(f"{FILE} cannot be read")
    try:
        found = from_json(json.loads(text))
        return replace(found, node=os.environ.get(NODE_VARIABLE) or found.node)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise NoExpectation(
            f"{FILE} is not a valid file of the node program: {error!r}"
        ) from error


def from_json(found: Mapping[str, Any]) -> Expected:
    """Raises KeyError, TypeError, ValueError or AttributeError."""
    if found["schema_version"] != SCHEMA_VERSION:
        raise ValueError(f"schema_version {found['schema_version']}")
    kind = str(found["kind"])
    if kind not in ("nvidia", "neuron", "none"):
        raise ValueError(f"kind {kind}")
    return Expected(
        node=str(found["node"]),
        instance_type=str(found["instance_type"]),
        kind=kind,
        efa=bool(found["efa"]),
        lustre=tuple(FileSystem(**row) for row in found["lustre"]),
        home_path=None if found["home_path"] is None else str(found["home_path"]),
        scratch_path=None if found["scratch_path"] is None else str(found["scratch_path"]),
        group=str(found.get("group", "")),
        floors={str(key): float(value) for key, value in found.get("floors", {}).items()},
        waivers=tuple(dict(row) for row in found.get("waivers", ())),
        programs={str(key): str(value) for key, value in found.get("programs", {}).items()},
        sized_floors=tuple(SizedFloor(**row) for row in found.get("sized_floors", ())),
    )


def written(expected: Expected) -> str:
    """The text of the file."""
    content = {"schema_version": SCHEMA_VERSION, **asdict(expected)}
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


def type_of(name: str) -> InstanceType:
    """What is known of a type; nothing for one that the catalogue does not have."""
    return InstanceType(name, **_types().get(name, {}))


@lru_cache(maxsize=1)
def _types() -> dict[str, dict[str, Any]]:
    path = Path(__file__).with_name("instance_types.json")
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["types"]
    return found

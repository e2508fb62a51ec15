"""Hardware of a layout: an accelerator in its node, with its links.

Facts come from the catalogue. Other figures (accelerators that AWS does not sell, link speeds that
AWS does not state) come from `data/hardware.json`, where each value names its source or is marked
as assumed. Assumptions are listed in `Hardware.assumptions`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib.resources import files
from typing import Any, Final

from clusterwright.catalog import Accelerator, Catalog, Fact, InstanceType, Known, Unknown
from clusterwright.sizing.cards import Card, cards
from clusterwright.sizing.errors import GoalError

NAMED_ACCELERATORS: Final = (
    "A100-40GB",
    "A100-80GB",
    "H100",
    "H200",
    "H800",
    "GH200",
    "B200",
    "B300",
    "GB200",
    "GB300",
    "Trn1",
    "Trn2",
)
"""Accelerators of `--accelerator`, besides the cards (`cards`). GB300 has no sourced memory and is
refused."""

PCIE_GBYTES_PER_S: Final = 25.0
"""One direction of PCIe 4 x16 with its overhead, the only link of accelerators in G types."""

PAIR: Final = 2
"""Cards on one NVLink bridge."""

CARDS_OF_A_NODE: Final = 8
"""Default number of owned cards in a node."""

BITS_PER_BYTE: Final = 8


@dataclass(frozen=True)
class Hardware:
    """One kind of node; speeds are of one accelerator and one direction.

    Attributes
    ----------
    name:
        The instance type, or the accelerator if no type was named.
    instance_type:
        `None` if an accelerator was named.
    per_node:
        Accelerators of one node.
    memory_gib, memory_gbytes_per_s:
        HBM of one accelerator and its bandwidth.
    bf16_tflops, fp8_tflops:
        Dense peak; `fp8_tflops` is 0 without FP8 units. Sparse figures are not used.
    ceiling:
        The largest share of the peak that a matrix product reaches (MAMF).
    scale_up_size, scale_up_gbytes_per_s:
        Accelerators that share NVLink or NeuronLink, and the speed of one, one direction.
    scale_out_gbytes_per_s:
        Speed of one accelerator to other nodes; 0 if unknown (owned hardware), and then plans
        have at most one node.
    pcie_gbytes_per_s:
        Speed of one accelerator inside its node beyond the reach of the fast link.
    has_efa:
        Whether the type supports EFA; `None` if unknown, or if no type was named.
    fp8_unknown:
        Why the FP8 peak is unknown; `None` if it is known, or there is none.
    """

    name: str
    accelerator: str
    family: str
    instance_type: str | None
    per_node: int
    memory_gib: float
    memory_gbytes_per_s: float
    bf16_tflops: float
    fp8_tflops: float
    ceiling: float
    ceiling_source: str
    scale_up_size: int
    scale_up_gbytes_per_s: float
    scale_out_gbytes_per_s: float
    assumptions: tuple[str, ...] = ()
    pcie_gbytes_per_s: float = PCIE_GBYTES_PER_S
    fp8_unknown: str | None = None
    has_efa: bool | None = None

    def peak_tflops(self, precision: str) -> float:
        """Dense peak in a precision: `bf16` or `fp8`.

        Raises
        ------
        GoalError
            The accelerator has no FP8 units, or their peak is unknown.
        """
        if precision != "fp8":
            return self.bf16_tflops
        if self.fp8_unknown is not None:
            raise GoalError(
                f"the dense FP8 peak of {self.accelerator} is unknown: {self.fp8_unknown}",
                "--precision bf16",
                field="precision",
            )
        if self.fp8_tflops <= 0:
            raise GoalError(
                f"{self.accelerator} has no FP8",
                "--precision bf16, or H100 and later accelerators",
                field="precision",
            )
        return self.fp8_tflops

    @property
    def is_neuron(self) -> bool:
        """Trainium."""
        return self.family == "neuron"


def of_instance_type(name: str, catalog: Catalog) -> Hardware:
    """The hardware of an EC2 instance type.

    Raises
    ------
    GoalError
        The type is unknown, it has no accelerator, or a required fact is unknown.
    """
    name = name.removeprefix("ml.")
    instance = catalog.instance(name)
    if instance is None:
        near = ", ".join(catalog.suggest_instance(name)[:3])
        raise GoalError(
            f"the catalogue has no instance type {name!r}",
            f"did you mean {near}?" if near else "see `clusterwright catalog`",
            field="instance_type",
        )
    accelerator = catalog.accelerator_of(name)
    count = _known(instance.accelerator_count)
    if accelerator is None or not count:
        raise GoalError(
            f"{name} has no known accelerator",
            "training requires a type of the P, G or Trn families, such as p5.48xlarge",
            field="instance_type",
        )
    notes: list[str] = []
    found = _build(
        name=name,
        instance_type=name,
        accelerator=accelerator,
        per_node=int(count),
        scale_up=_scale_up(instance, int(count), accelerator.name, notes),
        link=_known(instance.scale_up_link_gbytes_per_s),
        network_gbps=_needed(instance.network_gbps, f"the network speed of {name}"),
        memory_gib=_known(instance.accelerator_memory_gib),
        notes=notes,
    )
    interfaces = _known(instance.efa_interfaces)
    return replace(found, has_efa=None if interfaces is None else interfaces > 0)


def of_accelerator(
    name: str,
    catalog: Catalog,
    *,
    per_node: int | None = None,
    network_gbps: float | None = None,
) -> Hardware:
    """The hardware of an accelerator in its usual node, which is an assumption.

    Parameters
    ----------
    per_node, network_gbps:
        Of the node, if known.

    Raises
    ------
    GoalError
        The accelerator is unknown, or a required figure is unknown.
    """
    by_case = {known.lower(): known for known in (*NAMED_ACCELERATORS, *cards())}
    wanted = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
    key = by_case.get(wanted) or by_case.get(f"rtx-{wanted}")
    if key is None:
        near = [known for known in by_case if wanted and known.startswith(wanted)]
        near = near or get_close_matches(wanted, by_case, n=2, cutoff=0.3)
        meant = " or ".join(by_case[n] for n in near)
        raise GoalError(
            f"unknown accelerator {name!r}",
            (f"did you mean {meant}? " if meant else "") + f"One of {', '.join(by_case.values())}",
            field="accelerator",
        )
    if key in cards():
        return _of_card(cards()[key], per_node or CARDS_OF_A_NODE, network_gbps, per_node is None)
    if per_node is not None or network_gbps is not None:
        return _in_a_node(of_accelerator(key, catalog), per_node, network_gbps)
    accelerator = catalog.accelerator(key)
    assert accelerator is not None, key
    node = _data()["reference_nodes"][key]
    notes = [
        f"nodes of {node['per_node']} {key} with {node['network_gbps']} Gbps between nodes "
        f"({node['why']})"
    ]
    return _build(
        name=key,
        instance_type=None,
        accelerator=accelerator,
        per_node=node["per_node"],
        scale_up=node["scale_up"],
        link=None,
        network_gbps=node["network_gbps"],
        memory_gib=None,
        notes=notes,
    )


def _of_card(card: Card, per_node: int, network_gbps: float | None, assumed: bool) -> Hardware:
    """A node of PCIe cards: pairs on a bridge, all others over PCIe, which is slower."""
    bf16 = card.needed("dense_bf16_tflops")
    notes = []
    if assumed:
        notes.append(f"nodes of up to {per_node} {card.name} (--per-node)")
    # A single card in a node uses PCIe for the network adapter only.
    linked, link, pcie = 1, 0.0, card.pcie_gbytes_per_s or 2 * PCIE_GBYTES_PER_S
    if per_node > 1:
        link = card.needed("link_gbytes_per_s")
        pcie = card.needed("pcie_gbytes_per_s")
        joined = "the cards are connected by PCIe only"
        if link > 0:
            linked = PAIR
            joined = f"a bridge connects two cards at {link:g} GB/s, and PCIe the others"
        notes.append(f"{joined}: {pcie:g} GB/s, both directions together")
    notes.append(f"{card.name}: {card.source}")
    share, source, text = _data()["matmul_ceiling"]["*"]
    return Hardware(
        name=card.name,
        accelerator=card.name,
        family="nvidia",
        instance_type=None,
        per_node=per_node,
        memory_gib=card.memory_gib,
        memory_gbytes_per_s=1000 * card.memory_bandwidth_tbytes_per_s,
        bf16_tflops=bf16,
        fp8_tflops=card.dense_fp8_tflops or 0.0,
        fp8_unknown=card.unknown.get("dense_fp8_tflops"),
        ceiling=float(share),
        ceiling_source=f"{text}; {_data()['sources'][source]}",
        scale_up_size=linked,
        scale_up_gbytes_per_s=link / 2,
        scale_out_gbytes_per_s=(network_gbps or 0.0) / BITS_PER_BYTE / per_node,
        assumptions=tuple(notes),
        pcie_gbytes_per_s=pcie / 2,
    )


def _in_a_node(usual: Hardware, per_node: int | None, network_gbps: float | None) -> Hardware:
    """The same accelerator in a described node."""
    size = per_node or usual.per_node
    network = network_gbps or usual.scale_out_gbytes_per_s * BITS_PER_BYTE * usual.per_node
    notes = [note for note in usual.assumptions if not note.startswith("nodes of ")]
    origin = "as given" if network_gbps else f"as in a usual node of {usual.name}"
    notes.append(f"nodes of {size}, {network:g} Gbps between them, {origin}")
    # A link across nodes keeps its reach; a link inside the node ends with the node.
    reach = usual.scale_up_size
    if reach <= usual.per_node:
        reach = min(reach, size)
    return replace(
        usual,
        per_node=size,
        scale_up_size=reach,
        scale_out_gbytes_per_s=network / BITS_PER_BYTE / size,
        assumptions=tuple(notes),
    )


def without_efa(hardware: Hardware, ip_gbps: float = 100.0) -> Hardware:
    """The same node with TCP over its ENA interface instead of EFA.

    Parameters
    ----------
    hardware:
        The node with EFA.
    ip_gbps:
        Of the node's ENA; the first card of P5 has 100 Gbps of IP with one private address (AWS
        EFA documentation).
    """
    speed = min(hardware.scale_out_gbytes_per_s, ip_gbps / BITS_PER_BYTE / hardware.per_node)
    return replace(
        hardware,
        scale_out_gbytes_per_s=speed,
        assumptions=(*hardware.assumptions, f"EFA off: {ip_gbps:g} Gbps of IP per node"),
    )


def trainable_types(catalog: Catalog) -> tuple[str, ...]:
    """Instance types of a sweep, sorted: those with known peak, memory and network."""
    found = []
    for name in sorted(catalog.described_names):
        try:
            hardware = of_instance_type(name, catalog)
        except GoalError:
            continue
        if hardware.memory_gib >= SWEEP_MEMORY_GIB:
            found.append(name)
    return tuple(found)


SWEEP_MEMORY_GIB: Final = 22
"""Accelerators with less memory are not tried."""


def _scale_up(instance: InstanceType, count: int, accelerator: str, notes: list[str]) -> int:
    known = _known(instance.scale_up_size)
    if known is not None:
        return max(1, int(known))
    notes.append(f"{accelerator}: size of the link domain unknown; one node assumed")
    return count


def _build(
    *,
    name: str,
    instance_type: str | None,
    accelerator: Accelerator,
    per_node: int,
    scale_up: int,
    link: float | None,
    network_gbps: float,
    memory_gib: float | None,
    notes: list[str],
) -> Hardware:
    key = accelerator.name
    extra = _data()["accelerators"].get(key, {})

    def fact(field: str, given: Fact[float]) -> float:
        known = _known(given)
        if known is not None:
            return float(known)
        if field not in extra:
            reason = given.reason if isinstance(given, Unknown) else ""
            raise GoalError(
                f"{field} of {key} is unknown: {reason}",
                "another accelerator; unknown figures are not estimated",
                field="accelerator",
            )
        value, source = extra[field]
        notes.append(f"{key}: {field} {value:g} ({_data()['sources'][source]})")
        return float(value)

    if scale_up > 1 and not link:
        row = _data()["link_gbytes_per_s"].get(key)
        if row is None:
            scale_up, link = 1, 0.0
        else:
            link = float(row[0])
            notes.append(f"{key}: {link:g} GB/s link ({_data()['sources'][row[1]]})")
    share, source, text = _data()["matmul_ceiling"].get(key) or _data()["matmul_ceiling"]["*"]
    # A domain of one node: accelerators without a shared link use PCIe and the network.
    return Hardware(
        name=name,
        accelerator=key,
        family=str(_known(accelerator.family) or "nvidia"),
        instance_type=instance_type,
        per_node=per_node,
        memory_gib=memory_gib or fact("memory_gib", accelerator.memory_gib),
        memory_gbytes_per_s=1000
        * fact("memory_bandwidth_tbytes_per_s", accelerator.memory_bandwidth_tbytes_per_s),
        bf16_tflops=fact("dense_bf16_tflops", accelerator.dense_bf16_tflops),
        fp8_tflops=fact("dense_fp8_tflops", accelerator.dense_fp8_tflops),
        ceiling=float(share),
        ceiling_source=f"{text}; {_data()['sources'][source]}",
        scale_up_size=scale_up,
        # Sources state link speeds for both directions together.
        scale_up_gbytes_per_s=(link or 0.0) / 2,
        scale_out_gbytes_per_s=network_gbps / BITS_PER_BYTE / per_node,
        assumptions=tuple(notes),
    )


def _known(fact: Fact[Any]) -> Any:
    return fact.value if isinstance(fact, Known) else None


def _needed(fact: Fact[float], what: str) -> float:
    if isinstance(fact, Unknown):
        raise GoalError(f"{what} is unknown: {fact.reason}", field="instance_type")
    return float(fact.value)


@functools.cache
def _data() -> Mapping[str, Any]:
    text = files("clusterwright.sizing").joinpath("data/hardware.json").read_text("utf-8")
    data: Mapping[str, Any] = json.loads(text)
    return data

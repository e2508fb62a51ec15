"""Types of the catalogue. Names have units; values that may be unknown are `Fact`s."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from clusterwright.catalog.facts import Fact

PriceKind = Literal[
    "ec2-on-demand",
    "hyperpod-on-demand",
    "capacity-block",
    "training-plan-offer",
    "ec2-spot",
    "hyperpod-spot",
    # Price paid for capacity bought in advance: only in a user's prices.
    "training-plan",
    "capacity-block-paid",
]
QuotaUse = Literal[
    "hyperpod-cluster",
    "hyperpod-spot",
    "reserved-capacity",
    "ec2-on-demand",
    "ec2-spot",
    "capacity-block",
]
InterfaceKind = Literal["interface", "efa", "efa-only"]


@dataclass(frozen=True)
class LocalNvme:
    """Instance-store disks of one instance."""

    count: int
    size_gb: int
    """Of one disk, in units of 10^9 bytes."""

    @property
    def total_gb(self) -> int:
        return self.count * self.size_gb


@dataclass(frozen=True)
class InstanceType:
    """One EC2 instance type.

    Attributes
    ----------
    accelerator_name:
        As EC2's API names it (`H100`, `Trainium2`); empty without accelerators.
    accelerator:
        The catalogue's key for `Catalog.accelerator` (`A100-80GB`, `Trn2`); empty without.
    accelerator_memory_gib:
        Of one accelerator.
    network_gbps:
        As EC2 states it for the instance; an "up to" figure has a note.
    efa_interfaces:
        Maximum number of EFA interfaces; 0 without EFA.
    efa_generation:
        `v1` to `v4`, or `none`.
    interfaces_max, interfaces_max_card0, interfaces_max_other_cards:
        Network interfaces of the instance, of card 0, and of each other card (0 where there is
        none).
    capacity_block_places:
        Regions and local zones with Capacity Blocks; empty without any.
    scale_up_size:
        Accelerators that share one NVLink or NeuronLink domain.
    scale_up_link_gbytes_per_s:
        Of one accelerator; 0 without such a link.
    topology_layers:
        Network layers of DescribeInstanceTopology; 0 if it does not cover the type.
    """

    name: str
    vcpus: Fact[int]
    cores: Fact[int]
    threads_per_core: Fact[int]
    memory_gib: Fact[float]
    architecture: Fact[str]
    bare_metal: Fact[bool]
    burstable: Fact[bool]
    nitro: Fact[str]
    accelerator_name: Fact[str]
    accelerator: Fact[str]
    accelerator_count: Fact[int]
    accelerator_memory_gib: Fact[float]
    scale_up_size: Fact[int]
    scale_up_link_gbytes_per_s: Fact[float]
    network_gbps: Fact[float]
    network_cards: Fact[int]
    efa_interfaces: Fact[int]
    efa_generation: Fact[str]
    interfaces_max: Fact[int]
    interfaces_max_card0: Fact[int]
    interfaces_max_other_cards: Fact[int]
    ipv4_per_interface: Fact[int]
    local_nvme: Fact[LocalNvme]
    placement_group_cluster: Fact[bool]
    topology_layers: Fact[int]
    hyperpod: Fact[bool]
    training_plan: Fact[bool]
    on_demand: Fact[bool]
    spot: Fact[bool]
    capacity_block_places: Fact[tuple[str, ...]]
    remark: Fact[str] | None
    """A sourced remark."""


@dataclass(frozen=True)
class Price:
    """An amount per unit, such as 55.04 per `instance-hour` or 0.34 per `GB-month`."""

    usd: Decimal
    unit: str


@dataclass(frozen=True)
class Quota:
    """A service quota.

    `default` is what a new account has; what an account has been given is in its own Service
    Quotas. `code` is `None` where it is not known or AWS has none; the quota can then be found by
    its `name` alone. `source` and `date` say where the quota itself is listed.
    """

    service: str
    code: str | None
    name: str
    unit: str
    source: str
    date: str
    default: Fact[float]
    defaults_by_region: tuple[tuple[str, Fact[float]], ...] = ()
    """Defaults by region, `*` for other regions, if they differ; `default` is unknown then."""

    def default_in(self, region: str) -> Fact[float]:
        """The default of one region."""
        table = dict(self.defaults_by_region)
        return table.get(region, table.get("*", self.default))


@dataclass(frozen=True)
class Interface:
    """One network interface of a launch template, with EC2's names for its kind."""

    card: int
    device: int
    kind: InterfaceKind


@dataclass(frozen=True)
class Accelerator:
    """One accelerator, independent of its instance.

    `dense_fp8_tflops` is 0 where it has no FP8. `compute_capability` is NVIDIA's, unknown for
    others. `mig_profiles` is empty where it cannot be partitioned.
    """

    name: str
    family: Fact[str]
    memory_gib: Fact[float]
    memory_bandwidth_tbytes_per_s: Fact[float]
    dense_bf16_tflops: Fact[float]
    dense_fp8_tflops: Fact[float]
    compute_capability: Fact[str]
    scale_up_link_gbytes_per_s: Fact[float]
    mig_profiles: Fact[tuple[str, ...]]
    mig_instances_max: Fact[int]
    precisions: tuple[tuple[str, Fact[bool]], ...]


@dataclass(frozen=True)
class UltraServer:
    """Instances sold together, sharing one scale-up domain."""

    name: str
    api_name: Fact[str]
    hyperpod_name: Fact[str]
    instance_type: Fact[str]
    instance_count: Fact[int]
    accelerator: Fact[str]
    accelerator_count: Fact[int]
    memory_tbytes: Fact[float]
    network_tbits_per_s: Fact[float]
    places: Fact[tuple[str, ...]]

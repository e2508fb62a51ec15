"""Size the shared file system of a run: capacity and bandwidth, in the sizes that FSx offers.

The larger of two requirements decides: capacity (the full checkpoints that are kept, and the part
of the data set that is read) and bandwidth (a checkpoint must be written before the next one, and
a restart must read one back). Checkpoints are written in one of two ways:

blocking
    Accelerators wait while the state is written to Lustre. With saves every Young interval
    sqrt(2 w M) the share of time lost is w / interval = sqrt(w / 2M), so a share of at most `o`
    needs w <= 2 o^2 M.
drained
    The state is written to the node's NVMe first, and copied to Lustre while training continues;
    the copy may take the interval less the blocked share, S / (interval (1 - o)). Only the copy
    to NVMe blocks.

Sources: 14 bytes of full state per parameter (BLOOM 176B and OPT-175B); TiB >= checkpoint GB /
(seconds x GB/s per TiB); FSx's tiers, sizes and client limits from the catalogue, each with its
own source.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.catalog import Catalog, InstanceType, Known, LocalNvme, LustreTier
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.hardware import Hardware
from clusterwright.sizing.memory import FULL_STATE_BYTES
from clusterwright.sizing.plan_types import Explained
from clusterwright.sizing.reliability import young_hours

SaveMode = Literal["blocking", "drained"]

KEPT: Final = 3
"""Full states on the shared file system: the last, the one before, and one being written."""
BLOCKED_SHARE: Final = 0.10
"""Largest share of the time that accelerators wait for saves."""
RESTART_SECONDS: Final = 300.0
"""Time in which a restart reads the state back; restarts take 5 to 20 minutes (Kokolis et al.)."""
NVME_GBYTES_PER_S_PER_DISK: Final = 1.0
"""Assumed: no source gives the write speed of instance-store disks. Below what any data sheet of
such disks states, so that the plan is conservative."""
FILL: Final = 0.85
"""Planned use of the capacity; the rest is a reserve."""
PARALLEL_FILES_PER_RANK: Final = 2
"""A data file and its metadata, per accelerator and checkpoint (PyTorch DCP)."""
GB: Final = 1e9
GIB: Final = 2**30
SHORT_TOKEN_VOCABULARY: Final = 65_536
"""Up to here an indexed data set stores a token in two bytes, above in four (Megatron-LM)."""


ASSOCIATIONS: Final = (
    ("data", "/data", "import NEW, CHANGED, DELETED: training reads it"),
    ("checkpoints", "/checkpoints", "export NEW, CHANGED: survives the file system"),
)
"""Data repository associations: name, path, policy."""


@dataclass(frozen=True)
class LustreChoice:
    """One file system that meets the requirements.

    Attributes
    ----------
    gbytes_per_s:
        Disk throughput of the whole file system, 10^9 bytes a second.
    usd_per_month:
        Capacity and metadata; `None` where a price of this region is unknown.
    governed_by:
        Which requirement decided the capacity.
    """

    throughput_mbps_per_tib: int
    capacity_gib: int
    efa: bool
    metadata_iops: int | None
    gbytes_per_s: float
    governed_by: Literal["capacity", "bandwidth", "smallest size"]
    usd_per_month: float | None
    price_note: str


@dataclass(frozen=True)
class StoragePlan:
    """Storage requirements of a run, and the chosen file system.

    Attributes
    ----------
    checkpoint_bytes, weights_bytes:
        A full state, and the weights alone for release.
    interval_seconds:
        Between saves, by Young for the write that blocks.
    blocking_seconds, blocked_share:
        Of one save, and of the whole run.
    drain_gbytes_per_s, restart_gbytes_per_s, needed_gbytes_per_s:
        To Lustre between saves; to read a state back in `RESTART_SECONDS`; the larger of both.
    restart_seconds:
        Reading one state back from the chosen file system.
    node_gbytes_per_s:
        Rate of one node; above `client_gbytes_per_s` EFA is needed.
    first_epoch_hours:
        Filling Lustre from S3 at the speed of the file system: a lower bound.
    object_bytes:
        In the bucket at the end of the run: the data set, the weights and `KEPT` states. No
        lifecycle rule deletes older exported checkpoints; they are not counted.
    """

    mode: SaveMode
    checkpoint_bytes: float
    weights_bytes: float
    dataset_bytes: float
    kept: int
    interval_seconds: float
    blocking_seconds: float
    blocked_share: float
    drain_gbytes_per_s: float
    restart_gbytes_per_s: float
    needed_gbytes_per_s: float
    node_gbytes_per_s: float
    client_gbytes_per_s: float
    capacity_needed_gib: float
    chosen: LustreChoice
    others: tuple[LustreChoice, ...]
    restart_seconds: float
    first_epoch_hours: float
    object_bytes: float
    object_usd_per_month: float | None
    associations: tuple[tuple[str, str, str], ...]
    warnings: tuple[str, ...]
    explained: tuple[Explained, ...]


def dataset_bytes(tokens: float, vocabulary: int, *, epochs: float = 1.0) -> float:
    """Bytes of a tokenised data set on disk; every epoch reads the same bytes.

    Megatron-LM's indexed data sets store uint16 up to 65,536 entries of vocabulary and int32
    above (`megatron/core/datasets/indexed_dataset.py`, `DType.optimal_dtype`).
    """
    width = 2 if vocabulary <= SHORT_TOKEN_VOCABULARY else 4
    return tokens / max(epochs, 1.0) * width


def interval(write_seconds: float, mtti_hours: float) -> float:
    """Young's interval in seconds: sqrt(2 w M); `write_seconds` is the blocking part of a save."""
    return float(young_hours(write_seconds / 3600, mtti_hours)) * 3600


def longest_blocking_write(mtti_hours: float, blocked_share: float = BLOCKED_SHARE) -> float:
    """Longest blocking save, in seconds, within the blocked share at Young's interval."""
    return 2 * blocked_share**2 * mtti_hours * 3600


def plan_storage(
    *,
    params: float,
    data_bytes: float,
    nodes: int,
    hardware: Hardware,
    mtti_hours: float,
    catalog: Catalog,
    region: str | None = None,
    drained: bool | None = None,
    kept: int = KEPT,
    blocked_share: float = BLOCKED_SHARE,
    working_set: float = 1.0,
    accelerators: int | None = None,
) -> StoragePlan:
    """Size the shared file system of a run.

    Parameters
    ----------
    params, data_bytes:
        Trained parameters; size of the tokenised data set (`dataset_bytes`).
    mtti_hours:
        Mean time to interruption of the whole cluster.
    region:
        For prices, which are unknown without one.
    drained:
        Save through NVMe; by default if the nodes have NVMe.
    working_set:
        Share of the data set that stays on Lustre at a time.

    Raises
    ------
    GoalError
        No single file system of FSx meets the requirements; the hint has a remedy.
    """
    instance = catalog.instance(hardware.instance_type) if hardware.instance_type else None
    state = FULL_STATE_BYTES * params
    saves = _saves(state, nodes, hardware, _nvme(instance), mtti_hours, drained, blocked_share)
    needed = max(saves.bytes_per_s, state / RESTART_SECONDS)
    per_node, client = needed / nodes / GB, catalog.lustre.client_gbps["without-efa"] / 8
    efa = per_node > client
    if efa and not _supports_efa(instance, catalog):
        raise _efa_error(hardware.name, per_node, client)
    capacity = (kept * state + working_set * data_bytes) / FILL / GIB
    files = (accelerators or nodes * hardware.per_node) * PARALLEL_FILES_PER_RANK
    demand = _Demand(capacity, needed / GB, files / min(saves.interval_seconds, 60.0), efa)
    chosen, *others = _choices(demand, catalog, region)
    warnings = saves.warnings
    if chosen.usd_per_month is None:
        warnings = (*warnings, f"the file system is chosen by its size: {chosen.price_note}")
    in_bucket = data_bytes + kept * state + 2 * params
    return StoragePlan(
        mode=saves.mode,
        checkpoint_bytes=state,
        weights_bytes=2 * params,
        dataset_bytes=data_bytes,
        kept=kept,
        interval_seconds=saves.interval_seconds,
        blocking_seconds=saves.blocking_seconds,
        blocked_share=saves.blocking_seconds / saves.interval_seconds,
        drain_gbytes_per_s=saves.bytes_per_s / GB,
        restart_gbytes_per_s=state / RESTART_SECONDS / GB,
        needed_gbytes_per_s=needed / GB,
        node_gbytes_per_s=per_node,
        client_gbytes_per_s=client,
        capacity_needed_gib=capacity,
        chosen=chosen,
        others=tuple(others),
        restart_seconds=state / GB / chosen.gbytes_per_s,
        first_epoch_hours=working_set * data_bytes / GB / chosen.gbytes_per_s / 3600,
        object_bytes=in_bucket,
        object_usd_per_month=_object_price(in_bucket, catalog, region),
        associations=ASSOCIATIONS,
        warnings=warnings,
        explained=(
            *_explained_saves(saves, params, state, mtti_hours),
            *_explained_file_system(state, kept, working_set * data_bytes, capacity, chosen),
        ),
    )


@dataclass(frozen=True)
class _Saves:
    """How checkpoints are written; `bytes_per_s` is the rate to Lustre."""

    mode: SaveMode
    blocking_seconds: float
    interval_seconds: float
    bytes_per_s: float
    warnings: tuple[str, ...]


def _efa_error(name: str, node_gbytes_per_s: float, client_gbytes_per_s: float) -> GoalError:
    return GoalError(
        f"each node would have to move {node_gbytes_per_s:.1f} GB/s, above the "
        f"{client_gbytes_per_s:.1f} GB/s of a client without EFA, and FSx does not support EFA on "
        f"{name}",
        "more nodes, a longer interval between saves, or a type with EFA and Nitro v4",
        field="checkpoints",
    )


def _nvme(instance: InstanceType | None) -> LocalNvme | None:
    known = instance.local_nvme if instance is not None else None
    return known.value if isinstance(known, Known) and known.value.count > 0 else None


def _saves(
    state: float,
    nodes: int,
    hardware: Hardware,
    nvme: LocalNvme | None,
    mtti_hours: float,
    drained: bool | None,
    blocked_share: float,
) -> _Saves:
    """The interval and the rate of checkpoints of `state` bytes.

    Raises
    ------
    GoalError
        Saves through NVMe were requested, and the nodes have none, or too little of it.
    """
    if drained is None:
        drained = nvme is not None
    mode: SaveMode = "drained" if drained else "blocking"
    if mode == "blocking":
        blocking = longest_blocking_write(mtti_hours, blocked_share)
    else:
        if nvme is None:
            raise GoalError(
                f"the catalogue knows no local NVMe of {hardware.name}",
                "blocking saves to the shared file system, or a type with NVMe such as "
                "p5.48xlarge",
                field="checkpoints",
            )
        per_node = state / nodes
        if 2 * per_node > nvme.total_gb * GB:
            raise GoalError(
                f"two states of {per_node / GB:,.0f} GB per node do not fit on the "
                f"{nvme.total_gb:,} GB of NVMe of {hardware.name}",
                "more nodes, or blocking saves",
                field="checkpoints",
            )
        blocking = per_node / (nvme.count * NVME_GBYTES_PER_S_PER_DISK * GB)
    every = interval(blocking, mtti_hours)
    warnings: tuple[str, ...] = ()
    if blocking / every > blocked_share * 1.0001:
        warnings = (
            f"saving blocks {blocking / every:.0%} of the time, above {blocked_share:.0%}: "
            "the local disks are too slow for this mean time to interruption",
        )
    # The blocking time sets Young's interval, but the minimum is a minute: a drain without pauses
    # would compete with reads of the data set.
    every = max(every, 60.0)
    rate = state / (every * (1 - blocked_share)) if mode == "drained" else state / blocking
    return _Saves(mode, blocking, every, rate, warnings)


def _supports_efa(instance: InstanceType | None, catalog: Catalog) -> bool:
    """Whether FSx for Lustre supports EFA on clients of the type."""
    if instance is None or not isinstance(instance.nitro, Known):
        return False
    if instance.name.partition(".")[0] in catalog.lustre.efa_client_refused_families:
        return False
    digits = "".join(c for c in str(instance.nitro.value) if c.isdigit())
    return bool(digits) and int(digits) >= catalog.lustre.efa_client_nitro_min


@dataclass(frozen=True)
class _Demand:
    """Minimum size and speed of the file system; `files_per_s` are created by checkpoints."""

    capacity_gib: float
    gbytes_per_s: float
    files_per_s: float
    efa: bool


def _choices(demand: _Demand, catalog: Catalog, region: str | None) -> list[LustreChoice]:
    """File systems that meet the demand, the cheapest first, or the smallest without prices.

    Raises
    ------
    GoalError
        None does.
    """
    found = [
        choice
        for tier in catalog.lustre.tiers
        if tier.deployment_type == "PERSISTENT_2" and tier.storage_type == "SSD"
        if (choice := _choice(tier, demand, catalog, region))
    ]
    if not found:
        raise GoalError(
            f"no single Lustre file system gives {demand.gbytes_per_s:,.0f} GB/s",
            "several file systems (the spec takes a list), or a longer interval between saves",
            field="checkpoints",
        )
    # Of a region either all prices are known or none.
    return sorted(
        found,
        key=lambda choice: (
            float(choice.capacity_gib) if choice.usd_per_month is None else choice.usd_per_month,
            choice.throughput_mbps_per_tib,
        ),
    )


def _choice(
    tier: LustreTier, demand: _Demand, catalog: Catalog, region: str | None
) -> LustreChoice | None:
    per_tib, efa = tier.throughput_mbps_per_tib, demand.efa
    if per_tib is None or (efa and tier.efa_step_gib is None):
        return None
    # FSx states throughput in MB/s (10^6 bytes) per TiB (2^40 bytes) of storage.
    for_speed = demand.gbytes_per_s * 1000 / per_tib * 1024
    wanted = max(demand.capacity_gib, for_speed)
    below, above = tier.nearest_capacities(math.ceil(wanted), efa=efa)
    size = above or below
    if size is None or size < wanted:
        return None
    governed: Literal["capacity", "bandwidth", "smallest size"] = (
        "bandwidth" if for_speed > demand.capacity_gib else "capacity"
    )
    if wanted < size == _smallest(tier, efa):
        governed = "smallest size"
    automatic = catalog.lustre.automatic_metadata_iops(size)
    metadata = None
    included = automatic.value if isinstance(automatic, Known) else 0
    if demand.files_per_s > included:
        values = [v for v in catalog.lustre.metadata_iops_values if v >= demand.files_per_s]
        if not values:
            return None
        metadata = values[0]
    usd, note = _price(tier, size, metadata, included, catalog, region)
    return LustreChoice(
        throughput_mbps_per_tib=per_tib,
        capacity_gib=size,
        efa=efa,
        metadata_iops=metadata,
        gbytes_per_s=size / 1024 * per_tib / 1000,
        governed_by=governed,
        usd_per_month=usd,
        price_note=note,
    )


def _smallest(tier: LustreTier, efa: bool) -> int:
    if efa:
        return tier.efa_step_gib or 0
    return min([*tier.initial_gib, tier.step_gib])


def _price(
    tier: LustreTier,
    size: int,
    metadata: int | None,
    included: int,
    catalog: Catalog,
    region: str | None,
) -> tuple[float | None, str]:
    if region is None:
        return None, "no price is known without a region"
    item = f"{tier.deployment_type} {tier.storage_type} {tier.throughput_mbps_per_tib}"
    price = catalog.service_price("fsx_lustre", item, region)
    if not isinstance(price, Known):
        return None, f"{item} in {region}: {price.reason}"
    usd = float(price.value.usd) * size
    if metadata is not None:
        extra = catalog.service_price("fsx_lustre", "metadata IOPS above included", region)
        if not isinstance(extra, Known):
            return None, f"metadata IOPS in {region}: {extra.reason}"
        usd += float(extra.value.usd) * max(0, metadata - included)
    return usd, f"{price.source}, {price.date}"


def _object_price(in_bucket: float, catalog: Catalog, region: str | None) -> float | None:
    if region is None:
        return None
    price = catalog.service_price("s3", "Standard storage (first tier)", region)
    return float(price.value.usd) * in_bucket / GB if isinstance(price, Known) else None


def _explained_saves(
    saves: _Saves, params: float, state: float, mtti_hours: float
) -> tuple[Explained, ...]:
    blocking, every = saves.blocking_seconds, saves.interval_seconds
    if saves.mode == "drained":
        write = Explained(
            "drain to Lustre",
            "S / (interval (1 - o))",
            f"{state / GB:.4g} GB / ({every:.4g} s x {1 - BLOCKED_SHARE:g})",
            saves.bytes_per_s / GB,
            "GB/s",
            "a state must be on Lustre before the next save",
        )
    else:
        write = Explained(
            "blocking save",
            "S / w, w = 2 o^2 M",
            f"{state / GB:.4g} GB / {blocking:.4g} s",
            saves.bytes_per_s / GB,
            "GB/s",
            "Young's interval with at most 10 % of the time blocked",
        )
    return (
        Explained(
            "a full checkpoint",
            f"{FULL_STATE_BYTES} N",
            f"{FULL_STATE_BYTES} x {params:.4g}",
            state / GB,
            "GB",
            "BLOOM 176B: 2.3 TB; OPT-175B: 1.6 TB (Zhang et al. 2022)",
        ),
        Explained(
            "between saves",
            "sqrt(2 w M)",
            f"sqrt(2 x {blocking:.3g} s x {mtti_hours:.4g} h)",
            every,
            "s",
            "Young 1974",
        ),
        write,
        Explained(
            "read back at a restart",
            "S / 300 s",
            f"{state / GB:.4g} GB / {RESTART_SECONDS:g} s",
            state / RESTART_SECONDS / GB,
            "GB/s",
            "restart of 5 to 20 minutes (Kokolis et al., arXiv:2410.21680)",
        ),
    )


def _explained_file_system(
    state: float, kept: int, data: float, capacity: float, chosen: LustreChoice
) -> tuple[Explained, ...]:
    return (
        Explained(
            "capacity",
            "(k S + data) / fill",
            f"({kept} x {state / GB:.4g} GB + {data / GB:.4g} GB) / {FILL:g}",
            capacity,
            "GiB",
            "kept states and the part of the data that is read",
        ),
        Explained(
            "the file system",
            "TiB x MB/s per TiB",
            f"{chosen.capacity_gib / 1024:.4g} TiB x {chosen.throughput_mbps_per_tib} MB/s",
            chosen.gbytes_per_s,
            "GB/s",
            "FSx for Lustre guide, as in the catalogue",
        ),
    )

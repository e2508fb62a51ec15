"""The shared file system of a run: what it must hold, how fast it must be, in FSx's real steps.

Two needs, and the larger decides: capacity (full checkpoints that are kept, and the part of the
data set that is read) and bandwidth (a checkpoint must be away before the next one, and a restart
must read one back). Bandwidth is asked of checkpoints in one of two ways:

blocking
    Accelerators wait while the state goes to Lustre. With saves every Young interval
    sqrt(2 w M) the share of time lost is w / interval = sqrt(w / 2M), so a share of at most `o`
    needs w <= 2 o^2 M.
drained
    The state goes to the node's NVMe first, and from there to Lustre while training goes on; the
    drain has the interval less the blocked share, S / (interval (1 - o)). The blocked share is
    the copy to NVMe alone.

Sources: the sizing study's sections 3 and 4 (14 bytes of full state per parameter, BLOOM and OPT;
TiB >= checkpoint GB / (seconds x GB/s per TiB)); FSx's tiers, steps and client limits from the
catalogue, each with its own source.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.catalog import Catalog, Known, LustreTier
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.hardware import Hardware
from clusterwright.sizing.memory import FULL_STATE_BYTES
from clusterwright.sizing.plan_types import Explained
from clusterwright.sizing.reliability import young_hours

SaveMode = Literal["blocking", "drained"]

KEPT: Final = 3
"""Full states on the shared file system: the last, the one before, and one being written."""
BLOCKED_SHARE: Final = 0.10
"""Of the time, that saving may keep accelerators waiting."""
RESTART_SECONDS: Final = 300.0
"""In which a restart shall have read the state back; u0 of the sizing study is 5 to 20 minutes."""
NVME_GBYTES_PER_S_PER_DISK: Final = 1.0
"""Assumed: no source here gives the write speed of instance-store disks. Lower than what any data
sheet of such disks states, so that a plan does not rest on it."""
FILL: Final = 0.85
"""Of the capacity that is planned full; the rest is for what nobody planned."""
PARALLEL_FILES_PER_RANK: Final = 2
"""A data file and its metadata, per accelerator and checkpoint (PyTorch DCP)."""
GB: Final = 1e9
GIB: Final = 2**30
SHORT_TOKEN_VOCABULARY: Final = 65_536
"""Up to here an indexed data set stores a token in two bytes, above in four (Megatron-LM)."""


@dataclass(frozen=True)
class LustreChoice:
    """One file system that would do.

    Attributes
    ----------
    gbytes_per_s:
        Disk throughput of the whole file system, 10^9 bytes a second.
    usd_per_month:
        Capacity and metadata; `None` where a price of this region is unknown.
    governed_by:
        Which need decided the capacity.
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
    """What a run needs of storage, and what was chosen.

    Attributes
    ----------
    checkpoint_bytes, weights_bytes:
        A full state, and the weights alone for release.
    interval_seconds:
        Between saves, by Young for the write that blocks.
    blocking_seconds, blocked_share:
        Of one save, and of the whole run.
    drain_gbytes_per_s, restart_gbytes_per_s, needed_gbytes_per_s:
        To Lustre between saves; to read a state back in `RESTART_SECONDS`; the larger.
    restart_seconds:
        Reading one state back with the file system that was chosen.
    node_gbytes_per_s:
        What one node sends at the needed rate; above `client_gbytes_per_s` EFA is needed.
    first_epoch_hours:
        Filling Lustre from S3 at the file system's own speed: at least so long.
    object_bytes:
        In the bucket at the end: exported checkpoints are kept for ever by nobody; weights and
        `KEPT` states are.
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
    """Bytes of a tokenised data set on disk; several epochs read the same bytes again.

    Megatron-LM's indexed data sets store uint16 up to 65,536 entries of vocabulary and int32
    above (`megatron/core/datasets/indexed_dataset.py`, `DType.optimal_dtype`).
    """
    width = 2 if vocabulary <= SHORT_TOKEN_VOCABULARY else 4
    return tokens / max(epochs, 1.0) * width


def interval(write_seconds: float, mtti_hours: float) -> float:
    """Young's interval, seconds: sqrt(2 w M). `write_seconds` is what blocks."""
    return float(young_hours(write_seconds / 3600, mtti_hours)) * 3600


def longest_blocking_write(mtti_hours: float, blocked_share: float = BLOCKED_SHARE) -> float:
    """The slowest blocking save, seconds, that keeps the blocked share with Young's interval."""
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
    params:
        All parameters that are trained.
    data_bytes:
        Of the tokenised data set (`dataset_bytes`).
    mtti_hours:
        Mean time to interruption of the whole cluster.
    region:
        For prices; without one they are unknown.
    drained:
        Save through NVMe. `None`: where the nodes have NVMe.
    working_set:
        Share of the data set that stays on Lustre at a time.

    Raises
    ------
    GoalError
        No single file system that FSx builds would do; says what would.
    """
    instance = catalog.instance(hardware.instance_type) if hardware.instance_type else None
    nvme = (
        instance.local_nvme.value if instance and isinstance(instance.local_nvme, Known) else None
    )
    disks = nvme.count if nvme is not None else 0
    mode: SaveMode = "drained" if (disks > 0 if drained is None else drained) else "blocking"
    if mode == "drained" and disks == 0:
        raise GoalError(
            f"{hardware.name} has no local NVMe that the catalogue knows of",
            "blocking saves to the shared file system, or a type with NVMe such as p5.48xlarge",
            field="checkpoints",
        )
    state = FULL_STATE_BYTES * params
    warnings: list[str] = []
    if mode == "drained":
        per_node = state / nodes
        blocking = per_node / (disks * NVME_GBYTES_PER_S_PER_DISK * GB)
        every = interval(blocking, mtti_hours)
        if 2 * per_node > nvme.total_gb * GB:  # type: ignore[union-attr]
            raise GoalError(
                f"two states of {per_node / GB:,.0f} GB per node do not fit on the "
                f"{nvme.total_gb:,} GB of NVMe of {hardware.name}",  # type: ignore[union-attr]
                "more nodes, or blocking saves",
                field="checkpoints",
            )
    else:
        blocking = longest_blocking_write(mtti_hours, blocked_share)
        every = interval(blocking, mtti_hours)
    share = blocking / every
    if share > blocked_share * 1.0001:
        warnings.append(
            f"saving blocks {share:.0%} of the time, above {blocked_share:.0%}: "
            "the nodes' own disks are too slow for this mean time to interruption"
        )
    # What blocks sets Young's interval, but nothing leaves the node faster than once a minute:
    # a drain that never rests would compete with the data set's reads.
    every = max(every, 60.0)
    drain = state / (every * (1 - blocked_share)) if mode == "drained" else state / blocking
    restart = state / RESTART_SECONDS
    needed = max(drain, restart) / GB
    node = max(drain, restart) / nodes / GB
    client = catalog.lustre.client_gbps["without-efa"] / 8
    wants_efa = node > client
    takes_efa = _takes_efa(instance, catalog)
    if wants_efa and not takes_efa:
        raise GoalError(
            f"each node would have to move {node:.1f} GB/s, above the {client:.1f} GB/s that a "
            f"client without EFA gets, and {hardware.name} is no EFA client of FSx",
            "more nodes, a longer interval between saves, or a type with EFA and Nitro v4",
            field="checkpoints",
        )
    capacity = (kept * state + working_set * data_bytes) / FILL / GIB
    files_per_second = (
        (accelerators or nodes * hardware.per_node) * PARALLEL_FILES_PER_RANK / min(every, 60.0)
    )
    choices = [
        choice
        for tier in catalog.lustre.tiers
        if tier.deployment_type == "PERSISTENT_2" and tier.storage_type == "SSD"
        if (
            choice := _choice(tier, capacity, needed, files_per_second, wants_efa, catalog, region)
        )
    ]
    if not choices:
        raise GoalError(
            f"no single Lustre file system gives {needed:,.0f} GB/s",
            "several file systems (the spec takes a list), or a longer interval between saves",
            field="checkpoints",
        )
    # By money where prices are known (all or none of a region's are), else by capacity.
    choices.sort(
        key=lambda one: (
            one.usd_per_month if one.usd_per_month is not None else float(one.capacity_gib),
            one.throughput_mbps_per_tib,
        )
    )
    chosen = choices[0]
    in_bucket = data_bytes + kept * state + 2 * params
    if chosen.usd_per_month is None:
        warnings.append(f"Lustre is chosen by its size: {chosen.price_note}")
    return StoragePlan(
        mode=mode,
        checkpoint_bytes=state,
        weights_bytes=2 * params,
        dataset_bytes=data_bytes,
        kept=kept,
        interval_seconds=every,
        blocking_seconds=blocking,
        blocked_share=blocking / every,
        drain_gbytes_per_s=drain / GB,
        restart_gbytes_per_s=restart / GB,
        needed_gbytes_per_s=needed,
        node_gbytes_per_s=node,
        client_gbytes_per_s=client,
        capacity_needed_gib=capacity,
        chosen=chosen,
        others=tuple(choices[1:]),
        restart_seconds=state / GB / chosen.gbytes_per_s,
        first_epoch_hours=working_set * data_bytes / GB / chosen.gbytes_per_s / 3600,
        object_bytes=in_bucket,
        object_usd_per_month=_object_price(in_bucket, catalog, region),
        associations=(
            ("data", "/data", "import NEW, CHANGED, DELETED: training reads it"),
            ("checkpoints", "/checkpoints", "export NEW, CHANGED: survives the file system"),
        ),
        warnings=tuple(warnings),
        explained=_explained(
            params,
            state,
            mode,
            blocking,
            every,
            mtti_hours,
            drain,
            restart,
            capacity,
            kept,
            working_set * data_bytes,
            chosen,
        ),
    )


def _takes_efa(instance: object, catalog: Catalog) -> bool:
    nitro = getattr(instance, "nitro", None)
    name = str(getattr(instance, "name", ""))
    if not isinstance(nitro, Known) or name.partition(".")[0] in (
        catalog.lustre.efa_client_refused_families
    ):
        return False
    digits = "".join(letter for letter in str(nitro.value) if letter.isdigit())
    return bool(digits) and int(digits) >= catalog.lustre.efa_client_nitro_min


def _choice(
    tier: LustreTier,
    capacity_gib: float,
    needed_gbytes_per_s: float,
    files_per_second: float,
    efa: bool,
    catalog: Catalog,
    region: str | None,
) -> LustreChoice | None:
    per_tib = tier.throughput_mbps_per_tib
    if per_tib is None or (efa and tier.efa_step_gib is None):
        return None
    # MB/s here are 10^6 bytes, TiB 2^40: FSx states throughput per TiB of storage.
    for_speed = needed_gbytes_per_s * 1000 / per_tib * 1024
    wanted = max(capacity_gib, for_speed)
    below, above = tier.nearest_capacities(math.ceil(wanted), efa=efa)
    size = above or below
    if size is None or size < wanted:
        return None
    smallest = capacity_gib < size and for_speed < size and size == _smallest(tier, efa)
    governed: Literal["capacity", "bandwidth", "smallest size"] = (
        "bandwidth" if for_speed > capacity_gib else "capacity"
    )
    if smallest:
        governed = "smallest size"
    automatic = catalog.lustre.automatic_metadata_iops(size)
    metadata = None
    included = automatic.value if isinstance(automatic, Known) else 0
    if files_per_second > included:
        values = [v for v in catalog.lustre.metadata_iops_values if v >= files_per_second]
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
        return None, "no region, so no price"
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


def _explained(
    params: float,
    state: float,
    mode: SaveMode,
    blocking: float,
    every: float,
    mtti_hours: float,
    drain: float,
    restart: float,
    capacity: float,
    kept: int,
    data: float,
    chosen: LustreChoice,
) -> tuple[Explained, ...]:
    study = "FSx for Lustre guide, by the catalogue"
    rows = [
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
    ]
    if mode == "drained":
        rows.append(
            Explained(
                "drain to Lustre",
                "S / (interval (1 - o))",
                f"{state / GB:.4g} GB / ({every:.4g} s x {1 - BLOCKED_SHARE:g})",
                drain / GB,
                "GB/s",
                "the state must be away before the next save",
            )
        )
    else:
        rows.append(
            Explained(
                "blocking save",
                "S / w, w = 2 o^2 M",
                f"{state / GB:.4g} GB / {blocking:.4g} s",
                drain / GB,
                "GB/s",
                "Young's interval with at most 10 % of the time blocked",
            )
        )
    rows += [
        Explained(
            "read back at a restart",
            "S / 300 s",
            f"{state / GB:.4g} GB / {RESTART_SECONDS:g} s",
            restart / GB,
            "GB/s",
            "u0 of 5 to 20 minutes (Kokolis et al., arXiv:2410.21680)",
        ),
        Explained(
            "capacity",
            "(k S + data) / fill",
            f"({kept} x {state / GB:.4g} GB + {data / GB:.4g} GB) / {FILL:g}",
            capacity,
            "GiB",
            "kept states and what is read of the data",
        ),
        Explained(
            "the file system",
            "TiB x MB/s per TiB",
            f"{chosen.capacity_gib / 1024:.4g} TiB x {chosen.throughput_mbps_per_tib} MB/s",
            chosen.gbytes_per_s,
            "GB/s",
            study,
        ),
    ]
    return tuple(rows)

"""FSx for Lustre: tiers, sizes, throughput, metadata IOPS, associations and clients.

Every rule is AWS's; where it was read is in each tier's `source` and in the module's data file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clusterwright.catalog.facts import Fact, Known, Unknown
from clusterwright.catalog.store import Store

_SMALLEST_SERVER_GIB = 2_400
"""Upper bound for the number of object servers if no source gives their size."""


@dataclass(frozen=True)
class LustreTier:
    """One choice of deployment, storage and throughput.

    Attributes
    ----------
    throughput_mbps_per_tib:
        `None` for SCRATCH and Intelligent-Tiering, which take no such setting.
    initial_gib, step_gib:
        A capacity is one of `initial_gib` or a multiple of `step_gib`; 0 where no capacity is
        given (Intelligent-Tiering).
    efa_step_gib:
        With EFA, capacities are multiples of this minimum; `None` without EFA.
    network_baseline_mbps_per_tib, network_burst_mbps_per_tib:
        Of the file system's servers.
    associations:
        Whether data repository associations can be attached.
    """

    deployment_type: str
    storage_type: str
    throughput_mbps_per_tib: int | None
    initial_gib: tuple[int, ...]
    step_gib: int
    efa_step_gib: int | None
    network_baseline_mbps_per_tib: Fact[int]
    network_burst_mbps_per_tib: Fact[int]
    associations: bool
    source: str
    date: str

    def is_valid_capacity(self, capacity_gib: int, *, efa: bool = False) -> bool:
        """Whether FSx accepts this capacity."""
        if efa:
            step = self.efa_step_gib
            return step is not None and capacity_gib >= step and capacity_gib % step == 0
        if capacity_gib in self.initial_gib:
            return True
        step = self.step_gib
        return step > 0 and capacity_gib >= step and capacity_gib % step == 0

    def nearest_capacities(
        self, capacity_gib: int, *, efa: bool = False
    ) -> tuple[int | None, int | None]:
        """The nearest valid capacities below and above (both equal to a valid one)."""
        step = (self.efa_step_gib or 0) if efa else self.step_gib
        if step == 0:
            return None, None
        candidates = {capacity_gib // step * step, -(-capacity_gib // step) * step}
        candidates |= set() if efa else set(self.initial_gib)
        valid = sorted(c for c in candidates if self.is_valid_capacity(c, efa=efa))
        below = max((c for c in valid if c <= capacity_gib), default=None)
        above = min((c for c in valid if c >= capacity_gib), default=None)
        return below, above


@dataclass(frozen=True)
class LustreServers:
    """Servers of one file system; each uses an address of its subnet.

    The number is exact where AWS documents a server's size: EFA file systems and
    Intelligent-Tiering. Elsewhere it is between `least` and `most`: who must have room plans
    with the most, and who refuses does so by the least.
    """

    least: int
    most: int


@dataclass(frozen=True)
class LustreLocalZoneRule:
    """Limits of file systems in a local zone."""

    zones: tuple[str, ...]
    deployment_type: str
    throughput_mbps_per_tib: tuple[int, ...]
    efa: bool


class LustreFacts:
    """Facts on FSx for Lustre."""

    def __init__(self, store: Store) -> None:
        content = store.document("lustre")
        self._store = store
        self._content = content
        performance = store.source(content["performance_source"])
        self.tiers: tuple[LustreTier, ...] = tuple(
            _tier(store, written, performance) for written in content["tiers"]
        )
        metadata = content["metadata"]
        self.metadata_iops_values: tuple[int, ...] = (
            *metadata["iops"],
            *range(2 * metadata["step"], metadata["maximum"] + 1, metadata["step"]),
        )
        """Valid user-provisioned metadata IOPS of SSD file systems."""
        tiering = content["intelligent_tiering"]
        self.tiering_metadata_iops_values: tuple[int, ...] = tuple(tiering["metadata_iops"])
        self.tiering_throughput_step_mbps: int = tiering["throughput_step_mbps"]
        self.tiering_throughput_max_mbps: int = tiering["throughput_max_mbps"]
        self.tiering_cache_gib_per_step: tuple[int, int] = (
            tiering["cache_min_gib_per_step"],
            tiering["cache_max_gib_per_step"],
        )
        """Least and most SSD read cache per throughput step."""
        associations = content["associations"]
        self.associations_max: int = associations["per_file_system_max"]
        self.association_events: tuple[str, ...] = tuple(associations["events"])
        clients = content["clients"]
        self.gpudirect_storage_types: frozenset[str] = frozenset(
            clients["gpudirect_storage_types"]
        )
        self.client_gbps: dict[str, int] = {
            "without-efa": clients["gbps_without_efa"],
            "efa": clients["gbps_with_efa"],
            "gpudirect": clients["gbps_with_gpudirect"],
        }
        self.client_gbps_per_object_server: int = clients["gbps_per_client_per_object_server"]
        self.efa_client_nitro_min: int = clients["efa_minimum_nitro"]
        self.efa_client_refused_families: frozenset[str] = frozenset(
            clients["efa_refused_families"]
        )
        zones = content["local_zones"]
        self.local_zone_rule = LustreLocalZoneRule(
            tuple(zones["zones"]),
            zones["deployment_type"],
            tuple(zones["throughput"]),
            zones["efa"],
        )
        self.ports: tuple[str, ...] = tuple(content["security_group_ports"]["ports"])
        self.iops_per_metadata_server: int = content["addresses"]["iops_per_metadata_server"]

    def source(self, part: str) -> tuple[str, str]:
        """Title and date of a part of the data: `metadata`, `associations`, `clients`, ..."""
        block: dict[str, Any] = self._content[part]
        return self._store.source(block["source"])

    def tier(
        self,
        deployment_type: str,
        storage_type: str = "SSD",
        throughput_mbps_per_tib: int | None = None,
    ) -> LustreTier | None:
        """The tier of these settings, or `None` for an invalid combination."""
        for tier in self.tiers:
            if (tier.deployment_type, tier.storage_type, tier.throughput_mbps_per_tib) == (
                deployment_type,
                storage_type,
                throughput_mbps_per_tib,
            ):
                return tier
        return None

    def throughput_values(
        self, deployment_type: str, storage_type: str = "SSD"
    ) -> tuple[int, ...]:
        """Valid `throughput_mbps_per_tib`; empty if the tier has none."""
        return tuple(
            tier.throughput_mbps_per_tib
            for tier in self.tiers
            if (tier.deployment_type, tier.storage_type) == (deployment_type, storage_type)
            and tier.throughput_mbps_per_tib is not None
        )

    def servers(
        self,
        tier: LustreTier | None,
        *,
        capacity_gib: int = 0,
        tiering_mbps: int | None = None,
        metadata_iops: int | None = None,
        efa: bool = False,
    ) -> LustreServers:
        """Metadata and object servers of a file system.

        One metadata server per 12,000 IOPS; one object server per EFA step of the tier, or per
        4,000 MB/s with Intelligent-Tiering (FSx for Lustre guide; the catalogue's figures).
        Without EFA no source gives a server's size: at least one of the EFA step where the tier
        has one, at most one per 2,400 GiB, which is more than FSx builds.

        Parameters
        ----------
        tier:
            `None` with Intelligent-Tiering, or where the combination is not known.
        tiering_mbps:
            Throughput of an Intelligent-Tiering file system, in MB/s.
        metadata_iops:
            `None` where the setting is left to FSx: one server at least, and at most as
            AUTOMATIC mode grows, 12,000 IOPS per 24,000 GiB.
        """
        automatic = self._content["metadata"]
        if metadata_iops is None:
            metadata_least = 1
            metadata_most = max(1, -(-capacity_gib // automatic["automatic_large_step_gib"]))
        else:
            metadata_least = metadata_most = -(-metadata_iops // self.iops_per_metadata_server)
        if tiering_mbps is not None:
            least = most = -(-tiering_mbps // self.tiering_throughput_step_mbps)
        else:
            step = tier.efa_step_gib if tier is not None else None
            least = -(-capacity_gib // step) if step else 1
            most = least if efa and step else -(-capacity_gib // _SMALLEST_SERVER_GIB)
        return LustreServers(metadata_least + least, metadata_most + max(least, most))

    def automatic_metadata_iops(self, capacity_gib: int) -> Fact[int]:
        """Metadata IOPS of an SSD file system of this capacity in AUTOMATIC mode.

        From 48,000 GiB the documentation gives 12,000 per 24,000 GiB; a part of a step is taken
        as not counting, and the answer is then marked derived.
        """
        metadata = self._content["metadata"]
        title, date = self._store.source(metadata["automatic_source"])
        if capacity_gib >= metadata["automatic_large_from_gib"]:
            steps, rest = divmod(capacity_gib, metadata["automatic_large_step_gib"])
            note = "12,000 per whole 24,000 GiB" if rest else ""
            iops = steps * metadata["automatic_large_iops_per_step"]
            return Known(iops, title, date, note, derived=bool(rest))
        reached = [iops for start, iops in metadata["automatic"] if start <= capacity_gib]
        if not reached:
            return Unknown(f"{capacity_gib} GiB is below the smallest SSD file system")
        return Known(reached[-1], title, date)


def _tier(store: Store, written: dict[str, Any], performance: tuple[str, str]) -> LustreTier:
    title, date = store.source(written["source"])

    def network(key: str) -> Fact[int]:
        if key not in written:
            return Unknown("not collected")
        return Known(written[key], *performance)

    return LustreTier(
        written["deployment_type"],
        written["storage_type"],
        written.get("throughput"),
        tuple(written.get("initial_gib", ())),
        written.get("step_gib", 0),
        written.get("efa_step_gib"),
        network("network_baseline"),
        network("network_burst"),
        written["associations"],
        title,
        date,
    )

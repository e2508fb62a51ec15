"""Quotas of FSx for Lustre and FSx for OpenZFS.

Source of the codes: AWS General Reference, FSx quotas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clusterwright.aws.fsx import FileSystem
from clusterwright.cluster_spec.models.storage import Home, Lustre
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Context, Path, Subjects
from clusterwright.preflight.rules.quotas.quota_rule import (
    QuotaDemand,
    QuotaRule,
    ServiceQuota,
    Usage,
    by_stack,
)

_SOURCE = "AWS General Reference, FSx quotas"
_FAILS = "CreateFileSystem fails with ServiceLimitExceeded"
_CAPACITY_CODES = {
    "PERSISTENT_2": "L-8F1B9C74",
    "PERSISTENT_1": "L-C8640C82",
    "SCRATCH": "L-AD2FC696",
}
_COUNT_CODES = {
    "PERSISTENT_2": "L-FD6F2F22",
    "PERSISTENT_1": "L-9AFA1F09",
    "SCRATCH": "L-C48231E5",
}
_TIERING_THROUGHPUT = ServiceQuota(
    "fsx", "L-0CD18A5D", "Lustre Persistent Intelligent-Tiering throughput capacity", "MBps"
)
_READ_CACHE = ServiceQuota(
    "fsx",
    "L-B7391FCE",
    "Lustre Persistent Intelligent-Tiering SSD read cache storage capacity",
    "GiB",
)
_HDD = ServiceQuota(
    "fsx", "L-736F3D6F", "Lustre Persistent HDD storage capacity (per file system)", "GiB"
)


def class_of(deployment_type: str) -> str:
    """PERSISTENT_2, PERSISTENT_1 or SCRATCH: the classes of the quotas."""
    return "SCRATCH" if deployment_type.startswith("SCRATCH") else deployment_type


def _new(context: Context) -> Iterator[tuple[Path, Lustre]]:
    """The Lustre file systems that the stacks create."""
    for index, fs in enumerate(context.cluster.storage.lustre):
        if fs.existing is None:
            yield ("storage", "lustre", index), fs


def _capacities(context: Context) -> Subjects[QuotaDemand]:
    sizes: dict[str, list[tuple[int, Path]]] = {}
    for path, fs in _new(context):
        # Intelligent-Tiering and HDD have separate quotas.
        if fs.capacity_gib and fs.storage_type == "SSD":
            found = sizes.setdefault(class_of(fs.deployment_type), [])
            found.append((fs.capacity_gib, (*path, "capacity_gib")))
    for kind, found in sizes.items():
        label = f"Lustre {kind.capitalize()} storage capacity"
        quota = ServiceQuota("fsx", _CAPACITY_CODES[kind], label, "GiB")
        amount = sum(size for size, _ in found)
        demand = quota.demand(amount, f"Lustre {kind} file systems need", key=kind)
        yield max(found, key=lambda pair: pair[0])[1], demand


def _counts(context: Context) -> Subjects[QuotaDemand]:
    paths: dict[str, list[Path]] = {}
    for path, fs in _new(context):
        paths.setdefault(class_of(fs.deployment_type), []).append(path)
    for kind, found in paths.items():
        count = len(found)
        quota = ServiceQuota("fsx", _COUNT_CODES[kind], f"Lustre {kind.capitalize()} file systems")
        needed_by = f"{count} new Lustre file system{'s need' if count > 1 else ' needs'}"
        yield found[0], quota.demand(count, needed_by, key=kind)


def _tiering_throughput(context: Context) -> Subjects[QuotaDemand]:
    found = [(p, fs) for p, fs in _new(context) if fs.storage_type == "INTELLIGENT_TIERING"]
    amount = sum(fs.throughput_mbps or 0 for _, fs in found)
    if amount:
        demand = _TIERING_THROUGHPUT.demand(amount, "Intelligent-Tiering file systems need")
        yield (*found[0][0], "throughput_mbps"), demand


def _read_caches(context: Context) -> Subjects[QuotaDemand]:
    sizes = [
        (fs.read_cache.capacity_gib, path)
        for path, fs in _new(context)
        if fs.read_cache is not None and fs.read_cache.capacity_gib
    ]
    if sizes:
        amount = sum(size for size, _ in sizes)
        demand = _READ_CACHE.demand(amount, "Intelligent-Tiering file systems need")
        yield (*max(sizes)[1], "read_cache", "capacity_gib"), demand


def _hdd(context: Context) -> Subjects[QuotaDemand]:
    for path, fs in _new(context):
        if fs.storage_type == "HDD" and fs.capacity_gib:
            demand = _HDD.demand(fs.capacity_gib, f"`{fs.name}` needs")
            yield (*path, "capacity_gib"), demand


def _home(amount: Callable[[Home], float | None]) -> Callable[[Context], float | None]:
    """An amount of the home directories that the stacks create."""

    def of_context(context: Context) -> float | None:
        home = context.cluster.storage.home
        return amount(home) if home is not None and home.existing is None else None

    return of_context


def _of_file_systems(
    kind: str,
    amount: Callable[[FileSystem], float] = lambda fs: 1,
    *,
    where: Callable[[FileSystem, QuotaDemand], bool] = lambda fs, demand: True,
) -> Usage:
    """The usage by file systems of one kind; failed ones do not count."""
    return by_stack(
        FileSystems(),
        amount,
        where=lambda fs, demand: (
            fs.kind == kind and fs.lifecycle != "FAILED" and where(fs, demand)
        ),
    )


RULES = (
    QuotaRule(
        id="CW-Q030",
        title="Lustre storage capacity",
        prevents=f"{_FAILS}: the default is 100,800 GiB",
        source=_SOURCE,
        demands=_capacities,
        usage=_of_file_systems(
            "LUSTRE",
            lambda fs: fs.capacity_gib,
            where=lambda fs, demand: (
                class_of(fs.deployment_type) == demand.key and fs.storage_type == "SSD"
            ),
        ),
    ),
    QuotaRule(
        id="CW-Q031",
        title="Number of Lustre file systems",
        prevents=f"{_FAILS}: the default is 100 of each kind",
        source=_SOURCE,
        demands=_counts,
        usage=_of_file_systems(
            "LUSTRE", where=lambda fs, demand: class_of(fs.deployment_type) == demand.key
        ),
    ),
    QuotaRule(
        id="CW-Q032",
        title="Intelligent-Tiering throughput",
        prevents=f"{_FAILS}: the default is 100,000 MBps",
        source=_SOURCE,
        demands=_tiering_throughput,
        usage=_of_file_systems(
            "LUSTRE",
            lambda fs: fs.throughput_mbps,
            where=lambda fs, demand: fs.storage_type == "INTELLIGENT_TIERING",
        ),
    ),
    QuotaRule(
        id="CW-Q033",
        title="HDD storage capacity per Lustre file system",
        prevents=f"{_FAILS}: the default is 102,000 GiB",
        source=_SOURCE,
        demands=_hdd,
    ),
    QuotaRule(
        id="CW-Q034",
        title="Number of OpenZFS file systems",
        prevents=f"{_FAILS}: the default is 100",
        source=_SOURCE,
        demands=ServiceQuota("fsx", "L-59D0763F", "OpenZFS file systems").at(
            ("storage", "home"), "home directories need", _home(lambda home: 1)
        ),
        usage=_of_file_systems("OPENZFS"),
    ),
    QuotaRule(
        id="CW-Q035",
        title="OpenZFS storage capacity",
        prevents=_FAILS,
        source=_SOURCE,
        demands=ServiceQuota("fsx", "L-88479C21", "OpenZFS SSD storage capacity", "GiB").at(
            ("storage", "home", "capacity_gib"),
            "home directories need",
            _home(lambda home: home.capacity_gib or 0),
        ),
        usage=_of_file_systems("OPENZFS", lambda fs: fs.capacity_gib),
    ),
    QuotaRule(
        id="CW-Q036",
        title="OpenZFS throughput",
        prevents=f"{_FAILS}: the default is 10,240 MBps",
        source=_SOURCE,
        demands=ServiceQuota("fsx", "L-4EDE4065", "OpenZFS throughput capacity", "MBps").at(
            ("storage", "home", "throughput_mbps"),
            "home directories need",
            _home(lambda home: home.throughput_mbps),
        ),
        usage=_of_file_systems("OPENZFS", lambda fs: fs.throughput_mbps),
    ),
    QuotaRule(
        id="CW-Q037",
        title="OpenZFS storage capacity per file system",
        prevents=f"{_FAILS}: the default is 524,288 GiB",
        source=_SOURCE,
        demands=ServiceQuota(
            "fsx", "L-7D5FDD38", "OpenZFS SSD storage capacity (per file system)", "GiB"
        ).at(
            ("storage", "home", "capacity_gib"),
            "home directories need",
            _home(lambda home: home.capacity_gib),
        ),
    ),
    QuotaRule(
        id="CW-Q038",
        title="Intelligent-Tiering read cache",
        prevents=f"{_FAILS}: the default is 100,800 GiB",
        source=_SOURCE,
        demands=_read_caches,
        usage=_of_file_systems("LUSTRE", lambda fs: fs.read_cache_gib),
    ),
)

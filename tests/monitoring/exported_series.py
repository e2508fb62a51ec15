"""Series of a cluster as Prometheus has them: samples of the exporter's own sources on fake nodes.

Each group has two nodes. In a sick cluster the first hangs and the second idles, both with every
fault that a source can report. Series of programs that are not ours (Prometheus itself, cAdvisor,
the API server, Kueue) have the names and labels of the table, with the values below.
"""

from __future__ import annotations

import functools
import itertools
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from clusterwright_metrics.scrape import Scraper, load_sources
from clusterwright_metrics.text import Metrics

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.monitoring.metrics import metrics, sources
from clusterwright.monitoring.series import exporter_role
from clusterwright.platforms import accelerators
from tests.monitoring.complete_node import State, complete_node
from tests.nodes.metrics.fake_node import Machine, parsed

MINUTES: Final = 120
"""Length of the series, with one sample a minute."""

Labels = tuple[tuple[str, str], ...]
Sample = tuple[str, Labels, float]

_LABELS_OF_OTHERS: Final[Mapping[str, tuple[str, ...]]] = {
    "namespace": ("training",),
    "pod": ("worker-0",),
    # cAdvisor also has a series of the whole pod, without a container.
    "container": ("main", ""),
    "device": ("/dev/nvme1n1",),
    "interface": ("eth0",),
    "verb": ("GET",),
    "resource": ("pods",),
    "code": ("200", "500"),
    "request_kind": ("readOnly", "mutating"),
    "cluster_queue": ("team-a",),
    "cohort": ("cluster",),
    "flavor": ("workers",),
    "status": ("active", "pending"),
    "reason": ("Preempted",),
}
_FAULTS: Final = re.compile(
    r"_(errs?|drop|drops|dropped|errors?|retrans|unresponsive|impaired|oom|ecc)_"
    r"|VIOLATION|REPLAY|CRC|REMAPPED"
)
"""Counters that do not grow in a healthy cluster."""


def series_of(cluster: Cluster, names: frozenset[str], *, sick: bool) -> dict[str, str]:
    """Series of the metrics `names` with their values, in promtool's notation."""
    found = {}
    for name, labels, value in _samples(cluster, sick=sick):
        if name not in names:
            continue
        quoted = ",".join(f'{key}="{text}"' for key, text in labels)
        grows = metrics()[name].kind == "counter" and (sick or not _is_fault(name, labels))
        found[f"{name}{{{quoted}}}"] = f"{value:g}+{60 if grows else 0}x{MINUTES}"
    return found


def _is_fault(name: str, labels: Labels) -> bool:
    return bool(_FAULTS.search(name)) or dict(labels).get("status") == "hw_error"


def _samples(cluster: Cluster, *, sick: bool) -> Iterator[Sample]:
    numbers = itertools.count(10)
    nodes = [
        (group, f"ip-10-1-0-{next(numbers)}", f"{group.name}-{which}", which)
        for group in cluster.compute
        for which in range(2)
    ]
    mounts = tuple(fs.mount_path for fs in cluster.storage.lustre)
    slurm = _slurm(tuple((group.name, name, which) for group, name, _, which in nodes), sick)
    for group, name, instance, which in nodes:
        state: State = "healthy" if not sick else "idle" if which else "hung"
        target = (
            ("cluster", cluster.environment),
            ("group", group.name),
            # On HyperPod the name in the API, which is not that in Slurm.
            ("node", instance),
            ("instance_id", f"i-{instance}"),
            ("job", "clusterwright"),
            ("instance", f"{name}:9177"),
        )
        for source in sorted(_sources(cluster, group)):
            samples = slurm if source == "slurm" else _exported(source, state, mounts)
            if source == "acceptance":
                samples = _accepted(samples, cluster)
            for metric, labels, value in samples:
                own = (("slurm_node", name),) if metric == "clusterwright_node_info" else labels
                yield metric, (*own, *target), value
        for metric, labels, value in (
            *_others("prometheus"),
            *_own(exporter_role(cluster, group), state),
        ):
            yield metric, (*labels, *target), value
        if cluster.uses_kubernetes:
            for metric, labels, value in _of_kubernetes():
                if sick or dict(labels).get("code") != "500":
                    yield metric, (*labels, *target), value


def _of_kubernetes() -> Iterator[Sample]:
    for exporter in ("cadvisor", "apiserver", "kueue"):
        yield from _others(exporter)


def _sources(cluster: Cluster, group: ComputeGroup) -> set[str]:
    """The sources that find something on a node of the group."""
    family = accelerators.family(group.instance_type, load_catalog())
    return set(load_sources(exporter_role(cluster, group))) - ({"nvidia", "neuron"} - {family})


@functools.cache
def _exported(source: str, state: State, mounts: tuple[str, ...]) -> tuple[Sample, ...]:
    """What a source of the exporter returns on a node with these Lustre mounts."""
    with tempfile.TemporaryDirectory() as folder:
        return _collected(source, complete_node(Path(folder), state, mounts=mounts))


@functools.cache
def _slurm(nodes: tuple[tuple[str, str, int], ...], sick: bool) -> tuple[Sample, ...]:
    """What the controller exports: one job on the first node of each group, and one that waits.

    In a healthy cluster the job holds both nodes.
    """
    states = ("drained", "idle") if sick else ("allocated", "allocated")
    sinfo = "".join(
        f"{group} |{name} |{states[which]} |gpu:h100:8,neuron:2 |gpu:h100:{8 - 8 * which},neuron:1"
        " |none\n"
        for group, name, which in nodes
    )
    held = [(group, name) for group, name, which in nodes if not (sick and which)]
    squeue = "".join(f"{group}|RUNNING|7|{name}\n" for group, name in held)
    squeue += f"{nodes[0][0]}|PENDING|9|\n"
    with tempfile.TemporaryDirectory() as folder:
        machine = complete_node(Path(folder), sinfo=sinfo, squeue=squeue)
        return _collected("slurm", machine)


def _accepted(samples: tuple[Sample, ...], cluster: Cluster) -> tuple[Sample, ...]:
    """The samples for each instance type of the cluster."""
    types = {group.instance_type for group in cluster.compute if group.role == "compute"}
    return tuple(
        (metric, tuple({**dict(labels), "instance_type": name}.items()), value)
        for metric, labels, value in samples
        for name in sorted(types)
    )


def _collected(source: str, machine: Machine) -> tuple[Sample, ...]:
    found = Metrics()
    on_controller = source in load_sources("controller")
    loaded = load_sources("controller" if on_controller else "compute")
    loaded[source].collect(machine.probe(), found)
    return tuple(
        (family.name, labels, value)
        for family in found.families.values()
        for labels, value in family.samples
    )


@functools.cache
def _own(role: str, state: State) -> tuple[Sample, ...]:
    """What a scrape adds about the sources."""
    with tempfile.TemporaryDirectory() as folder:
        machine = complete_node(Path(folder), state)
        scraper = Scraper(role, machine.probe, tell=lambda _: None)
        return tuple(
            (name, tuple(sorted(labels)), value)
            for (name, labels), value in parsed(scraper.text()).items()
            if name.startswith("clusterwright_source_")
        )


@functools.cache
def _others(exporter: str) -> tuple[Sample, ...]:
    """Every combination of labels of the metrics of a program that is not ours."""
    return tuple(
        (metric.name, tuple(zip(metric.labels, values, strict=True)), 1.0)
        for source in sources()
        if source.exporter == exporter
        for metric in source.metrics
        for values in itertools.product(*(_LABELS_OF_OTHERS[key] for key in metric.labels))
    )

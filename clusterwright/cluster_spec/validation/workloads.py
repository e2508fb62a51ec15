"""Kubernetes workloads: names, charts, queues and jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clusterwright.cluster_spec.karpenter import runs_in_cluster
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.workloads import Job
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.cluster_spec.validation import training_jobs

HERE: Path = ("kubernetes", "workloads")

SHARED_MEMORY = "/dev/shm"  # noqa: S108

MAXIMUM_FLAVORS = 64
"""Flavors of one resource group of a ClusterQueue (kubernetes-sigs/kueue,
apis/kueue/v1beta1/clusterqueue_types.go, commit 00b014c)."""

MAXIMUM_TAINTS = 8
"""Taints, and tolerations, of a ResourceFlavor (the same, resourceflavor_types.go, 00caa31)."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    if not cluster.uses_kubernetes:
        return
    workloads = cluster.kubernetes.workloads
    yield from _unique("priorities", [priority.name for priority in workloads.priorities])
    yield from _unique("charts", [chart.name for chart in workloads.charts])
    yield from _unique("jobs", [job.name for job in workloads.jobs])
    for index, priority in enumerate(workloads.priorities):
        if priority.name.startswith("system-"):
            yield Problem(
                "the name prefix `system-` is reserved by Kubernetes",
                (*HERE, "priorities", index, "name"),
            )
    yield from _charts(cluster)
    yield from _queues(cluster)
    for index, job in enumerate(workloads.jobs):
        yield from _job(cluster, job, (*HERE, "jobs", index))


def queued(cluster: Cluster) -> bool:
    """Return whether Kueue's queues are rendered, not created by HyperPod's task governance."""
    return (
        cluster.kubernetes.workloads.queueing != "none"
        and cluster.hyperpod.task_governance is None
    )


def _unique(key: str, names: Sequence[str]) -> Iterator[Problem]:
    seen: dict[str, Path] = {}
    for index, name in enumerate(names):
        path: Path = (*HERE, key, index, "name")
        if name in seen:
            yield Problem(f"duplicate `{name}`", path, other_path=seen[name])
        seen.setdefault(name, path)


def _charts(cluster: Cluster) -> Iterator[Problem]:
    here = cluster.traits.charts
    for index, chart in enumerate(cluster.kubernetes.workloads.charts):
        path: Path = (*HERE, "charts", index, "name")
        if chart.name not in here:
            yield Problem(
                f"{cluster.platform} does not install the chart {chart.name}",
                path,
                hint=f"supported charts: {', '.join(sorted(here))}",
                other_path=("platform",),
            )
        elif chart.name == "karpenter" and not runs_in_cluster(cluster):
            yield Problem(
                "Karpenter is not installed: autoscaling is off",
                path,
                hint="kubernetes.autoscaling: karpenter, or omit the chart",
                other_path=("kubernetes", "autoscaling"),
            )
        elif chart.name == "kueue" and not queued(cluster):
            yield Problem(
                "Kueue is not installed with these settings",
                path,
                hint="omit the chart",
                other_path=(*HERE, "queueing"),
            )
        paths = sorted(chart.values)
        for above in paths:
            for below in paths:
                if below.startswith(f"{above}."):
                    yield Problem(
                        f"`{above}` is a value and cannot also have nested values",
                        (*HERE, "charts", index, "values", below),
                        other_path=(*HERE, "charts", index, "values", above),
                    )


def _queues(cluster: Cluster) -> Iterator[Problem]:
    workloads = cluster.kubernetes.workloads
    if cluster.hyperpod.task_governance is not None and workloads.queueing is not None:
        yield Problem(
            "HyperPod's task governance installs Kueue and creates the queues",
            (*HERE, "queueing"),
            hint="omit it",
            other_path=("hyperpod", "task_governance"),
        )
    if workloads.topology_api is not None and not cluster.on_hyperpod:
        yield Problem(
            "topology labels of nodes are known for HyperPod only",
            (*HERE, "topology_api"),
            hint="omit it",
            other_path=("platform",),
        )
    if not queued(cluster):
        return
    groups = [i for i, g in enumerate(cluster.compute) if g.role == "compute"]
    if len(groups) > MAXIMUM_FLAVORS:
        yield Problem(
            f"a queue has at most {MAXIMUM_FLAVORS} flavours, one for each compute group",
            ("compute", groups[MAXIMUM_FLAVORS]),
            hint="fewer groups, or kubernetes.workloads.queueing: none",
        )
    for index in groups:
        if len(cluster.compute[index].taints) > MAXIMUM_TAINTS:
            yield Problem(
                f"Kueue supports at most {MAXIMUM_TAINTS} taints per group",
                ("compute", index, "taints"),
                other_path=(*HERE, "queueing"),
            )


def _job(cluster: Cluster, job: Job, here: Path) -> Iterator[Problem]:
    for path, mount_path in _mounts(cluster, job):
        if mount_path == SHARED_MEMORY:
            yield Problem(
                "pods of jobs mount their shared memory at this path", path, other_path=here
            )
    yield from _job_tenant(cluster, job, here)
    yield from _job_nodes(cluster, job, here)
    if job.kind == "hyperpod-pytorch":
        if not cluster.on_hyperpod:
            yield Problem(
                f"{cluster.platform} does not support HyperPod's training operator",
                (*here, "kind"),
                hint="kind: pytorch",
                other_path=("platform",),
            )
        elif all(addon.name != "training-operator" for addon in cluster.hyperpod.addons):
            yield Problem(
                "HyperPod's training operator is not installed",
                (*here, "kind"),
                hint="hyperpod.addons: [{name: training-operator}]",
                rests_on=(("hyperpod", "addons"),),
            )
    yield from training_jobs.problems(cluster, job, here)


def _mounts(cluster: Cluster, job: Job) -> Iterator[tuple[Path, str]]:
    """Yield the mount paths of a job's pods, with their paths in the spec."""
    for key in ("lustre", "buckets"):
        for index, storage in enumerate(getattr(cluster.storage, key)):
            if storage.mount_path is not None:
                yield ("storage", key, index, "mount_path"), storage.mount_path
    if cluster.storage.home is not None:
        yield ("storage", "home", "mount_path"), cluster.storage.home.mount_path
    for index, group in enumerate(cluster.compute):
        if group.name == job.group and group.scratch is not None:
            yield ("compute", index, "scratch", "mount_path"), group.scratch.mount_path


def _job_tenant(cluster: Cluster, job: Job, here: Path) -> Iterator[Problem]:
    names = [tenant.name for tenant in cluster.tenants]
    if job.tenant is None:
        if names:
            yield Problem(
                "`tenant` is missing",
                (*here, "tenant"),
                missing_key=True,
                hint=f"tenant: one of {', '.join(names)}",
            )
    elif job.tenant not in names:
        yield Problem(
            f"tenant `{job.tenant}` does not exist",
            (*here, "tenant"),
            hint=did_you_mean(job.tenant, names) or "omit it: the spec has no tenants",
            rests_on=(("tenants",),),
        )


def _job_nodes(cluster: Cluster, job: Job, here: Path) -> Iterator[Problem]:
    groups = {g.name: g for g in cluster.compute if g.role == "compute"}
    group = groups.get(job.group)
    if group is None:
        yield Problem(
            f"compute group `{job.group}` does not exist",
            (*here, "group"),
            hint=did_you_mean(job.group, list(groups)),
            rests_on=(("compute",),),
        )
        return
    if group.restricted:
        yield Problem("example jobs cannot run on a restricted group", (*here, "group"))
    if group.mig_profile is not None:
        yield Problem(
            "example jobs use whole accelerators, and those of the group are partitioned",
            (*here, "group"),
        )
    most = max(group.count, group.max_count or 0) - group.spare_count
    if job.node_count > most:
        yield Problem(
            f"`{group.name}` has {most} nodes for jobs",
            (*here, "node_count"),
            rests_on=(("compute",),),
        )

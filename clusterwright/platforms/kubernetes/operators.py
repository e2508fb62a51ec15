"""What jobs need in a Kubernetes cluster, in the order of installation.

Add-ons come with the stacks, charts and manifests do not. Each entry says what it provides: kinds
of objects and resources of nodes. An entry whose version or digest is unknown has no commands: it
is refused until the spec has the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.workloads import Chart
from clusterwright.cluster_spec.validation.workloads import queued
from clusterwright.platforms.hyperpod_eks import addons as sagemaker
from clusterwright.platforms.kubernetes import control_plane
from clusterwright.platforms.kubernetes.charts import (
    UNKNOWN,
    ListedChart,
    listed_charts,
    wanted_charts,
)
from clusterwright.platforms.kubernetes.groups import EFA, has_efa, node_resources
from clusterwright.platforms.kubernetes.operator_releases import MPI_JOB, PYTORCH_JOB, RELEASES

HYPERPOD_JOB: Final = "sagemaker.amazonaws.com/v1 HyperPodPyTorchJob"
KUEUE: Final = "kueue.x-k8s.io"
DEFAULT_VERSION: Final = "default of EKS at deployment"

FROM_GIT: Final = "hyperpod-helm-chart"
"""The chart whose repository is a Git repository."""

KINDS: Final = {"pytorch": PYTORCH_JOB, "nccl-tests": MPI_JOB, "hyperpod-pytorch": HYPERPOD_JOB}
"""The kind of object of each kind of job in the spec."""

DEFINITIONS: Final = {
    PYTORCH_JOB: "pytorchjobs.kubeflow.org",
    MPI_JOB: "mpijobs.kubeflow.org",
    HYPERPOD_JOB: "hyperpodpytorchjobs.sagemaker.amazonaws.com",
    f"{KUEUE} ClusterQueue": f"clusterqueues.{KUEUE}",
    f"{KUEUE} LocalQueue": f"localqueues.{KUEUE}",
    "karpenter.sh NodePool": "nodepools.karpenter.sh",
    "karpenter.k8s.aws EC2NodeClass": "ec2nodeclasses.karpenter.k8s.aws",
}
"""The custom resource definition of each kind."""

Kind = Literal["eks-add-on", "sagemaker-add-on", "chart", "manifest"]


@dataclass(frozen=True, kw_only=True)
class Operator:
    """One entry of the list.

    Attributes
    ----------
    order:
        1 is installed first.
    provides:
        Kinds of objects, resources of nodes, or what it does.
    needed_by:
        What needs it.
    version, sha256:
        `None` if unknown; a digest is that of a chart's archive, or of a manifest.
    commit:
        Of a release that is a Git repository, not one file.
    missing:
        What is unknown; with it there are no commands.
    commands:
        That install it; empty for what `cdk deploy` installs.
    ready:
        Shows that it is there.
    """

    name: str
    kind: Kind
    provides: tuple[str, ...]
    needed_by: str
    version: str | None
    ready: str
    source: str
    date: str
    order: int = 0
    namespace: str | None = None
    sha256: str | None = None
    commit: str | None = None
    installed_by: str = "cdk deploy"
    commands: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    hint: str | None = None


def operators(cluster: Cluster, catalog: Catalog, file: str) -> list[Operator]:
    """What the cluster's jobs need, in the order of installation.

    Parameters
    ----------
    file:
        The spec, as the commands name it.
    """
    found = list(_in_order(cluster, catalog, file))
    return [replace(one, order=number) for number, one in enumerate(found, start=1)]


def listed(one: Operator) -> dict[str, object]:
    """An entry as plain data, `unknown` where a value is missing; empty keys are left out."""
    values = {
        "order": one.order,
        "name": one.name,
        "kind": one.kind,
        "version": one.version,
        "sha256": one.sha256,
        "commit": one.commit,
        "namespace": one.namespace,
        "provides": list(one.provides),
        "needed_by": one.needed_by,
        "installed_by": one.installed_by,
        "commands": list(one.commands),
        "ready": one.ready,
        "missing": list(one.missing),
        "hint": one.hint,
        "source": one.source,
        "date": one.date,
    } | dict.fromkeys(one.missing, UNKNOWN)
    return {key: value for key, value in values.items() if value not in (None, [])}


def job_kinds(cluster: Cluster) -> tuple[str, ...]:
    """Kinds of the spec's jobs, and of the jobs that clusterwright writes for any cluster."""
    operated = any(addon.name == "training-operator" for addon in cluster.hyperpod.addons)
    wanted = {KINDS[job.kind] for job in cluster.kubernetes.workloads.jobs}
    wanted |= {MPI_JOB, HYPERPOD_JOB if operated else PYTORCH_JOB}
    return tuple(kind for kind in KINDS.values() if kind in wanted)


def required(cluster: Cluster, catalog: Catalog) -> set[str]:
    """Kinds of objects and resources of nodes that jobs and queues use."""
    found = set(job_kinds(cluster))
    for group in cluster.compute:
        found |= set(node_resources(group, catalog).devices())
        if group.role == "compute" and has_efa(group, catalog):
            found.add(EFA)
    if queued(cluster):
        found |= {f"{KUEUE} ClusterQueue", f"{KUEUE} LocalQueue"}
    return found


def _in_order(cluster: Cluster, catalog: Catalog, file: str) -> Iterator[Operator]:
    addons = control_plane.addons(cluster)
    before = [addon for addon in addons if addon.name in control_plane.BEFORE_NODES]
    for addon in before:
        yield _addon(cluster, addon.name, addon.version, "nodes, before they are ready")
    charts = wanted_charts(cluster, catalog)
    # HyperPod requires its chart before its nodes exist; Kueue comes after the operators.
    first = [name for name in charts if name == FROM_GIT]
    for name in first:
        yield _chart(cluster, catalog, name, file)
    for addon in addons:
        if addon not in before:
            yield _addon(cluster, addon.name, addon.version, _ADDON_USES[addon.name])
    yield from _sagemaker(cluster)
    for name in charts:
        if name not in {*first, "kueue"}:
            yield _chart(cluster, catalog, name, file)
    yield from _job_operators(cluster)
    if "kueue" in charts:
        yield _chart(cluster, catalog, "kueue", file)


_ADDON_USES: Final = {
    "coredns": "names of services, by which the workers of a job find each other",
    "aws-fsx-csi-driver": "volumes on Lustre",
    "aws-mountpoint-s3-csi-driver": "volumes on S3",
    "metrics-server": "kubectl top, and autoscaling of endpoints",
    "eks-node-monitoring-agent": "node repair",
    "amazon-cloudwatch-observability": "logs and metrics of containers",
}


def _addon(cluster: Cluster, name: str, version: str | None, needed_by: str) -> Operator:
    return Operator(
        name=name,
        kind="eks-add-on",
        provides=(),
        needed_by=needed_by,
        version=version or DEFAULT_VERSION,
        ready=_active(cluster, name),
        source='EKS user guide, "AWS add-ons"',
        date="2026-11-21",
    )


def _active(cluster: Cluster, name: str) -> str:
    return (
        f"aws eks wait addon-active --region {cluster.region} --cluster-name "
        f"{control_plane.cluster_name(cluster)} --addon-name {name}"
    )


def _sagemaker(cluster: Cluster) -> Iterator[Operator]:
    hyperpod = cluster.hyperpod
    wanted = {addon.name: addon.version for addon in hyperpod.addons}
    if "training-operator" in wanted or hyperpod.inference is not None:
        yield replace(
            _addon(cluster, sagemaker.CERTIFICATES, None, "webhooks of SageMaker's operators"),
            source=_SAGEMAKER_SOURCE,
        )
    rows: list[tuple[str, str | None, tuple[str, ...], str]] = []
    if "training-operator" in wanted:
        rows.append(
            (
                sagemaker.NAMES["training-operator"],
                wanted["training-operator"],
                (HYPERPOD_JOB,),
                "jobs of the kind hyperpod-pytorch",
            )
        )
    if "observability" in wanted:
        rows.append(
            (
                sagemaker.NAMES["observability"],
                wanted["observability"],
                ("metrics of nodes, accelerators and jobs",),
                "dashboards and alerts",
            )
        )
    if hyperpod.task_governance is not None:
        rows.append(
            (
                sagemaker.TASK_GOVERNANCE,
                hyperpod.task_governance.addon_version,
                ("a queue for each tenant's namespace",),
                "queues, priorities and shares of tenants",
            )
        )
    for name, version, provides, needed_by in rows:
        definition = [DEFINITIONS[kind] for kind in provides if kind in DEFINITIONS]
        yield Operator(
            name=name,
            kind="sagemaker-add-on",
            provides=provides,
            needed_by=needed_by,
            version=version or DEFAULT_VERSION,
            ready=_established(*definition) if definition else _active(cluster, name),
            source=_SAGEMAKER_SOURCE,
            date="2026-11-21",
        )


_SAGEMAKER_SOURCE: Final = (
    "aws/sagemaker-hyperpod-cluster-setup, eks/cloudformation (commit 0ab564d); SageMaker "
    "developer guide"
)


def _established(*definitions: str) -> str:
    names = " ".join(f"crd/{name}" for name in definitions)
    return f"kubectl wait --for=condition=Established --timeout=5m {names}"


def _chart(cluster: Cluster, catalog: Catalog, name: str, file: str) -> Operator:
    listed = listed_charts()[name]
    given: dict[str, Chart] = {chart.name: chart for chart in cluster.kubernetes.workloads.charts}
    own = given.get(name)
    version = (own.version if own is not None else None) or listed.version
    digest = own.sha256 if own is not None else None
    if digest is None and version == listed.version:
        digest = listed.sha256
    provides, needed_by = _of_chart(cluster, catalog, name)
    values = {"version": version, "repository": listed.repository, "sha256": digest}
    missing = tuple(what for what, value in values.items() if value is None)
    return Operator(
        name=name,
        kind="chart",
        provides=provides,
        needed_by=needed_by,
        version=version,
        sha256=digest,
        namespace=listed.namespace,
        installed_by="helm",
        commands=() if missing else tuple(_helm(listed, version or "", digest or "", file)),
        missing=missing,
        hint=_CHART_HINT if missing else _GIT_HINT if name == FROM_GIT else None,
        ready=_ready(provides, listed.namespace),
        source=listed.source,
        date=listed.date,
    )


_CHART_HINT: Final = (
    "pull and read the chart, then set version and sha256 of its archive in "
    "kubernetes.workloads.charts"
)
_GIT_HINT: Final = (
    "the archive is that of `helm package` of the commit that you reviewed: "
    "docs/how-to/use-hyperpod-eks.md"
)


def _helm(listed: ListedChart, version: str, digest: str, file: str) -> Iterator[str]:
    archive = f"{listed.name}-{version}.tgz"
    repository = listed.repository or ""
    if repository.startswith("oci://"):
        yield f"helm pull {repository.rstrip('/')}/{listed.name} --version {version}"
    elif listed.name != FROM_GIT:
        yield f"helm pull {listed.name} --repo {repository} --version {version}"
    yield f"echo '{digest}  {archive}' | sha256sum --check"
    yield (
        f"clusterwright render kubernetes {file} --part values --chart {listed.name} > "
        f"{listed.name}.yaml"
    )
    release = "hyperpod-dependencies" if listed.name == FROM_GIT else listed.name
    yield (
        f"helm upgrade --install {release} {archive} --namespace {listed.namespace} "
        f"--create-namespace --values {listed.name}.yaml"
    )


def _of_chart(cluster: Cluster, catalog: Catalog, name: str) -> tuple[tuple[str, ...], str]:
    """What a chart provides on this cluster, and what needs it."""
    devices: dict[str, None] = {}
    for group in cluster.compute:
        devices |= dict.fromkeys(node_resources(group, catalog).devices())
    nvidia = tuple(each for each in devices if each.startswith("nvidia.com/"))
    neuron = tuple(each for each in devices if each.startswith("aws.amazon.com/"))
    efa = any(has_efa(g, catalog) for g in cluster.compute if g.role == "compute")
    if name == FROM_GIT:
        jobs = tuple(kind for kind in job_kinds(cluster) if kind != HYPERPOD_JOB)
        provided = (*nvidia, *neuron, *((EFA,) if efa else ()), *jobs)
        return (*provided, "health monitoring", "restart of jobs"), "HyperPod, before its nodes"
    return {
        "nvidia-device-plugin": (nvidia, "pods with NVIDIA GPUs"),
        "neuron-helm-chart": (neuron, "pods with Neuron devices"),
        "aws-efa-k8s-device-plugin": ((EFA,), "pods with EFA interfaces"),
        "karpenter": (
            ("karpenter.sh NodePool", "karpenter.k8s.aws EC2NodeClass"),
            "nodes for pending pods",
        ),
        "kueue": (
            (f"{KUEUE} ClusterQueue", f"{KUEUE} LocalQueue"),
            "queues and shares of tenants",
        ),
    }[name]


def _ready(provides: tuple[str, ...], namespace: str) -> str:
    """A command that shows the definitions, or the resources of nodes."""
    definitions = [DEFINITIONS[kind] for kind in provides if kind in DEFINITIONS]
    resources = [each for each in provides if "." in each and "/" in each and " " not in each]
    if definitions:
        return _established(*definitions)
    if resources:
        columns = ",".join(
            f"{each.rsplit('/', 1)[1].upper()}:.status.allocatable.{_escaped(each)}"
            for each in resources
        )
        return f"kubectl get nodes --output 'custom-columns=NAME:.metadata.name,{columns}'"
    return f"kubectl --namespace {namespace} get pods"


def _escaped(resource: str) -> str:
    """A key with dots in a JSONPath of kubectl."""
    return resource.replace(".", "\\.")


def _job_operators(cluster: Cluster) -> Iterator[Operator]:
    """Kubeflow's operators where no chart has them."""
    if cluster.on_hyperpod:
        return
    used = job_kinds(cluster)
    for release in RELEASES:
        if release.provides not in used:
            continue
        kind = next(key for key, of in KINDS.items() if of == release.provides)
        yield Operator(
            name=release.name,
            kind="manifest",
            provides=(release.provides,),
            needed_by=f"jobs of the kind {kind}",
            version=release.version,
            sha256=release.sha256,
            commit=release.commit,
            namespace=release.namespace,
            installed_by="kubectl",
            commands=release.commands,
            hint=release.hint,
            ready=_established(DEFINITIONS[release.provides]),
            source=release.source,
            date=release.date,
        )

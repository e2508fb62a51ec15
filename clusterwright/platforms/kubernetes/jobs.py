"""Example jobs: whole nodes with all accelerators and EFA interfaces, every file system mounted.

Sources: kubeflow/training-operator, pkg/apis/kubeflow.org/v1 (2f18ab7); kubeflow/mpi-operator,
pkg/apis/kubeflow/v2beta1/types.go (013fa15); sagemaker-hyperpod 3.12.0, _HyperPodPytorchJob;
SageMaker developer guide, "Using the training operator to run jobs" and "Using elastic training in
Amazon SageMaker HyperPod", "Running jobs using kubectl" (auto-resume);
aws/sagemaker-hyperpod-checkpointless-training, examples/llama3/launch,
pretrain_llama3_70b_p5.yaml and pretrain_llama3_70b_checkpointless_p5.yaml (24520b4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.tenants import Tenant
from clusterwright.cluster_spec.models.workloads import Checkpointless, Job
from clusterwright.cluster_spec.validation.workloads import queued
from clusterwright.platforms.kubernetes.groups import (
    EFA,
    HUGEPAGES,
    HYPERPOD_HEALTH,
    INSTANCE_TYPE,
    efa_count,
    group_labels,
    has_efa,
    instance_label,
    node_resources,
    tolerations,
)
from clusterwright.platforms.kubernetes.karpenter import pod_annotations
from clusterwright.platforms.kubernetes.objects import TENANT_LABEL, Manifest, manifest
from clusterwright.platforms.kubernetes.queues import QUEUE
from clusterwright.platforms.kubernetes.storage import volumes_of
from clusterwright.platforms.kubernetes.tenants import OPERATOR_PORT, namespace_of, tenants_of

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
"""Labels of jobs (sagemaker-hyperpod 3.12.0, KUEUE_QUEUE_NAME_LABEL_KEY and
KUEUE_WORKLOAD_PRIORITY_CLASS_LABEL_KEY)."""

GOVERNED_QUEUE_SUFFIX = "-localqueue"
"""Suffix of the queue that task governance creates (same source,
SAGEMAKER_MANAGED_LOCAL_QUEUE_SUFFIX).
"""

GOVERNED_PRIORITY_SUFFIX = "-priority"
"""Suffix of the priority classes of task governance (SageMaker developer guide, HyperPod task
governance)."""

AUTO_RESUME = "sagemaker.amazonaws.com/enable-job-auto-resume"
AUTO_RESUME_RETRIES = "sagemaker.amazonaws.com/job-max-retry-count"
"""Annotations of a PyTorchJob that HyperPod restarts after it has replaced a failed node
(SageMaker developer guide, "Running jobs using kubectl"). The operator of HyperPodPyTorchJob has
its own restart policy."""

ROOTLESS_PORTS = "20000 65535"
"""The range of local ports in the example without a root (checkpointless, 24520b4)."""

SERVER_LABEL = "app.kubernetes.io/name"
"""Label of a server's pods (Kubernetes documentation, "Recommended Labels")."""

_DISRUPTED = {"type": "DisruptionTarget", "status": "True"}
"""Condition of a pod that was evicted, such as by a drain (Kubernetes documentation, "Pod
disruption conditions")."""

Pod = dict[str, Any]


def job_manifests(cluster: Cluster, catalog: Catalog) -> Iterator[Manifest]:
    """Return the jobs of the spec. Raises UnknownFactError if the EFA interfaces of a type are
    unknown.
    """
    tenants = {tenant.name: tenant for tenant in tenants_of(cluster)}
    for job in cluster.kubernetes.workloads.jobs:
        tenant = tenants[job.tenant] if job.tenant else next(iter(tenants.values()))
        yield job_manifest(cluster, catalog, job, tenant)


def job_manifest(cluster: Cluster, catalog: Catalog, job: Job, tenant: Tenant) -> Manifest:
    """Return one job, of the spec or of `render jobs`. Raises UnknownFactError."""
    group = next(group for group in cluster.compute if group.name == job.group)
    return _KINDS[job.kind](cluster, catalog, job, tenant, group)


def task_manifest(
    cluster: Cluster,
    catalog: Catalog,
    job: Job,
    tenant: Tenant,
    *,
    cpus: int | None,
    ends_job: Sequence[int],
) -> Manifest:
    """Return an indexed Job of `job.node_count` tasks, each in a pod that is tried again.

    Parameters
    ----------
    cpus:
        Of a task without accelerators; None for a whole node each.
    ends_job:
        Exit codes after which another try would not help.

    Raises
    ------
    UnknownFactError
        The EFA interfaces of the type are unknown.
    """
    group = next(group for group in cluster.compute if group.name == job.group)
    pod = whole_node_pod(cluster, catalog, job, tenant, group, container="task")
    if cpus is not None:
        requests = {**_defaults(tenant), "cpu": str(cpus)}
        pod["containers"][0]["resources"] = {"requests": requests}
    pod["restartPolicy"] = "Never"
    # Kubernetes documentation, Jobs, "Pod failure policy".
    rules: list[dict[str, Any]] = [
        {"action": "Ignore", "onPodConditions": [_DISRUPTED]},
        {"action": "FailJob", "onExitCodes": {"operator": "In", "values": list(ends_job)}},
    ]
    spec = {
        "completionMode": "Indexed",
        "completions": job.node_count,
        "parallelism": job.node_count,
        "backoffLimit": job.max_restarts,
        "podFailurePolicy": {"rules": rules},
        "template": pod_template(cluster, group, pod),
    }
    return tenant_object("batch/v1", "Job", cluster, job, tenant, spec)


def server_manifests(
    cluster: Cluster,
    catalog: Catalog,
    job: Job,
    tenant: Tenant,
    *,
    port: int,
    health_path: str,
    start_seconds: int,
) -> tuple[Manifest, Manifest]:
    """Return the Deployment of a server on one whole node, and its Service.

    Parameters
    ----------
    health_path, start_seconds:
        The path that answers when it is healthy, and how long it may take at its start.

    Raises
    ------
    UnknownFactError
        The EFA interfaces of the type are unknown.
    """
    group = next(group for group in cluster.compute if group.name == job.group)
    pod = whole_node_pod(cluster, catalog, job, tenant, group, container="server")
    container = pod["containers"][0]
    container["ports"] = [{"name": "http", "containerPort": port}]
    probe = {"httpGet": {"path": health_path, "port": "http"}, "timeoutSeconds": 10}
    container["startupProbe"] = {
        **probe,
        "periodSeconds": 10,
        "failureThreshold": max(1, start_seconds // 10),
    }
    container["readinessProbe"] = {**probe, "periodSeconds": 20, "failureThreshold": 1}
    container["livenessProbe"] = {**probe, "periodSeconds": 20, "failureThreshold": 3}
    own = {SERVER_LABEL: job.name}
    template = pod_template(cluster, group, pod)
    labels = {**own, TENANT_LABEL: tenant.name}
    template["metadata"] = {**template.get("metadata", {}), "labels": labels}
    deployment = tenant_object(
        "apps/v1",
        "Deployment",
        cluster,
        job,
        tenant,
        {
            "replicas": 1,
            # Its accelerators are not there twice.
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": own},
            "template": template,
        },
    )
    service = manifest(
        "v1",
        "Service",
        job.name,
        namespace=namespace_of(cluster, tenant),
        labels={TENANT_LABEL: tenant.name},
        spec={"selector": own, "ports": [{"name": "http", "port": port, "targetPort": "http"}]},
    )
    return deployment, service


def _pytorch(
    cluster: Cluster, catalog: Catalog, job: Job, tenant: Tenant, group: ComputeGroup
) -> Manifest:
    pod = whole_node_pod(cluster, catalog, job, tenant, group, container="pytorch")
    template = pod_template(cluster, group, pod)
    return tenant_object(
        "kubeflow.org/v1",
        "PyTorchJob",
        cluster,
        job,
        tenant,
        {
            "nprocPerNode": str(node_resources(group, catalog).accelerator_count or 1),
            "runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": job.max_restarts},
            # Without a replica Master only this policy gives torchrun an address to meet at.
            "elasticPolicy": {
                "rdzvBackend": "c10d",
                "minReplicas": job.node_count,
                "maxReplicas": job.node_count,
            },
            "pytorchReplicaSpecs": {
                "Worker": {
                    "replicas": job.node_count,
                    "restartPolicy": "OnFailure",
                    "template": template,
                }
            },
        },
        annotations=_auto_resume(cluster, job),
    )


def _auto_resume(cluster: Cluster, job: Job) -> dict[str, str]:
    """Return the annotations of a job that resumes after its node is replaced; empty elsewhere."""
    replaced = cluster.traits.on_hyperpod and cluster.resilience.node_recovery == "automatic"
    if not replaced or job.max_restarts == 0:
        return {}
    return {AUTO_RESUME: "true", AUTO_RESUME_RETRIES: str(job.max_restarts)}


def _hyperpod_pytorch(
    cluster: Cluster, catalog: Catalog, job: Job, tenant: Tenant, group: ComputeGroup
) -> Manifest:
    pod = whole_node_pod(cluster, catalog, job, tenant, group, container="pytorch")
    pod["containers"][0]["ports"] = [{"containerPort": OPERATOR_PORT}]
    if job.checkpointless is not None:
        _without_checkpoints(pod, job.checkpointless)
    spec: dict[str, Any] = {
        "nprocPerNode": str(node_resources(group, catalog).accelerator_count or 1),
        "replicaSpecs": [
            {
                "name": "worker",
                "replicas": job.node_count if job.elastic is None else job.elastic.min_nodes,
                **({"maxReplicas": job.node_count} if job.elastic is not None else {}),
                "template": {"spec": pod},
            }
        ],
        "runPolicy": {"cleanPodPolicy": "None", "jobMaxRetryCount": job.max_restarts},
    }
    if job.elastic is not None:
        spec["elasticPolicy"] = {
            "minReplicas": job.elastic.min_nodes,
            "maxReplicas": job.node_count,
            "replicaIncrementStep": job.elastic.step,
            **{
                key: seconds
                for key, seconds in (
                    ("gracefulShutdownTimeoutInSeconds", job.elastic.graceful_shutdown_seconds),
                    ("scalingTimeoutInSeconds", job.elastic.scale_up_delay_seconds),
                    ("faultyScaleDownTimeoutInSeconds", job.elastic.fault_wait_seconds),
                )
                if seconds is not None
            },
        }
    return tenant_object(
        "sagemaker.amazonaws.com/v1", "HyperPodPyTorchJob", cluster, job, tenant, spec
    )


def _without_checkpoints(pod: Pod, wanted: Checkpointless) -> None:
    """Settings in which AWS's examples with and without checkpoints differ, except the program.

    The examples widen the range of ports with `sysctl` in a privileged container; here it is a
    setting of the pod, which Kubernetes classifies as safe.
    """
    variables = {
        "INPROCESS_RESTART": "1",
        "INPROCESS_RESTART_TIMEOUT": str(wanted.restart_timeout_seconds),
    }
    if wanted.rootless:
        variables["HPCT_USE_ROOTLESS"] = "1"
        pod["securityContext"] = {
            "sysctls": [{"name": "net.ipv4.ip_local_port_range", "value": ROOTLESS_PORTS}]
        }
    pod["containers"][0]["env"] = [
        {"name": name, "value": value} for name, value in sorted(variables.items())
    ]


def _nccl_tests(
    cluster: Cluster, catalog: Catalog, job: Job, tenant: Tenant, group: ComputeGroup
) -> Manifest:
    worker = whole_node_pod(cluster, catalog, job, tenant, group, container="worker")
    # The operator starts sshd in workers; the command runs in the launcher.
    del worker["containers"][0]["command"]
    launcher = {
        "containers": [
            {
                "name": "launcher",
                "image": job.image,
                "command": list(job.command),
                "resources": {"requests": _defaults(tenant)},
            }
        ],
        "nodeSelector": group_labels(cluster, group),
        **({"tolerations": tolerations(group)} if group.taints else {}),
    }
    return tenant_object(
        "kubeflow.org/v2beta1",
        "MPIJob",
        cluster,
        job,
        tenant,
        {
            "slotsPerWorker": node_resources(group, catalog).accelerator_count or 1,
            "runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": job.max_restarts},
            "mpiReplicaSpecs": {
                "Launcher": {
                    "replicas": 1,
                    # With OnFailure the log is lost when no restart is left.
                    "restartPolicy": "OnFailure" if job.max_restarts else "Never",
                    "template": pod_template(cluster, group, launcher),
                },
                "Worker": {
                    "replicas": job.node_count,
                    "restartPolicy": "Never",
                    "template": pod_template(cluster, group, worker),
                },
            },
        },
    )


_KINDS: dict[str, Callable[[Cluster, Catalog, Job, Tenant, ComputeGroup], Manifest]] = {
    "pytorch": _pytorch,
    "hyperpod-pytorch": _hyperpod_pytorch,
    "nccl-tests": _nccl_tests,
}


def tenant_object(
    api_version: str,
    kind: str,
    cluster: Cluster,
    job: Job,
    tenant: Tenant,
    spec: dict[str, Any],
    annotations: dict[str, str] | None = None,
) -> Manifest:
    """Return an object in the tenant's namespace, with the labels of its queue."""
    namespace = namespace_of(cluster, tenant)
    labels = {TENANT_LABEL: tenant.name}
    if queued(cluster):
        labels[QUEUE_LABEL] = QUEUE
        if tenant.priority is not None:
            labels[PRIORITY_LABEL] = tenant.priority
    elif cluster.hyperpod.task_governance is not None:
        labels[QUEUE_LABEL] = f"{namespace}{GOVERNED_QUEUE_SUFFIX}"
    return manifest(
        api_version,
        kind,
        job.name,
        namespace=namespace,
        labels=labels,
        annotations=annotations,
        spec=spec,
    )


def pod_template(cluster: Cluster, group: ComputeGroup, pod: Pod) -> dict[str, Any]:
    """Return the pod template of a job; an autoscaler keeps its node until the pod ends."""
    annotations = pod_annotations(cluster, group)
    return {**({"metadata": {"annotations": annotations}} if annotations else {}), "spec": pod}


def whole_node_pod(
    cluster: Cluster,
    catalog: Catalog,
    job: Job,
    tenant: Tenant,
    group: ComputeGroup,
    *,
    container: str,
) -> Pod:
    """Return a pod for each node, with all resources of the node."""
    node = node_resources(group, catalog)
    limits: dict[str, str] = {}
    if node.accelerator is not None:
        limits[node.accelerator] = str(node.accelerator_count)
    if has_efa(group, catalog):
        limits[EFA] = str(efa_count(group, catalog))
        if job.hugepages_mib:
            limits[HUGEPAGES] = f"{job.hugepages_mib}Mi"
    shared: dict[str, str] = {"medium": "Memory"}
    if job.shared_memory_gib is not None:
        shared["sizeLimit"] = f"{job.shared_memory_gib}Gi"
    volumes = volumes_of(cluster)
    pod: Pod = {
        "nodeSelector": group_labels(cluster, group)
        | {INSTANCE_TYPE: instance_label(cluster, group)},
        "containers": [
            {
                "name": container,
                "image": job.image,
                "command": list(job.command),
                # Devices and huge pages are never overcommitted: requests equal limits.
                "resources": {"requests": {**_defaults(tenant), **limits}, "limits": limits},
                "volumeMounts": [
                    {"name": "shared-memory", "mountPath": "/dev/shm"},  # noqa: S108
                    *(
                        {
                            "name": v.name,
                            "mountPath": v.mount_path,
                            **({"readOnly": True} if v.is_read_only else {}),
                        }
                        for v in volumes
                    ),
                ],
            }
        ],
        "volumes": [
            {"name": "shared-memory", "emptyDir": shared},
            *({"name": v.name, "persistentVolumeClaim": {"claimName": v.name}} for v in volumes),
        ],
    }
    if group.scratch is not None and cluster.traits.managed_node_groups:
        # nodeadm places the kubelet's volumes on the instance store.
        pod["volumes"].append({"name": "scratch", "emptyDir": {}})
        mounts = pod["containers"][0]["volumeMounts"]
        mounts.append({"name": "scratch", "mountPath": group.scratch.mount_path})
    if cluster.on_hyperpod:
        pod["nodeSelector"][HYPERPOD_HEALTH] = "Schedulable"
    if group.taints:
        pod["tolerations"] = tolerations(group)
    if tenant.priority is not None:
        pod["priorityClassName"] = tenant.priority
    return pod


def _defaults(tenant: Tenant) -> dict[str, str]:
    defaults = tenant.container_defaults
    return {"cpu": str(defaults.cpu_cores), "memory": f"{defaults.memory_gib}Gi"}

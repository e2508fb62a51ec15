"""Training jobs as a JobSet, and as a TrainJob of Kubeflow Trainer, which makes a JobSet.

Any pod that fails ends its Job, and the JobSet starts all of them again; exit codes that no
restart helps end it.

Sources, read 2026-11-27: kubernetes-sigs/jobset, pkg/webhooks/jobset_webhook.go (0107852);
kubeflow/trainer, manifests/base/runtimes/torch_distributed.yaml (0c78efb);
kubeflow-trainer-api 2.3.0; PyTorch documentation, torchrun (PET_* are its options).
"""

from __future__ import annotations

from typing import Any, Final

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.tenants import Tenant
from clusterwright.cluster_spec.models.workloads import Job
from clusterwright.platforms.kubernetes.groups import node_resources
from clusterwright.platforms.kubernetes.jobs import pod_template, tenant_object, whole_node_pod
from clusterwright.platforms.kubernetes.objects import Manifest

JOB_SET: Final = "jobset.x-k8s.io/v1alpha2 JobSet"
TRAIN_JOB: Final = "trainer.kubeflow.org/v1alpha1 TrainJob"
DEFINITIONS: Final = {
    JOB_SET: ("jobsets.jobset.x-k8s.io",),
    TRAIN_JOB: ("trainjobs.trainer.kubeflow.org", "trainingruntimes.trainer.kubeflow.org"),
}
"""The custom resource definitions that each kind needs."""

NODE: Final = "node"
"""Name of the replicated job and of its container, to which Trainer gives torchrun's settings."""

RENDEZVOUS_PORT: Final = 29500
"""As Trainer has it (kubeflow/trainer, pkg/constants, ContainerTrainerPort)."""

FINAL_EXIT_CODES: Final = tuple(range(1, 128))
"""As kubeflow's training-operator has it (restartPolicy ExitCode): others are tried again."""

_STEP_LABEL: Final = "trainer.kubeflow.org/trainjob-ancestor-step"
_INDEX: Final = "batch.kubernetes.io/job-completion-index"


def job_set(cluster: Cluster, catalog: Catalog, job: Job, tenant: Tenant) -> Manifest:
    """Return a JobSet of one Job, whose pods find the first one by its name.

    Raises
    ------
    UnknownFactError
        The EFA interfaces of the type are unknown.
    """
    spec = _spec(cluster, catalog, job, tenant)
    pod = pod_of(spec)
    values = {
        "PET_NNODES": str(job.node_count),
        "PET_NPROC_PER_NODE": str(_processes(cluster, catalog, job)),
        "PET_MASTER_ADDR": f"{job.name}-{NODE}-0-0.{job.name}",
        "PET_MASTER_PORT": str(RENDEZVOUS_PORT),
    }
    rank = {"fieldRef": {"fieldPath": f"metadata.annotations['{_INDEX}']"}}
    pod["containers"][0]["env"] = [
        *({"name": name, "value": value} for name, value in values.items()),
        {"name": "PET_NODE_RANK", "valueFrom": rank},
    ]
    api_version, kind = JOB_SET.split()
    return tenant_object(api_version, kind, cluster, job, tenant, spec)


def train_job(
    cluster: Cluster, catalog: Catalog, job: Job, tenant: Tenant
) -> tuple[Manifest, Manifest]:
    """Return a TrainingRuntime, which has the pods, and the TrainJob that uses it.

    Devices, volumes and selectors are in the runtime: the field of a TrainJob that changes pods
    has had three names in three releases (podSpecOverrides, podTemplateOverrides, runtimePatches).

    Raises
    ------
    UnknownFactError
        The EFA interfaces of the type are unknown.
    """
    spec = _spec(cluster, catalog, job, tenant)
    spec["replicatedJobs"][0]["template"]["metadata"] = {"labels": {_STEP_LABEL: "trainer"}}
    api_version, kind = TRAIN_JOB.split()
    runtime = tenant_object(
        api_version,
        "TrainingRuntime",
        cluster,
        job,
        tenant,
        {"mlPolicy": {"numNodes": job.node_count, "torch": {}}, "template": {"spec": spec}},
    )
    trainer = {
        "numNodes": job.node_count,
        "numProcPerNode": _processes(cluster, catalog, job),
    }
    reference = {
        "apiGroup": api_version.partition("/")[0],
        "kind": "TrainingRuntime",
        "name": job.name,
    }
    wanted = {"runtimeRef": reference, "trainer": trainer}
    return runtime, tenant_object(api_version, kind, cluster, job, tenant, wanted)


def pod_of(job_set_spec: dict[str, Any]) -> dict[str, Any]:
    """The pod of a JobSet of this module."""
    found: dict[str, Any] = batch_job_of(job_set_spec)["template"]["spec"]
    return found


def batch_job_of(job_set_spec: dict[str, Any]) -> dict[str, Any]:
    """The specification of the Job in a JobSet of this module."""
    found: dict[str, Any] = job_set_spec["replicatedJobs"][0]["template"]["spec"]
    return found


def _spec(cluster: Cluster, catalog: Catalog, job: Job, tenant: Tenant) -> dict[str, Any]:
    group = next(group for group in cluster.compute if group.name == job.group)
    pod = whole_node_pod(cluster, catalog, job, tenant, group, container=NODE)
    pod["restartPolicy"] = "Never"
    final = {"containerName": NODE, "operator": "In", "values": list(FINAL_EXIT_CODES)}
    return {
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
        "failurePolicy": {
            "maxRestarts": job.max_restarts,
            "rules": [
                {
                    "name": "finalExitCode",
                    "action": "FailJobSet",
                    "onJobFailureReasons": ["PodFailurePolicy"],
                }
            ],
        },
        "replicatedJobs": [
            {
                "name": NODE,
                "replicas": 1,
                "template": {
                    "spec": {
                        "completionMode": "Indexed",
                        "completions": job.node_count,
                        "parallelism": job.node_count,
                        "backoffLimit": 0,
                        "podFailurePolicy": {
                            "rules": [{"action": "FailJob", "onExitCodes": final}]
                        },
                        "template": pod_template(cluster, group, pod),
                    }
                },
            }
        ],
    }


def _processes(cluster: Cluster, catalog: Catalog, job: Job) -> int:
    group = next(group for group in cluster.compute if group.name == job.group)
    return node_resources(group, catalog).accelerator_count or 1

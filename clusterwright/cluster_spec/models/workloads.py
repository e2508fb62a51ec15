"""Kubernetes workloads: queues, charts, example jobs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Model, Name

ObjectName = Annotated[
    str,
    Field(
        pattern=formats.OBJECT_NAME.pattern, max_length=40, examples=[formats.OBJECT_NAME.example]
    ),
]


class Priority(Model):
    """A priority of jobs and their pods."""

    name: ObjectName
    """Name of the priority."""

    value: Annotated[int, Field(ge=-1_000_000, le=1_000_000, examples=[100])]
    """Jobs with a higher value are admitted first and preempt jobs of the same tenant."""


class Chart(Model):
    """A Helm chart: version and additional values."""

    name: Literal[
        "kueue",
        "nvidia-device-plugin",
        "aws-efa-k8s-device-plugin",
        "neuron-helm-chart",
        "hyperpod-helm-chart",
        "karpenter",
    ]
    """Name of a chart that the platform installs."""

    version: (
        Annotated[
            str,
            Field(pattern=formats.CHART_VERSION.pattern, examples=[formats.CHART_VERSION.example]),
        ]
        | None
    ) = None
    """Version, if other than the listed version."""

    sha256: (
        Annotated[str, Field(pattern=formats.SHA256.pattern, examples=[formats.SHA256.example])]
        | None
    ) = None
    """Checksum of the chart archive, as printed by `sha256sum`; required for installation."""

    values: dict[
        Annotated[str, Field(pattern=formats.VALUE_PATH.pattern, max_length=200)],
        str | int | bool,
    ] = {}
    """Additional values by path: `controllerManager.replicas: 2`."""


class Elastic(Model):
    """Elastic training: the number of nodes changes while the job runs."""

    min_nodes: Annotated[int, Field(ge=1, le=6758, examples=[2])]
    """Minimum number of nodes; with fewer nodes the job waits."""

    step: Annotated[int, Field(ge=1, le=6758)] = 1
    """Number of nodes that are added or removed together, such as those of a model replica."""

    graceful_shutdown_seconds: Annotated[int, Field(ge=1, le=86_400, examples=[600])] | None = None
    """Time to save a checkpoint before the size changes; the operator's default if absent."""

    scale_up_delay_seconds: Annotated[int, Field(ge=0, le=86_400, examples=[60])] | None = None
    """Delay before nodes are added; the operator's default if absent."""

    fault_wait_seconds: Annotated[int, Field(ge=0, le=86_400, examples=[30])] | None = None
    """Time to wait for a failed node before continuing with fewer nodes; the operator's default if
    absent."""


class Checkpointless(Model):
    """Checkpointless training: a failed process recovers from the memory of other replicas.

    The program uses sagemaker-hyperpod-checkpointless-training; these settings configure the
    library and the launcher.
    """

    restart_timeout_seconds: Annotated[int, Field(ge=1, le=86_400)] = 1800
    """Maximum time for processes to resume together."""

    rootless: bool = False
    """Whether processes discover each other without a store on rank 0, which requires more
    ports."""


class Job(Model):
    """An example job manifest."""

    name: ObjectName
    """Name of the job, unique in the spec."""

    kind: Literal["pytorch", "hyperpod-pytorch", "nccl-tests"]
    """pytorch: a Kubeflow PyTorchJob. hyperpod-pytorch: a job of the HyperPod training operator.
    nccl-tests: a Kubeflow MPIJob."""

    tenant: ObjectName | None = None
    """Tenant of the job; required if the spec has tenants."""

    group: Name
    """The compute group that runs the job."""

    node_count: Annotated[int, Field(ge=1, le=6758, examples=[2])]
    """Number of nodes; of an elastic job, the maximum."""

    image: Annotated[
        str, Field(pattern=formats.IMAGE_DIGEST.pattern, examples=[formats.IMAGE_DIGEST.example])
    ]
    """Container image with a digest, because a tag can change."""

    command: Annotated[list[str], Field(min_length=1, max_length=200, examples=[["torchrun"]])]
    """Command of each node; for nccl-tests, of the launcher."""

    hugepages_mib: Annotated[int, Field(ge=0, le=1_048_576, multiple_of=2)] = 5120
    """Huge pages of 2 MiB for EFA buffers, if the group has EFA."""

    shared_memory_gib: Annotated[int, Field(ge=1, le=65_536)] | None = None
    """Size of /dev/shm; half of the node's memory if absent."""

    max_restarts: Annotated[int, Field(ge=0, le=10_000)] = 10
    """Maximum number of restarts before the job fails."""

    elastic: Elastic | None = None
    """For hyperpod-pytorch; the number of nodes is fixed if absent."""

    checkpointless: Checkpointless | None = None
    """For hyperpod-pytorch with at least two nodes; if absent, a failed process restarts the job
    from its last checkpoint."""


class Workloads(Model):
    """Queues, charts and jobs, printed by `clusterwright render kubernetes`."""

    queueing: Literal["kueue", "none"] | None = None
    """kueue: each tenant has a queue with its share. none: first come, first served. If absent,
    Kueue, unless HyperPod task governance creates the queues."""

    topology_api: Literal["v1alpha1", "v1beta1"] | None = None
    """Topology-aware scheduling with this version of Kueue's Topology API; disabled if absent."""

    priorities: Annotated[list[Priority], Field(max_length=50)] = []
    """Priorities of jobs; first come, first served if empty."""

    charts: Annotated[list[Chart], Field(max_length=20)] = []
    """Versions, checksums and additional values of charts."""

    jobs: Annotated[list[Job], Field(max_length=100)] = []
    """Example jobs to test a new cluster."""

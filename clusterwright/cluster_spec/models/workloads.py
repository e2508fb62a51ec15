"""What runs on Kubernetes beside its add-ons: queues, charts, example jobs."""

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
    """A rank of jobs and their pods."""

    name: ObjectName
    """What jobs name."""

    value: Annotated[int, Field(ge=-1_000_000, le=1_000_000, examples=[100])]
    """Jobs with a higher value are admitted first, and displace those of their own tenant."""


class Chart(Model):
    """A Helm chart: which version, and what is set beside our values."""

    name: Literal[
        "kueue",
        "nvidia-device-plugin",
        "aws-efa-k8s-device-plugin",
        "neuron-helm-chart",
        "hyperpod-helm-chart",
        "karpenter",
    ]
    """The chart, of those that this platform installs."""

    version: (
        Annotated[
            str,
            Field(pattern=formats.CHART_VERSION.pattern, examples=[formats.CHART_VERSION.example]),
        ]
        | None
    ) = None
    """Another version than the listed one."""

    sha256: (
        Annotated[str, Field(pattern=formats.SHA256.pattern, examples=[formats.SHA256.example])]
        | None
    ) = None
    """Of the chart's archive, as `sha256sum` prints it; without, it is not installed."""

    values: dict[
        Annotated[str, Field(pattern=formats.VALUE_PATH.pattern, max_length=200)],
        str | int | bool,
    ] = {}
    """Values beside ours, each by its path: `controllerManager.replicas: 2`."""


class Elastic(Model):
    """A job that goes on with fewer nodes, and takes more when there are any."""

    min_nodes: Annotated[int, Field(ge=1, le=6758, examples=[2])]
    """With fewer it waits."""

    step: Annotated[int, Field(ge=1, le=6758)] = 1
    """Nodes that come and go together, such as those of one replica of the model."""

    graceful_shutdown_seconds: Annotated[int, Field(ge=1, le=86_400, examples=[600])] | None = None
    """Time to save a checkpoint before the size changes; the operator's own if absent."""

    scale_up_delay_seconds: Annotated[int, Field(ge=0, le=86_400, examples=[60])] | None = None
    """How long it waits before it takes more nodes; the operator's own if absent."""

    fault_wait_seconds: Annotated[int, Field(ge=0, le=86_400, examples=[30])] | None = None
    """How long it waits for a lost node before it goes on with fewer; the operator's own if
    absent."""


class Checkpointless(Model):
    """A job that goes on from the memory of its other replicas when a process is lost.

    Its program is written with sagemaker-hyperpod-checkpointless-training; what is here is told to
    its library and to the launcher.
    """

    restart_timeout_seconds: Annotated[int, Field(ge=1, le=86_400)] = 1800
    """How long the processes may take to go on together."""

    rootless: bool = False
    """Whether they find each other without a store at the first rank, with more ports for it."""


class Job(Model):
    """A job of several nodes, ready to be applied."""

    name: ObjectName
    """Its name, unique in the file."""

    kind: Literal["pytorch", "hyperpod-pytorch", "nccl-tests"]
    """pytorch: a PyTorchJob of Kubeflow. hyperpod-pytorch: one of HyperPod's training operator.
    nccl-tests: an MPIJob of Kubeflow."""

    tenant: ObjectName | None = None
    """Whose it is; needed where the file has tenants."""

    group: Name
    """The compute group that it runs on."""

    node_count: Annotated[int, Field(ge=1, le=6758, examples=[2])]
    """Nodes that it takes; an elastic job at most."""

    image: Annotated[
        str, Field(pattern=formats.IMAGE_DIGEST.pattern, examples=[formats.IMAGE_DIGEST.example])
    ]
    """The container's image by its digest: a tag may be another image tomorrow."""

    command: Annotated[list[str], Field(min_length=1, max_length=200, examples=[["torchrun"]])]
    """What each node runs (for nccl-tests, what the launcher runs)."""

    hugepages_mib: Annotated[int, Field(ge=0, le=1_048_576, multiple_of=2)] = 5120
    """Memory in pages of 2 MiB for EFA's buffers, where the group has EFA."""

    shared_memory_gib: Annotated[int, Field(ge=1, le=65_536)] | None = None
    """Size of /dev/shm; half of the node's memory if absent."""

    max_restarts: Annotated[int, Field(ge=0, le=10_000)] = 10
    """How often it starts again before it has failed."""

    elastic: Elastic | None = None
    """For hyperpod-pytorch; the size is fixed if absent."""

    checkpointless: Checkpointless | None = None
    """For hyperpod-pytorch, with two nodes or more; a lost process restarts the job from its last
    checkpoint if absent."""


class Workloads(Model):
    """Queues, charts and jobs; `clusterwright render kubernetes` prints them."""

    queueing: Literal["kueue", "none"] | None = None
    """kueue: each tenant has a queue with its share. none: who asks first, gets. If absent, Kueue
    unless HyperPod's task governance makes the queues."""

    topology_api: Literal["v1alpha1", "v1beta1"] | None = None
    """Place jobs by the network's layers, with this version of Kueue's Topology; not if absent."""

    priorities: Annotated[list[Priority], Field(max_length=50)] = []
    """Ranks of jobs; all wait in the order of their arrival if empty."""

    charts: Annotated[list[Chart], Field(max_length=20)] = []
    """Versions and digests of charts, and values beside ours."""

    jobs: Annotated[list[Job], Field(max_length=100)] = []
    """Example jobs, for tests of a new cluster."""

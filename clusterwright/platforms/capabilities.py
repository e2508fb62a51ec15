"""What each of the four platforms can do, as data with a source per cell.

Rules, advice, `migrate` and the page docs/explanations/platforms.md read the same cells. What a
platform takes of instance types is not typed here: `takes_type` asks the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.catalog import Catalog, Known, Unknown
from clusterwright.platforms.registry import HYPERPOD, ON_EC2, PLATFORMS, PlatformName, traits_of
from clusterwright.platforms.traits import CAPACITY_KINDS

Answer = Literal["yes", "in part", "no", "unknown"]


_API = "botocore 1.44.5, SageMaker CreateCluster"
_KARPENTER = "aws/karpenter-provider-aws, documentation of v1.14"
_EKS_API = "botocore 1.44.5, EKS CreateNodegroup"
_PC = "aws-parallelcluster 3.16.1, schemas/cluster_schema.py"
_PC_VALIDATORS = "aws-parallelcluster 3.16.1, validators"
_PC_NODE = "aws-parallelcluster-node, clustermgtd: unhealthy static nodes are replaced"
_REPAIR = "EKS user guide, Automatically repair nodes in EKS clusters (crawl 2026)"
_CB = "EC2 user guide, Capacity Blocks for ML (crawl 2026-09..11)"
_CONTINUOUS = "SageMaker developer guide, continuous provisioning (crawl 2026-09..11)"
_RESUME = "SageMaker developer guide, automatic node recovery and auto-resume (crawl 2026-09..11)"
_RESUME_EKS = "SageMaker developer guide, Running jobs using kubectl (crawl 2026-09..11)"
_INFERENCE = (
    "SageMaker developer guide, Setting up your HyperPod clusters for model deployment "
    "(read 2026-11-21)"
)
_REQUEUE = "Slurm, sbatch: --requeue and --no-requeue"
_DESIGN = "this product's design; see the reference of the spec"
_AMP = 'AMP user guide, "Set up managed collectors for Amazon EKS"; this product\'s design'
_QUOTAS = (
    "kubernetes-sigs/kueue, concepts of cohorts; SageMaker API, IdleResourceSharing; "
    "platforms/kubernetes/spares.py"
)


@dataclass(frozen=True)
class Cell:
    """One platform's answer, in a few words, and where it is said."""

    answer: Answer
    words: str
    source: str


@dataclass(frozen=True)
class Capability:
    """Something that a platform can or cannot do."""

    key: str
    title: str
    cells: Mapping[PlatformName, Cell]

    def able(self) -> tuple[PlatformName, ...]:
        """Platforms that can, in whole or in part."""
        return tuple(p for p in PLATFORMS if self.cells[p].answer in ("yes", "in part"))


def _row(key: str, title: str, *cells: Cell) -> Capability:
    return Capability(key, title, dict(zip(PLATFORMS, cells, strict=True)))


def _cell(answer: Answer, words: str, source: str) -> Cell:
    return Cell(answer, words, source)


def _capacity_cell(platform: PlatformName, kind: str) -> Cell:
    rules = traits_of(platform)
    source = _CB if kind == "capacity-block" and platform in ON_EC2 else _API
    if platform in ON_EC2 and kind != "capacity-block":
        source = _PC if platform == "parallelcluster" else _EKS_API
    if kind in rules.capacity_kinds:
        return Cell("yes", kind, source)
    return Cell("no", rules.refused_capacity[kind], _API)


CAPACITY: Final[tuple[Capability, ...]] = tuple(
    _row(f"capacity.{kind}", kind, *(_capacity_cell(p, kind) for p in PLATFORMS))
    for kind in CAPACITY_KINDS
)
"""One row for each kind of capacity, from the traits of each."""

CAPABILITIES: Final[tuple[Capability, ...]] = (
    _row(
        "scheduler",
        "Scheduler",
        _cell("yes", "Slurm", _API),
        _cell("yes", "Kubernetes on EKS", _API),
        _cell("yes", "Slurm", _PC),
        _cell("yes", "Kubernetes on EKS", _EKS_API),
    ),
    _row(
        "recovery",
        "Recovery of nodes",
        _cell("yes", "automatic: HyperPod reboots or replaces; `resilience.node_recovery`", _API),
        _cell("yes", "automatic: HyperPod reboots or replaces; `resilience.node_recovery`", _API),
        _cell("in part", "automatic for nodes that Slurm or EC2 calls unhealthy", _PC_NODE),
        _cell(
            "in part", "automatic where node repair is on, in node groups and Karpenter", _REPAIR
        ),
    ),
    _row(
        "auto_resume",
        "Jobs go on after a lost node",
        _cell("yes", "`srun --auto-resume=1`, once HyperPod has replaced the node", _RESUME),
        _cell("yes", "auto-resume of a job that is annotated for it", _RESUME_EKS),
        _cell("in part", "Slurm puts the whole job back into its queue", _REQUEUE),
        _cell("in part", "the job's operator starts its pods again (`max_restarts`)", _DESIGN),
    ),
    _row(
        "deep_health_checks",
        "Deep health checks",
        _cell("yes", "on start: stress and connectivity", _API),
        _cell("yes", "on start: stress and connectivity", _API),
        _cell("in part", "a GPU check before each job (`HealthChecks.Gpu`)", _PC),
        _cell("in part", "the node monitoring agent watches; nothing is stressed", _REPAIR),
    ),
    _row(
        "spot",
        "Spot",
        _cell("yes", "`CapacityRequirements.Spot` of each group", _API),
        _cell("yes", "`CapacityRequirements.Spot` of each group", _API),
        _cell("yes", "`CapacityType: SPOT` of each queue", _PC),
        _cell("yes", "`capacityType: SPOT` of each node group", _EKS_API),
    ),
    _row(
        "mig",
        "Partitions of GPUs (MIG)",
        _cell("no", "no field, and no step of ours", _API),
        _cell("yes", "a label per group; the GPU operator partitions", "platforms/mig.py"),
        _cell("no", "no key; by hand in an own action", _PC),
        _cell("no", "by hand, with the GPU operator", _DESIGN),
    ),
    _row(
        "placement_group",
        "Placement groups",
        _cell("no", traits_of("hyperpod-slurm").placement_group_reason, _API),
        _cell("no", traits_of("hyperpod-eks").placement_group_reason, _API),
        _cell("yes", "one per group, except with capacity blocks", _PC),
        _cell("yes", "in the launch template, except with capacity blocks", _CB),
    ),
    _row(
        "topology",
        "Topology for the scheduler",
        _cell("yes", "topology/tree or topology/block, written by HyperPod", _API),
        _cell("yes", "labels `topology.k8s.aws/network-node-layer-N`", _API),
        _cell(
            "yes",
            "topology/block of p6e-gb200, written by ParallelCluster; topology/tree, written by "
            "a step of ours",
            _PC,
        ),
        _cell(
            "unknown", "which labels of the network's layers nodes carry was not found", _DESIGN
        ),
    ),
    _row(
        "custom_image",
        "Images of your own",
        _cell("yes", "`image.image_id`, built from HyperPod's", _API),
        _cell("yes", "`image.image_id`, built from HyperPod's", _API),
        _cell("yes", "`Image.CustomAmi`, of the same release", _PC),
        _cell("yes", "`image.image_id`, built from EKS's", _EKS_API),
    ),
    _row(
        "autoscaling",
        "Autoscaling",
        _cell("no", "groups have a fixed count", _API),
        _cell("yes", "HyperPod's Karpenter (`AutoScaling`)", _API),
        _cell("yes", "between a queue's least and most nodes, as jobs wait", _PC),
        _cell("yes", "Karpenter, up to each group's `max_count`, as pods wait", _KARPENTER),
    ),
    _row(
        "login",
        "Login nodes",
        _cell("yes", "groups with the role login", _API),
        _cell("no", "kubectl from outside", _API),
        _cell("yes", "pools of login nodes", _PC),
        _cell("no", "kubectl from outside", _EKS_API),
    ),
    _row(
        "containers",
        "Containers in jobs",
        _cell("yes", "Enroot and Pyxis, of the image or mirrored", _DESIGN),
        _cell("yes", "every job is one", _API),
        _cell("in part", "Enroot and Pyxis are in the image and off by default", _PC),
        _cell("yes", "every job is one", _EKS_API),
    ),
    _row(
        "accounting",
        "Accounting of jobs",
        _cell("yes", "slurmdbd: on the controller, or a database outside", _API),
        _cell("no", "task governance counts quotas, no history of jobs", _API),
        _cell("yes", "slurmdbd with a database outside", _PC),
        _cell("no", "Kueue counts quotas, no history of jobs", _EKS_API),
    ),
    _row(
        "rolling_update",
        "Rolling updates of images",
        _cell("yes", "`AutoPatchConfig`, `UpdateClusterSoftware`", _API),
        _cell("yes", "`AutoPatchConfig`, `UpdateClusterSoftware`", _API),
        _cell("in part", "queues drain or stop first (`QueueUpdateStrategy`)", _PC),
        _cell("yes", "`updateConfig` of each node group", _EKS_API),
    ),
    _row(
        "spares",
        "Spare nodes kept out of jobs",
        _cell("yes", "`spare_count` of each group", _DESIGN),
        _cell("yes", "`spare_count` of each group: quotas leave it out", _QUOTAS),
        _cell("in part", "free instances of a reservation or a capacity block", _DESIGN),
        _cell("yes", "`spare_count` of each group: quotas leave it out", _QUOTAS),
    ),
    _row(
        "inference",
        "Serving models beside training",
        _cell("no", "no operator of AWS's for Slurm", _INFERENCE),
        _cell("yes", "HyperPod's inference operator (`hyperpod.inference`)", _INFERENCE),
        _cell("no", "no operator of AWS's for Slurm", _INFERENCE),
        _cell("no", "HyperPod's operator needs a HyperPod cluster", _INFERENCE),
    ),
    _row(
        "most_nodes",
        "Most nodes",
        _cell("yes", "6,758 instances in a group, 100 groups", _API),
        _cell("yes", "6,758 instances in a group, 100 groups", _API),
        _cell("yes", "50 queues and 50 compute resources in a cluster", _PC_VALIDATORS),
        _cell("yes", "quotas: 450 nodes in a group, 30 groups in a cluster", "EKS quotas"),
    ),
)
"""What the platforms can do beside capacity and instance types."""

DAILY: Final[tuple[Capability, ...]] = (
    _row(
        "scheduling",
        "Scheduling",
        _cell("yes", "partitions, QOS, fair share, preemption of Slurm", _DESIGN),
        _cell("yes", "task governance, or Kueue: queues, ranks, borrowing", _API),
        _cell("yes", "queues, QOS, fair share, preemption of Slurm", _PC),
        _cell("yes", "Kueue: queues, ranks, borrowing", _DESIGN),
    ),
    _row(
        "scaling",
        "Scaling",
        _cell("in part", "by a change of the file; missing nodes join as they come", _CONTINUOUS),
        _cell("yes", "by a change of the file, or by Karpenter as pods wait", _API),
        _cell("yes", "by a change of the file, or dynamic nodes as jobs wait", _PC),
        _cell("yes", "by a change of the file, or by Karpenter as pods wait", _KARPENTER),
    ),
    _row(
        "access",
        "Access",
        _cell("yes", "Session Manager to nodes, ssh on from there", _API),
        _cell("yes", "kubectl through access entries; Session Manager to nodes", _API),
        _cell("yes", "Session Manager or ssh to the head and login nodes", _PC),
        _cell("yes", "kubectl through access entries; Session Manager to nodes", _EKS_API),
    ),
    _row(
        "monitoring",
        "Monitoring",
        _cell("yes", "CloudWatch, node metrics, a Prometheus workspace", _DESIGN),
        _cell("yes", "CloudWatch, HyperPod's observability add-on, Prometheus", _API),
        _cell("yes", "CloudWatch logs, alarms and dashboard of ParallelCluster", _PC),
        _cell(
            "yes", "Prometheus by AWS's collector, node metrics, the control plane's logs", _AMP
        ),
    ),
)
"""Slurm against EKS, by the rows of the founding documents."""

ALL: Final[tuple[Capability, ...]] = (*CAPACITY, *CAPABILITIES, *DAILY)
_BY_KEY: Final = {capability.key: capability for capability in ALL}


def capability(key: str) -> Capability:
    """One row, such as `recovery` or `capacity.spot`.

    Raises
    ------
    KeyError
        There is none of that key.
    """
    return _BY_KEY[key]


def who_can(key: str) -> str:
    """`platform: parallelcluster or eks`, for hints; empty where no platform can."""
    able = capability(key).able()
    return f"platform: {' or '.join(able)}" if able else ""


def takes_type(platform: PlatformName, instance_type: str, catalog: Catalog) -> Cell:
    """Whether nodes of this EC2 type can be had on the platform.

    HyperPod takes the types of SageMaker's enumeration. EKS takes types whose pod addresses the
    VPC CNI knows, which are those with a count of addresses per interface. ParallelCluster asks
    EC2 and takes what EC2 describes.
    """
    instance = catalog.instance(instance_type)
    if platform in HYPERPOD:
        if instance_type in catalog.hyperpod_names:
            return Cell("yes", f"ml.{instance_type}", f"{_API}, ClusterInstanceType")
        return Cell("no", "not in the list of types", f"{_API}, ClusterInstanceType")
    if instance is None:
        return Cell("unknown", "the catalogue has no such type", "the catalogue")
    if platform == "eks":
        if isinstance(instance.ipv4_per_interface, Known):
            source = instance.ipv4_per_interface.source
            return Cell("yes", "the VPC CNI knows its addresses", source)
        return Cell("unknown", "no row of the VPC CNI's limits", "aws/amazon-vpc-cni-k8s")
    if isinstance(instance.vcpus, Unknown):
        return Cell(
            "unknown", "EC2's description of the type was not found", instance.vcpus.reason
        )
    return Cell("yes", "EC2 describes it", instance.vcpus.source)


def platforms_for(
    instance_type: str, kind: str | None, catalog: Catalog
) -> tuple[PlatformName, ...]:
    """Platforms that take the type and, if one is named, the kind of capacity."""
    return tuple(
        platform
        for platform in PLATFORMS
        if takes_type(platform, instance_type, catalog).answer == "yes"
        and (kind is None or kind in traits_of(platform).capacity_kinds)
    )

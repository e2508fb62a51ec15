"""What every other package may ask about a platform: `Platform`, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

CAPACITY_KINDS: Final = ("on-demand", "spot", "reservation", "capacity-block", "training-plan")

RESERVED_KINDS: Final = frozenset({"reservation", "capacity-block"})
"""Capacity of EC2 that the account keeps while no instance runs in it."""

PLACEMENT_GROUP_REFUSED_WITH: Final = frozenset({"capacity-block"})
"""Capacity that takes no placement group (EC2 documentation, Capacity Blocks for ML)."""

ULTRASERVERS: Final = "p6e-gb200."
"""Prefix of the EC2 types whose instances are parts of an UltraServer."""


@dataclass(frozen=True)
class Platform:
    """One platform; its folder's `platform.py` makes it, `registry.traits_of(name)` returns it."""

    name: str
    title: str
    """In headings and tables: `HyperPod, Slurm`."""

    scheduler: Literal["slurm", "kubernetes"]
    node_service: Literal["hyperpod", "ec2"]
    """Who launches nodes, and so whose quotas, prices, type names and capacity they use: SageMaker
    HyperPod (`ml.` types, SageMaker's quotas), or EC2 (quotas in vCPUs)."""

    sections: tuple[str, ...]
    """Sections of the spec that not all platforms have: slurm, kubernetes, hyperpod, ..."""

    node_principal: str
    """The service that the role of the nodes is passed to; empty where another tool makes it."""

    # -- capacity and placement ----------------------------------------------------------------

    capacity_kinds: frozenset[str]
    """Those of `CAPACITY_KINDS` that it accepts."""
    refused_capacity: Mapping[str, str]
    """Each other kind, with the reason."""
    placement_groups: bool
    placement_group_reason: str = ""
    """Why it has none."""

    # -- what the platform creates itself --------------------------------------------------------

    provider_stack: bool = False
    """Whether a provider of the platform creates the cluster in a stack of its own, with the roles
    of the nodes, which signal that stack (ParallelCluster)."""
    internal_shared_storage: bool = False
    """Whether nodes mount storage that the platform creates for itself, anywhere in the VPC."""
    launch_templates: bool = False
    """Whether the stacks write the launch templates of its nodes (EKS managed node groups)."""

    # -- nodes ---------------------------------------------------------------------------------

    node_names: str = ""
    """How the scheduler calls the nodes, as a pattern."""
    node_addresses: Literal["card", "vpc-cni"] | None = None
    """Which rule gives the addresses of a node in its subnet where no source states them: one for
    each network card, or those of the VPC CNI; None where no rule is known."""
    node_type_source: Literal["sagemaker", "vpc-cni", "ec2"] = "ec2"
    """Which list must have the instance type: SageMaker's enumeration, the VPC CNI's limits, or
    EC2's own description."""
    node_setup: str | None = None
    """The `configuration` of cluster.json where the platform alone decides it; None where
    `slurm.configuration` does."""
    tags_nodes: bool = True
    """Whether instances and volumes of nodes are in the account and carry the spec's tags."""
    gpu_partitions: bool = False
    """Whether groups take `mig_profile` and `restricted`."""
    spares_from_reserved_capacity: bool = False
    """Whether spares are free instances of a reservation or block, and none are launched."""

    # -- Slurm ---------------------------------------------------------------------------------

    accounting_on_controller: bool = False
    """Whether `slurm.accounting.kind: local` is possible: a database on the controller."""
    partitions_are_queues: bool = False
    """Whether a partition is a queue of the platform, which has one kind of capacity."""
    mounts_home_by_volume: bool = False
    """Whether the platform mounts existing home directories by their OpenZFS volume id."""
    accounting_secret_is_password: bool = False
    """Whether the accounting database's secret is the password alone, not JSON."""
    custom_lifecycle_scripts: bool = False
    """Whether the user may replace the scripts that set up Slurm (`rehearse --lifecycle`)."""

    # -- Kubernetes ----------------------------------------------------------------------------

    autoscaling_key: tuple[str, str] | None = None
    """The key of the spec that turns Karpenter on."""
    autoscaling_note: str = ""
    """What Karpenter does with the nodes of a group there."""
    karpenter_in_cluster: bool = False
    """Whether Karpenter's controller runs in the cluster, and not in the service."""
    charts: frozenset[str] = frozenset()
    """Charts that a spec may pin; HyperPod's chart contains the device plugins."""

    # -- commands ------------------------------------------------------------------------------

    renders: frozenset[str] = frozenset()
    """Subcommands of `clusterwright render` that print something for it."""

    @property
    def uses_slurm(self) -> bool:
        """Whether Slurm runs the jobs."""
        return self.scheduler == "slurm"

    @property
    def uses_kubernetes(self) -> bool:
        """Whether Kubernetes runs the jobs."""
        return self.scheduler == "kubernetes"

    @property
    def on_hyperpod(self) -> bool:
        """Whether SageMaker HyperPod launches, watches and replaces the nodes."""
        return self.node_service == "hyperpod"

    @property
    def managed_node_groups(self) -> bool:
        """Whether nodes are in managed node groups of EKS, made by EC2 Auto Scaling."""
        return self.launch_templates

    def keeps_spares(self, capacity_kind: str, instance_type: str) -> bool:
        """Whether a group with this capacity keeps spares out of jobs (`spare_count`).

        Where spares are free instances of what is reserved, an UltraServer keeps none: Slurm would
        not know a part of one as a block.
        """
        if not self.spares_from_reserved_capacity:
            return True
        return capacity_kind in RESERVED_KINDS and not instance_type.startswith(ULTRASERVERS)

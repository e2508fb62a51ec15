"""Traits of a platform, as plain data that every other package may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

CAPACITY_KINDS: Final = ("on-demand", "spot", "reservation", "capacity-block", "training-plan")

RESERVED_KINDS: Final = frozenset({"reservation", "capacity-block"})
"""Kinds of EC2 capacity that the account keeps while no instance uses them."""

PLACEMENT_GROUP_REFUSED_WITH: Final = frozenset({"capacity-block"})
"""Kinds of capacity without placement groups (EC2 documentation, Capacity Blocks for ML)."""

ULTRASERVERS: Final = "p6e-gb200."
"""Prefix of the EC2 types whose instances are parts of an UltraServer."""


@dataclass(frozen=True)
class Platform:
    """A platform, defined in `platform.py` of its folder; `registry.traits_of` returns it."""

    name: str
    title: str
    """Display name in headings and tables: `HyperPod, Slurm`."""

    scheduler: Literal["slurm", "kubernetes"]
    node_service: Literal["hyperpod", "ec2"]
    """The service that launches nodes, which determines quotas, prices, type names and capacity:
    SageMaker HyperPod (`ml.` types, SageMaker quotas), or EC2 (quotas in vCPUs).
    """

    sections: tuple[str, ...]
    """Sections of the spec that not all platforms have: slurm, kubernetes, hyperpod, ..."""

    node_principal: str
    """The service to which the role of the nodes is passed; empty if another tool creates the
    role.
    """

    # -- capacity and placement ----------------------------------------------------------------

    capacity_kinds: frozenset[str]
    """The kinds of `CAPACITY_KINDS` that it accepts."""
    refused_capacity: Mapping[str, str]
    """The reason against each other kind."""
    placement_groups: bool
    interruptible_reservations: bool = False
    """Whether a group can use an interruptible capacity reservation (AWS PCS)."""
    placement_group_reason: str = ""
    """Why groups cannot have placement groups; empty if they can."""

    # -- what the platform creates itself --------------------------------------------------------

    provider_stack: bool = False
    """Whether a provider of the platform creates the cluster in a stack of its own, with the roles
    of the nodes, which signal that stack (ParallelCluster)."""
    verified_scripts: bool = False
    """Whether the entry script compares the scripts with a manifest, whose digest is in its
    arguments, and each partition has scripts of its own (ParallelCluster, AWS PCS)."""
    arguments_replace_login_nodes: bool = False
    """Whether login nodes are replaced if the arguments of the entry script change (AWS PCS). Then
    the manifest does not list what contains numbers of nodes."""
    internal_shared_storage: bool = False
    """Whether nodes mount storage that the platform creates for itself, anywhere in the VPC."""
    service_runs_controller: bool = False
    """Whether the service runs Slurm's controller outside the account, so that no group has the
    role `controller`; the first login group administers the cluster (AWS PCS)."""
    managed_node_groups: bool = False
    """Whether nodes are in EKS managed node groups, launched by EC2 Auto Scaling from launch
    templates that the stacks write."""

    # -- nodes ---------------------------------------------------------------------------------

    node_names: str = ""
    """Pattern of the node names in the scheduler."""
    node_addresses: Literal["card", "vpc-cni", "template"] | None = None
    """The rule for the addresses of a node in its subnet if no source has them: one for each
    network card, those of the VPC CNI, or those of the interfaces in our launch templates; None
    if no rule is known.
    """
    node_type_source: Literal["sagemaker", "vpc-cni", "ec2"] = "ec2"
    """The source that must have the instance type: SageMaker's enumeration, the VPC CNI's limits,
    or EC2's description.
    """
    node_setup: str | None = None
    """The `configuration` of cluster.json if the platform determines it; None if
    `slurm.configuration` does.
    """
    entry_script: str = ""
    """The script in `lifecycle_scripts/` that the platform runs, if `node_setup` determines it."""
    tags_nodes: bool = True
    """Whether instances and volumes of nodes are in the account and carry the spec's tags."""
    gpu_partitions: bool = False
    """Whether groups support `mig_profile` and `restricted`."""
    starts_instances: str = ""
    """What starts an instance in place of one that ends; empty if the platform replaces nodes by
    an API."""
    spares_from_reserved_capacity: bool = False
    """Whether spares are free instances of a reservation or block, and none are launched."""

    # -- Slurm ---------------------------------------------------------------------------------

    accounting_on_controller: bool = False
    """Whether `slurm.accounting.kind: local` is possible: a database on the controller."""
    partitions_are_queues: bool = False
    """Whether a partition is a queue of the platform, which has one kind of capacity."""
    mounts_home_by_volume: bool = False
    """Whether the platform mounts existing home directories by OpenZFS volume id."""
    managed_accounting: bool = False
    """Whether the service keeps the accounting database (`slurm.accounting.kind: managed`)."""
    accounting_secret_is_password: bool = False
    """Whether the accounting database's secret is only the password, not JSON."""
    ignores_memory: bool = False
    """Whether Slurm selects nodes by CPUs alone unless the spec has another setting: requests for
    memory reserve nothing."""
    typed_gres: bool = False
    """Whether the platform's slurm.conf has the type of GPUs: `Gres=gpu:a100:8`."""
    custom_lifecycle_scripts: bool = False
    """Whether the user may replace the scripts that set up Slurm (`rehearse --lifecycle`)."""

    # -- Kubernetes ----------------------------------------------------------------------------

    autoscaling_key: tuple[str, str] | None = None
    """The key of the spec that enables Karpenter."""
    autoscaling_note: str = ""
    """Note on how Karpenter scales the nodes of a group."""
    karpenter_in_cluster: bool = False
    """Whether Karpenter's controller runs in the cluster, not in the service."""
    charts: frozenset[str] = frozenset()
    """Charts that a spec may pin; HyperPod's chart contains the device plugins."""

    # -- commands ------------------------------------------------------------------------------

    renders: frozenset[str] = frozenset()
    """Subcommands of `clusterwright render` that support it."""

    @property
    def uses_slurm(self) -> bool:
        """Return whether Slurm runs the jobs."""
        return self.scheduler == "slurm"

    @property
    def uses_kubernetes(self) -> bool:
        """Return whether Kubernetes runs the jobs."""
        return self.scheduler == "kubernetes"

    @property
    def on_hyperpod(self) -> bool:
        """Return whether SageMaker HyperPod launches, monitors and replaces the nodes."""
        return self.node_service == "hyperpod"

    def keeps_spares(self, capacity_kind: str, instance_type: str) -> bool:
        """Return whether a group with this capacity supports spares (`spare_count`).

        If spares are free instances of reserved capacity, an UltraServer has none: Slurm would not
        accept a part of it as a block.
        """
        if not self.spares_from_reserved_capacity:
            return True
        return capacity_kind in RESERVED_KINDS and not instance_type.startswith(ULTRASERVERS)

"""Keys of the spec that refer to something outside the file, and the rules that open it.

Every key whose value is text is in the table (`tests/preflight/test_references.py`): rules open
what it names, or a reason states why none does. `docs/reference/rules.md` shows the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Reference:
    """Keys that refer to the same kind of thing.

    Attributes
    ----------
    keys:
        Paths of the spec: `storage.lustre[].existing.id`.
    rules:
        The rules that open what the keys name, before anything is deployed.
    reason:
        Why no rule opens it, or what the rules leave to others; empty if they leave nothing.
    """

    keys: tuple[str, ...]
    rules: tuple[str, ...] = ()
    reason: str = ""


_SHARES: Final = "compute[].capacity.shares[].capacity"

REFERENCES: Final = (
    Reference(("account",), ("CW-I003",)),
    Reference(("region", "network.availability_zone_id"), ("CW-N014", "CW-C001")),
    Reference(("network.second_availability_zone_id",), ("CW-N014",)),
    Reference(("network.peered_cidrs",), ("CW-N017", "CW-N020")),
    Reference(("network.existing.vpc_id",), ("CW-N006", "CW-N011", "CW-N031")),
    Reference(
        ("network.existing.subnet_ids",),
        ("CW-N007", "CW-N009", "CW-N022", "CW-N025"),
    ),
    Reference(("network.existing.security_group_ids",), ("CW-N008",)),
    Reference(("network.existing.database_subnet_ids",), ("CW-N013",)),
    Reference(("network.existing.control_plane_subnet_ids",), ("CW-N027",)),
    Reference(("network.existing.owner_account",), ("CW-N032",)),
    Reference(("compute[].instance_type",), ("CW-C001",)),
    Reference(
        ("compute[].capacity.id", f"{_SHARES}.id"),
        ("CW-C030", "CW-C031", "CW-C032", "CW-C033", "CW-C035", "CW-C036"),
    ),
    Reference(
        ("compute[].capacity.arn", f"{_SHARES}.arn"),
        ("CW-C010", "CW-C011", "CW-C012", "CW-C013", "CW-C014", "CW-C015", "CW-C016"),
    ),
    Reference(
        ("storage.lustre[].repositories[].s3",),
        ("CW-S010", "CW-S011", "CW-S025", "CW-S026", "CW-S035", "CW-S036", "CW-S039", "CW-S042"),
    ),
    Reference(
        ("storage.lustre[].existing.id", "storage.lustre[].existing.mount_name"), ("CW-S014",)
    ),
    Reference(("storage.lustre[].existing.dns_name",), ("CW-S014", "CW-S021")),
    Reference(
        (
            "storage.lustre[].existing.security_group_id",
            "storage.home.existing.security_group_id",
        ),
        ("CW-S023",),
    ),
    Reference(("storage.home.existing.dns_name",), ("CW-S021", "CW-S022")),
    Reference(("storage.home.existing.volume_id",), ("CW-S038",)),
    Reference(("storage.buckets[].name",), ("CW-S010", "CW-S011", "CW-S028")),
    Reference(("storage.image_repositories[].name",), ("CW-I032", "CW-E017", "CW-I029")),
    Reference(
        ("storage.lustre[].repositories[].preload",),
        ("CW-S039",),
        "single folders are listed when the data is loaded, on the controller",
    ),
    Reference(("identity.kms_key_arn",), ("CW-I002", "CW-I007", "CW-I008")),
    Reference(("identity.permissions_boundary_arn",), ("CW-I004", "CW-I007", "CW-I012")),
    Reference(("slurm.accounting.existing.endpoint",), ("CW-N029",)),
    Reference(("slurm.accounting.existing.secret_arn",), ("CW-I005", "CW-I007", "CW-I009")),
    Reference(
        ("slurm.accounting.existing.database_name", "slurm.accounting.existing.user_name"),
        reason="only a connection with the password can tell, which `check` never reads; "
        "slurmdbd reports it on the controller",
    ),
    Reference(
        ("kubernetes.access[].principal_arn",),
        ("CW-I018",),
        "principals of other accounts cannot be read",
    ),
    Reference(("kubernetes.pod_identities[].role_arn",), ("CW-I019",)),
    Reference(("parallelcluster.ssh_key_name", "pcs.ssh_key_name"), ("CW-I026",)),
    Reference(
        ("kubernetes.workloads.jobs[].image", "observability.metrics.image", "acceptance.image"),
        ("CW-I027", "CW-N033"),
        "registries other than Amazon ECR have credentials of their own, which `check` does not "
        "have",
    ),
    Reference(
        (
            "kubernetes.capabilities.argocd.identity_center_arn",
            "kubernetes.capabilities.argocd.identity_center_region",
        ),
        ("CW-I028",),
    ),
    Reference(
        ("kubernetes.capabilities.argocd.admin_group_ids",),
        reason="only the management account and delegated administrators of Identity Center may "
        "read groups; an unknown group has no members",
    ),
    Reference(
        (
            "kubernetes.capabilities.argocd.repository",
            "kubernetes.capabilities.argocd.path",
            "kubernetes.capabilities.argocd.revision",
        ),
        reason="Argo CD reads the repository with its own network and credentials; the "
        "application shows `ComparisonError` if it cannot",
    ),
    Reference(
        ("kubernetes.version",),
        ("CW-I020",),
        "the catalogue's dates are used, not the account",
    ),
    Reference(
        (
            "kubernetes.addons[].version",
            "hyperpod.task_governance.addon_version",
            "hyperpod.addons[].version",
            "hyperpod.inference.addon_version",
        ),
        reason="EKS refuses a version that does not exist when the stack is deployed, and the "
        "stack rolls back; CW-I021 reports versions that are not pinned",
    ),
    Reference(
        ("kubernetes.workloads.charts[].version", "kubernetes.workloads.charts[].sha256"),
        ("CW-I030",),
        "Helm downloads the archive during the installation, which requires a version and a "
        "checksum",
    ),
    Reference(
        ("kubernetes.workloads.charts[].values",),
        reason="Helm compares values with the schema of the chart during the installation",
    ),
    Reference(
        ("parallelcluster.version",),
        reason="the version is that of the provider that the stack names; the deployment fails "
        "before nodes are launched if it does not exist",
    ),
    Reference(("image.image_id",), ("CW-I014", "CW-I023")),
    Reference(
        ("image.release_version",),
        ("CW-I006", "CW-I017"),
        "no API lists the releases of HyperPod; CreateCluster refuses an unknown one",
    ),
    Reference(
        ("image.nvidia_driver", "software", "compute[].software", "slurm.containers.cuda"),
        ("CW-I015", "CW-I030"),
        "nodes with Slurm compare the declared versions with their own before they join",
    ),
    Reference(("lifecycle.steps",), ("CW-L016",)),
    Reference(("lifecycle.artefacts",), ("CW-L006",)),
    Reference(
        ("slurm.users[].uid", "slurm.users[].gid", "slurm.user_groups[].gid"),
        reason="files on a shared file system and accounts of an image cannot be read before a "
        "node runs; the step `users` refuses a number that another account of the node has, "
        "before it changes anything",
    ),
    Reference(
        ("slurm.users[].ssh_public_keys",),
        reason="only the owner has the private key",
    ),
    Reference(
        ("slurm.metadata_service_users",),
        reason="system accounts of the image; the step `metadata_service` allows those that exist "
        "and refuses accounts of people",
    ),
    Reference(
        ("observability.alarm_emails", "budget.alert_emails"),
        ("CW-B004",),
        "whether an address exists shows when AWS asks its owner to confirm the subscription",
    ),
    Reference(("tags", "required_tags"), ("CW-E001", "CW-E009")),
    Reference(
        ("environment",),
        ("CW-E002", "CW-E003", "CW-E004", "CW-E005", "CW-E006", "CW-E007", "CW-E008", "CW-E010"),
    ),
    Reference(("waivers[].rule", "waivers[].path"), ("CW-W002", "CW-W003")),
    Reference(
        ("allow_replacement[].resource",),
        reason="`clusterwright diff` reports an entry that names no changed resource",
    ),
    Reference(
        (
            "kubernetes.public_access_cidrs",
            "kubernetes.private_access_cidrs",
            "tenants[].egress_cidrs",
        ),
        reason="ranges of networks that others operate",
    ),
    Reference(
        (
            "kubernetes.pod_identities[].namespace",
            "kubernetes.pod_identities[].service_account",
            "kubernetes.access[].namespaces",
            "kubernetes.access[].groups",
            "tenants[].groups",
        ),
        reason="Kubernetes objects that may be created after the cluster",
    ),
    Reference(
        ("acceptance.waivers[].nodes",),
        reason="nodes of the cluster, which may not exist yet or be away",
    ),
)
"""The table, in the order of the page."""

INTERNAL: Final = frozenset(
    {
        "acceptance.floors[].check",
        "acceptance.floors[].groups",
        "acceptance.waivers[].check",
        "acceptance.waivers[].groups",
        "acceptance.waivers[].reason",
        "allow_replacement[].reason",
        "compute[].labels",
        "compute[].mig_profile",
        "compute[].name",
        "compute[].part_of",
        "compute[].scratch.mount_path",
        "compute[].taints[].key",
        "compute[].taints[].value",
        "hyperpod.task_governance.priority_classes[].name",
        "kubernetes.service_cidr",
        "kubernetes.workloads.jobs[].command",
        "kubernetes.workloads.jobs[].group",
        "kubernetes.workloads.jobs[].name",
        "kubernetes.workloads.jobs[].tenant",
        "kubernetes.workloads.priorities[].name",
        "network.cidr",
        "network.secondary_cidrs",
        "pcs.cgroup_settings",
        "pcs.slurm_settings",
        "pcs.slurmdbd_settings",
        "slurm.accounting.instance_class",
        "slurm.accounts[].name",
        "slurm.accounts[].qos",
        "slurm.partitions[].groups",
        "slurm.partitions[].name",
        "slurm.qos[].name",
        "slurm.qos[].preempts",
        "slurm.user_groups[].name",
        "slurm.users[].groups",
        "slurm.users[].name",
        "slurm.users[].slurm_account",
        "storage.checkpoint_path",
        "storage.buckets[].mount_path",
        "storage.home.mount_path",
        "storage.lustre[].maintenance_window",
        "storage.lustre[].mount_path",
        "storage.lustre[].name",
        "storage.lustre[].repositories[].path",
        "tenants[].name",
        "tenants[].priority",
        "tenants[].users",
        "waivers[].reason",
    }
)
"""Keys whose text is a name in the file itself, a value of the cluster that is created, or prose:
validation compares names within the file."""


def section() -> Iterator[str]:
    """Yield the lines of the table in `docs/reference/rules.md`."""
    yield "## References to things outside the file"
    yield ""
    yield "What a spec names and does not create is opened before anything is deployed, or the"
    yield "table states why not."
    yield ""
    yield "| Keys | Opened by | Otherwise |"
    yield "|---|---|---|"
    for row in REFERENCES:
        keys = ", ".join(f"`{key}`" for key in row.keys)
        rules = ", ".join(f"[{rule}](#{rule.lower()})" for rule in row.rules) or "–"
        yield f"| {keys} | {rules} | {row.reason or '–'} |"

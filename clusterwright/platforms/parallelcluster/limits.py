"""Limits and supported values of ParallelCluster, each with its source.

Source, unless noted otherwise: aws-parallelcluster 3.16.1 from PyPI, read 2026-11-20:
`constants.py`, `schemas/cluster_schema.py`, `validators/*.py`.
"""

from __future__ import annotations

from typing import Final

KNOWN_VERSIONS: Final = ("3.16.1",)
"""Releases whose schema, update policies and launch templates were read. Newer ones exist (3.16.2
and 3.16.3 by their release pages); their changes to the configuration were not read."""

REGIONS: Final = frozenset(
    (
        *("af-south-1", "ap-east-1", "ap-northeast-1", "ap-northeast-2", "ap-south-1"),
        *(
            "ap-southeast-1",
            "ap-southeast-2",
            "ap-southeast-3",
            "ap-southeast-5",
            "ap-southeast-7",
        ),
        *(
            "ca-central-1",
            "cn-north-1",
            "cn-northwest-1",
            "eu-central-1",
            "eu-north-1",
            "eu-south-1",
        ),
        *("eu-west-1", "eu-west-2", "eu-west-3", "il-central-1", "me-south-1", "sa-east-1"),
        *("us-east-1", "us-east-2", "us-gov-east-1", "us-gov-west-1", "us-iso-east-1"),
        *("us-iso-west-1", "us-isob-east-1", "us-west-1", "us-west-2"),
    )
)
"""Regions of the release, with its images, its provider and its templates
(`resources/supported-regions`, RegionValidator; the package downloads a newer list first)."""

TAGS: Final = 40
"""Maximum tags of a compute resource: ParallelCluster reserves ten of EC2's fifty
(MAX_TAGS_COUNT).
"""

NAME_PATTERN: Final = r"^[a-z][a-z0-9-]*$"
NAME_LENGTH: Final = 25
NAME_KEPT: Final = "default"
"""Queues, compute resources and pools of login nodes (NameValidator)."""

CLUSTER_NAME_LENGTH: Final = 60
CLUSTER_NAME_LENGTH_WITH_ACCOUNTING: Final = 40
"""Names of clusters, which Slurm uses in table names (ClusterNameValidator)."""

STORAGE_NAME_LENGTH: Final = 30
QUEUES: Final = 50
COMPUTE_RESOURCES: Final = 50
"""Of a cluster, and of a queue."""

LOGIN_POOLS: Final = 10
EXISTING_FSX: Final = 20

RESERVED_MOUNT_PATHS: Final = (
    *(f"/{name}" for name in ("bin", "boot", "dev", "etc", "lib", "lib64", "media", "mnt", "opt")),
    *(f"/{name}" for name in ("proc", "root", "run", "sbin", "srv", "sys", "tmp", "usr", "var")),
    "/opt/parallelcluster",
    "/opt/parallelcluster/shared",
    "/opt/parallelcluster/shared_login_nodes",
    "/opt/slurm",
    "/opt/intel",
)
"""Reserved mount paths (SharedStorageMountDirValidator); paths below them are allowed."""

LOG_RETENTION_DAYS: Final = (
    *(0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653),
)
"""`Monitoring/Logs/CloudWatch/RetentionInDays`: fewer than CloudWatch Logs supports."""

GRACE_MINUTES: Final = (3, 120)
"""`LoginNodes/Pools/GracetimePeriod`, minutes."""

DATABASE_NAME_PATTERN: Final = r"^[0-9a-z_]{1,64}$"

NOT_WITH_GB200: Final = ("rhel8", "rocky8", "rhel9")
"""Operating systems that are not supported on p6e-gb200 (InstanceTypeOSCompatibleValidator)."""

ULTRASERVER_SIZES: Final = (9, 18)
"""Nodes of an UltraServer of p6e-gb200 (ULTRASERVER_CAPACITY_BLOCK_ALLOWED_SIZE_DICT)."""

WITHOUT_SMALL_TYPES: Final = ("ubuntu2204", "ubuntu2404", "rhel8", "rhel9")
"""Operating systems for which a micro or nano head node causes a warning."""

BOOTSTRAP_SECONDS: Final = 2100
INSTANCE_INFO_SECONDS: Final = 90
"""Defaults of `DevSettings/Timeouts`: of a node's whole bootstrap, and until EC2 lists launched
instances."""

CUSTOM_RESOURCE_SECONDS: Final = 3600
"""CloudFormation's longest wait for a custom resource, and its default (AWS::CloudFormation::
CustomResource, ServiceTimeout). The provider's `Custom::PclusterCluster` is one."""

RESERVATION_PLATFORMS: Final = {
    "rhel8": "Red Hat Enterprise Linux",
    "rhel9": "Red Hat Enterprise Linux",
}
"""Platform of capacity reservations by operating system; all others are
`Linux/UNIX` (CAPACITY_RESERVATION_OS_MAP)."""

GPU_HEALTH_CHECK_HANGS: Final = ("p4d", "p4de", "p5", "p5e", "p5en", "p6")
"""Families whose prolog hangs with `HealthChecks/Gpu` (aws-parallelcluster issue 6777, open since
April 2025: p4d and p5); later families share its cause, DCGM's test of NVSwitch, but no report
names them. `p6` stands for p6-b200, p6-b300 and p6e-gb200.
"""

DENIED_SLURM_SETTINGS: Final = frozenset(
    (
        *("epilog", "grestypes", "launchparameters", "prolog", "reconfigflags"),
        *("resumefailprogram", "resumeprogram", "resumetimeout", "slurmctldhost"),
        *("slurmctldlogfile", "slurmctldparameters", "slurmdlogfile", "slurmuser"),
        *("suspendexcnodes", "suspendprogram", "suspendtime", "taskplugin", "treewidth"),
    )
)
DENIED_WITH_DATABASE: Final = frozenset(
    (
        *("accountingstoragetype", "accountingstoragehost", "accountingstorageport"),
        *("accountingstorageuser", "jobacctgathertype"),
    )
)
DENIED_QUEUE_SETTINGS: Final = frozenset(
    ("nodes", "partitionname", "resumetimeout", "state", "suspendtime", "oversubscribe")
)
"""Names, in lowercase, that CustomSlurmSettings must not contain (SLURM_SETTINGS_DENY_LIST)."""


def head_node_memory_gib(compute_nodes: int) -> float:
    """Memory of the head node for a number of compute nodes (HeadNodeMemorySizeValidator)."""
    return min(compute_nodes / 25 + 0.6, 16)

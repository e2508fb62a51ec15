"""The contract of `cluster.json` and `deployment.json`, which stacks write and nodes read.

A field's docstring is its row in docs/reference/node-files.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clusterwright_node.fields import (
    PATH,
    boolean,
    choice,
    integer,
    mapping,
    number,
    path,
    record,
    records,
    text,
    texts,
)

SCHEMA_VERSION = 1
PARALLELCLUSTER = "parallelcluster"
PCS = "pcs"
CONFIGURATIONS = ("managed", "scripted", PARALLELCLUSTER, PCS)
"""What configures Slurm: HyperPod, this program, ParallelCluster, or AWS PCS."""

DIRECTORY_BUCKET = re.compile(r"[a-z0-9][a-z0-9-]*--([a-z0-9]+(?:-[a-z0-9]+)+)--x-s3")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_UNIX_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_INSTANCE_TYPE = re.compile(r"(?!ml\.)[a-z0-9][a-z0-9-]*\.[a-z0-9.-]+")
_REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-[0-9]")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"[^\x00-\x20/][^\x00-\x20]*/")
_DNS = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
_SECRET = re.compile(r"arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+")
_ROLE = re.compile(r"arn:[a-z-]+:iam::[0-9]{12}:role/[A-Za-z0-9/_+=,.@-]+")
_LOG_GROUP = re.compile(r"[A-Za-z0-9_./#-]{1,512}")
_PUBLIC_KEY = re.compile(
    r"(?:ssh-[a-z0-9-]+|ecdsa-sha2-[a-z0-9-]+|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]+={0,3}(?: .*)?"
)
_ACCOUNT = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+~-]{0,127}")
_ARTEFACT_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+~:-]{0,63}")
_ARTEFACT_NAME = re.compile(r"[a-z0-9][a-z0-9._+-]{0,63}")
_CHECK = re.compile(r"[a-z][a-z0-9-]{0,62}")
_UNIT = re.compile(r"[GM]B/s")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SENTENCE = re.compile(r"[^\x00-\x1f]{1,1000}")
_COMPONENT = re.compile(r"[a-z][a-z0-9_]{0,62}")
_IDS = (1000, 59_999)
_LONGEST_MINUTES = 527_040
"""A leap year; a longer limit has no effect."""
_LARGEST_WEIGHT = 2**31 - 1
_LARGEST_SHORT = 65_533


def _is_unix_name(value: str) -> bool:
    return _UNIX_NAME.fullmatch(value) is not None


def _is_path(value: str) -> bool:
    return PATH.fullmatch(value) is not None and ".." not in value.split("/")


def _is_public_key(value: str) -> bool:
    return _PUBLIC_KEY.fullmatch(value) is not None and all(ord(letter) >= 32 for letter in value)


def zone_of_directory_bucket(name: str) -> str:
    """The zone id in a directory bucket's name: `base--use1-az6--x-s3` gives `use1-az6`."""
    match = DIRECTORY_BUCKET.fullmatch(name)
    assert match is not None, "checked when cluster.json was read"
    return match.group(1)


@dataclass(frozen=True)
class Scratch:
    """Local NVMe disks as one RAID array."""

    mount_path: str = path()
    """where HyperPod's image has mounted `/opt/dlami/nvme`, use that path"""

    raid_level: int = integer(0, 0)
    """other levels are not supported"""


@dataclass(frozen=True)
class DeclaredVersion:
    """A version of software that the spec declares."""

    component: str = text(_COMPONENT, "the name of a component")
    """such as `nvidia_driver`; the names are those of `software` in the spec"""

    version: str = text(_ARTEFACT_VERSION, "a version")
    """`2.27` agrees with 2.27.5"""


@dataclass(frozen=True)
class Group:
    """An instance group."""

    name: str = text(_NAME, "an instance group name")
    """name of the HyperPod instance group, unique"""

    role: str = choice("compute", "controller", "login")
    """exactly one group has the role `controller`; on PCS none has, because AWS runs slurmctld"""

    instance_type: str = text(_INSTANCE_TYPE, "EC2's name of an instance type, without ml.")
    """EC2's name, without `ml.`; compared with `resource_config.json`"""

    accelerator: str = choice("nvidia", "neuron", "none")
    """the kind of the node's accelerators"""

    accelerator_count: int = integer(0, 1024)
    """devices on one node; 0 if and only if `accelerator` is `none`"""

    partition: str | None = text(_WORD, "a partition name", null=True)
    """one of `slurm.partitions` for compute groups, null for others"""

    spare_count: int = integer(0, 6758)
    """number of the group's nodes that are kept free of jobs, see "Spare nodes" below"""

    scratch: Scratch | None = record(Scratch, null=True)
    """local NVMe disks; if null, they are not changed"""

    efa: bool = boolean()
    """the group's nodes have EFA interfaces"""

    cores: int | None = integer(1, 4096, null=True, default=None)
    """cores of one node, from the catalogue; null if no source has them, which the scripted
    configuration refuses for compute groups
    """

    threads_per_core: int | None = integer(1, 8, null=True, default=None)
    """as `cores`"""

    memory_mib: int | None = integer(1, 2**30, null=True, default=None)
    """as `cores`"""

    software: tuple[DeclaredVersion, ...] = records(DeclaredVersion, default=(), omit=True)
    """versions that the spec declares; the step `software_versions` refuses a node with others"""

    spot: bool = boolean(default=False, omit=True)
    """the group's nodes are Spot Instances, which EC2 may interrupt"""


@dataclass(frozen=True)
class Lustre:
    """A Lustre file system that every node mounts."""

    name: str = text(_WORD, "a name")
    """key into `deployment.json`, unique"""

    mount_path: str = path()
    """unique"""

    efa: bool = boolean()
    """the file system has EFA; used by nodes of groups with `efa: true`, others use TCP"""

    by_platform: bool = boolean(default=True)
    """in the managed configuration: HyperPod mounts it; on ParallelCluster: it is in
    SharedStorage. False for file systems beyond the four storage entries of a HyperPod group, and
    on ParallelCluster for those with EFA: this program mounts them"""

    preload: tuple[str, ...] = texts(
        _is_path, "an absolute path", default=(), shape="list of absolute paths below `mount_path`"
    )
    """folders whose files the controller loads from S3 before they are first read"""

    existing: bool = boolean(default=False)
    """the file system is not part of the deployment: it is mounted, and `shared_folders` does not
    change it"""


@dataclass(frozen=True)
class Home:
    """Home directories on OpenZFS."""

    mount_path: str = path()
    """users' home directories are `<mount_path>/<name>`; without `home`, `/home/<name>`"""


@dataclass(frozen=True)
class UserGroup:
    """A Unix group with a fixed GID."""

    name: str = text(_UNIX_NAME, "a Unix name")
    """unique"""

    gid: int = integer(*_IDS)
    """unique"""


@dataclass(frozen=True)
class User:
    """A Unix user with a fixed UID and primary GID."""

    name: str = text(_UNIX_NAME, "a Unix name")
    """unique"""

    uid: int = integer(*_IDS)
    """unique"""

    gid: int = integer(*_IDS)
    """primary group: the entry of `user_groups` with this GID, else a group with the user's own
    name"""

    groups: tuple[str, ...] = texts()
    """supplementary groups, from `user_groups`"""

    ssh_public_keys: tuple[str, ...] = texts(_is_public_key, "one line of an OpenSSH public key")
    """one line each; a marked block of `authorized_keys` that is replaced as a whole: a key that
    is removed from the spec is removed from the nodes, lines that users add themselves stay"""

    slurm_account: str | None = text(_WORD, "an account name", null=True)
    """must be null when `slurm.accounting` is `none`"""

    sudo: bool = boolean()
    """password-less sudo on every node"""


@dataclass(frozen=True)
class Partition:
    """A Slurm partition."""

    name: str = text(_WORD, "a partition name")
    """unique"""

    default: bool = boolean()
    """at most one partition is the default"""

    max_time_minutes: int | None = integer(1, _LONGEST_MINUTES, null=True, default=None)
    """null for no limit"""

    priority_tier: int = integer(1, _LARGEST_SHORT, default=1)
    """Slurm's PriorityTier"""


@dataclass(frozen=True)
class PriorityWeights:
    """Weights of the factors of a job's priority."""

    age: int = integer(0, _LARGEST_WEIGHT)
    """Slurm's PriorityWeightAge"""

    fair_share: int = integer(0, _LARGEST_WEIGHT)
    """Slurm's PriorityWeightFairshare"""

    job_size: int = integer(0, _LARGEST_WEIGHT)
    """Slurm's PriorityWeightJobSize"""

    partition: int = integer(0, _LARGEST_WEIGHT)
    """Slurm's PriorityWeightPartition"""

    qos: int = integer(0, _LARGEST_WEIGHT)
    """Slurm's PriorityWeightQOS"""


@dataclass(frozen=True)
class Timeouts:
    """Slurm's timeouts."""

    node_down_seconds: int = integer(5, _LARGEST_SHORT)
    """Slurm's SlurmdTimeout"""

    message_seconds: int = integer(1, 3600)
    """Slurm's MessageTimeout, below `node_down_seconds`"""

    credential_seconds: int = integer(5, 3600)
    """`cred_expire` of Slurm's AuthInfo"""

    kill_wait_seconds: int = integer(1, _LARGEST_SHORT)
    """Slurm's KillWait"""


@dataclass(frozen=True)
class Qos:
    """A quality of service: a priority, the QOS that it may preempt, and limits."""

    name: str = text(_ACCOUNT, "the name of a QOS")
    """unique"""

    priority: int = integer(0, _LARGEST_WEIGHT)
    """higher is sooner"""

    preempts: tuple[str, ...] = texts()
    """QOS of the list, or `normal`"""

    grace_seconds: int = integer(0, _LARGEST_SHORT)
    """time until a preempted job ends"""

    max_nodes_per_user: int | None = integer(1, _LARGEST_SHORT, null=True, default=None)
    """null for no limit"""

    max_time_minutes: int | None = integer(1, _LONGEST_MINUTES, null=True, default=None)
    """null for no limit"""


@dataclass(frozen=True)
class Account:
    """The share and the limits of a Slurm account."""

    name: str = text(_ACCOUNT, "an account name")
    """unique"""

    fair_share: int = integer(1, _LARGEST_SHORT)
    """compared with the shares of other accounts"""

    max_nodes: int | None = integer(1, _LARGEST_SHORT, null=True, default=None)
    """null for no limit"""

    qos: tuple[str, ...] = texts()
    """an empty list allows every QOS of `slurm.qos`"""


DEFAULT_WEIGHTS = PriorityWeights(1000, 10_000, 1000, 1000, 100_000)
DEFAULT_TIMEOUTS = Timeouts(300, 60, 120, 60)


@dataclass(frozen=True)
class Slurm:
    """The configuration of Slurm; in the managed configuration HyperPod sets most of it."""

    partitions: tuple[Partition, ...] = records(Partition)
    """at most one default"""

    accounting: str = choice("none", "local", "rds", "managed")
    """managed mode: HyperPod sets it up, the program adds accounts and users; `managed`: the
    database of AWS PCS, on PCS only"""

    topology: str = choice("none", "automatic", "tree", "block")
    """managed mode: HyperPod's; scripted: see "Topology"; ParallelCluster: this program writes
    `tree`, ParallelCluster everything else"""

    priority_weights: PriorityWeights = record(PriorityWeights, default=DEFAULT_WEIGHTS)
    """the default is in the example; scripted mode"""

    timeouts: Timeouts = record(Timeouts, default=DEFAULT_TIMEOUTS)
    """the default is in the example; scripted mode"""

    preemption: str = choice("off", "requeue", "cancel", default="off")
    """what happens to a preempted job; scripted mode"""

    qos: tuple[Qos, ...] = records(Qos, default=())
    """empty when `accounting` is `none`"""

    accounts: tuple[Account, ...] = records(Account, default=())
    """empty when `accounting` is `none`; accounts that only users name need no entry"""

    restrict_ssh_to_jobs: bool = boolean(default=False)
    """users without `sudo` can use ssh only to compute nodes on which a job of theirs runs"""

    metadata_service_users: tuple[str, ...] = texts(
        _is_unix_name, "a Unix name", default=(), shape="list of names"
    )
    """system accounts that may reach the instance metadata service, beside root and AWS's agents
    (`metadata_service`); a name that the image does not have is ignored"""


@dataclass(frozen=True)
class Containers:
    """Containers of jobs."""

    pyxis: bool = boolean()
    """jobs may use containers with Enroot and Pyxis"""

    install: str = choice("image", "mirrored", default="image", omit=True)
    """`mirrored`: nodes install Enroot and Pyxis from `artefacts`; `image`: they are on the
    image"""


@dataclass(frozen=True)
class Artefact:
    """A file in the cluster's bucket."""

    name: str = text(_ARTEFACT_NAME, "a name")
    """unique for an architecture"""

    version: str = text(_ARTEFACT_VERSION, "a version")
    """the version that is installed"""

    architecture: str = choice("x86_64", "arm64", "any")
    """architecture of the nodes, or any"""

    file: str = text(_FILE, "a file name")
    """the name of the file in the bucket"""

    sha256: str | None = text(_SHA256, "64 hexadecimal digits or unknown", unknown=True)
    """the step `artefacts` refuses `unknown`"""

    size_bytes: int | None = integer(1, 2**40, text="unknown")
    """`unknown` if and only if `sha256` is"""

    used_by: tuple[str, ...] = texts()
    """the steps that use the file"""

    @property
    def label(self) -> str:
        return f"{self.name} {self.version} ({self.architecture})"


@dataclass(frozen=True)
class Artefacts:
    """The files that nodes download, and the bucket that they download them from."""

    bucket: str = text(_BUCKET, "a bucket name")
    """see "Artefacts" below"""

    files: tuple[Artefact, ...] = records(Artefact)
    """those of the list of artefacts that a step of this cluster uses"""


@dataclass(frozen=True)
class Mountpoint:
    """A bucket, or a prefix of it, mounted read-only with Mountpoint for S3."""

    bucket: str = text(_BUCKET, "a bucket name")
    """read only"""

    prefix: str | None = text(_PREFIX, "a prefix that ends in /", null=True)
    """ends in `/`; null mounts the whole bucket"""

    mount_path: str = path()
    """unique"""


@dataclass(frozen=True)
class Metrics:
    """Where each node serves its metrics."""

    listen: str = choice("private", "loopback")
    """the node's private address, or loopback"""

    port: int = integer(1024, 65_535)
    """the TCP port"""

    interval_seconds: int = integer(10, 3600)
    """how often the metrics are collected"""

    slurm_openmetrics: bool = boolean(default=False, omit=True)
    """slurmctld serves metrics of its own"""


@dataclass(frozen=True)
class OwnFloor:
    """A floor of the user's own for a check of the acceptance program."""

    check: str = text(_CHECK, "the id of a check")
    """such as `nvlink-allreduce`"""

    minimum: float = number()
    """the least figure that passes"""

    unit: str = text(_UNIT, "GB/s or MB/s")
    """the unit of the check's figure"""

    size_mib: int | None = integer(1, 2**20, null=True, default=None)
    """`cluster-allreduce`: the message size; null for every size"""

    node_count: int | None = integer(2, 100_000, null=True, default=None)
    """`cluster-allreduce`: the number of nodes; null for any"""

    groups: tuple[str, ...] = texts()
    """the groups that it applies to; all if empty"""


@dataclass(frozen=True)
class AcceptanceWaiver:
    """A check whose failed or unknown result does not reject a node."""

    check: str = text(_CHECK, "the id of a check")
    """such as `nvlink-allreduce`"""

    reason: str = text(_SENTENCE, "one line of text")
    """why the result is accepted"""

    expires: str = text(_DAY, "a date, YYYY-MM-DD")
    """the last day"""

    nodes: tuple[str, ...] = texts()
    """Slurm's names; all if empty"""

    groups: tuple[str, ...] = texts()
    """the groups that it applies to; all if empty"""


@dataclass(frozen=True)
class Acceptance:
    """How nodes are tested before they are trusted."""

    level: str = choice("quick", "standard", "full", default="quick")
    """the level of tests that the controller starts itself, and the default of `accept`"""

    hold: bool = boolean(default=False)
    """a compute node takes no job before it is accepted"""

    recheck_hours: int | None = integer(1, 8760, default=None, null=True)
    """idle accepted nodes are tested again after this time; absent for no re-checks"""

    floors: tuple[OwnFloor, ...] = records(OwnFloor, default=())
    """in place of the program's floors"""

    waivers: tuple[AcceptanceWaiver, ...] = records(AcceptanceWaiver, default=())
    """results that are accepted for a time"""


DEFAULT_ACCEPTANCE = Acceptance("quick", False, None, (), ())


@dataclass(frozen=True)
class StepSettings:
    """Settings of a step in the spec; None keeps the default of the step."""

    deadline_seconds: int | None = integer(1, 7200, default=None)
    """the step fails after this time"""

    retries: int | None = integer(0, 100, default=None)
    """how often the step is repeated"""

    enabled: bool = boolean(default=True)
    """`identify`, `verify_inputs` and `not_built` cannot be disabled"""


@dataclass(frozen=True)
class ClusterFile:
    """cluster.json: values that are known at synthesis."""

    schema_version: int = integer(SCHEMA_VERSION, SCHEMA_VERSION)
    """other values are refused"""

    cluster: str = text(_NAME, "a HyperPod cluster name")
    """HyperPod's cluster name; compared with `resource_config.json`"""

    region: str = text(_REGION, "a region name")
    """for the names of S3's endpoints"""

    platform: str = choice("hyperpod-slurm", PARALLELCLUSTER, PCS)
    """the platforms with Slurm"""

    configuration: str = choice(*CONFIGURATIONS)
    """`on_init_complete.sh` runs managed, `on_create.sh` runs scripted, `on_node_configured.sh`
    runs parallelcluster, `on_pcs_node.sh` runs pcs; a mismatch is refused"""

    groups: tuple[Group, ...] = records(Group)
    """at least one"""

    lustre: tuple[Lustre, ...] = records(Lustre)
    """every node mounts each; may be empty"""

    home: Home | None = record(Home, null=True)
    """OpenZFS home directories; null leaves `/home` on the root volume"""

    user_groups: tuple[UserGroup, ...] = records(UserGroup)
    """every group that a user names"""

    users: tuple[User, ...] = records(User)
    """the users of the cluster"""

    slurm: Slurm = record(Slurm)
    """the configuration of Slurm"""

    containers: Containers = record(Containers)
    """containers of jobs"""

    artefacts: Artefacts | None = record(Artefacts, default=None, omit=True)
    """artefacts that nodes download, see "Artefacts" below"""

    mountpoints: tuple[Mountpoint, ...] = records(Mountpoint)
    """buckets that are mounted read-only with Mountpoint for S3"""

    directory_buckets: tuple[str, ...] = texts(shape="list of names")
    """S3 Express buckets whose zonal endpoint must resolve"""

    checkpoint_path: str | None = path(null=True)
    """refused under a `mountpoints[].mount_path`"""

    metrics: Metrics | None = record(Metrics, default=None, null=True)
    """where each node serves its metrics; null installs nothing"""

    job_role_arn: str | None = text(_ROLE, "the ARN of a role", null=True, default=None)
    """the role whose credentials every user of the node gets (`job_credentials`); null gives users
    none"""

    state_bucket: str | None = text(_BUCKET, "a bucket name", null=True, default=None)
    """where the controller publishes the state of the cluster (`cluster_state`); null publishes
    nothing"""

    acceptance: Acceptance = record(Acceptance, default=DEFAULT_ACCEPTANCE, omit=True)
    """how nodes are tested, see [Acceptance](acceptance.md); absent for the program's defaults"""

    node_steps: dict[str, StepSettings] = mapping(StepSettings)
    """step name → `{deadline_seconds, retries, enabled}`, each optional; may be empty"""

    def group(self, name: str) -> Group | None:
        """The group of a name, None if there is none."""
        return next((group for group in self.groups if group.name == name), None)

    @property
    def home_base(self) -> str:
        """The folder of the users' home directories, shared or not."""
        return self.home.mount_path if self.home is not None else "/home"


@dataclass(frozen=True)
class DeployedLustre:
    """Where FSx serves a file system of `ClusterFile.lustre`."""

    name: str = text(_WORD, "a name")
    """the same names as `cluster.json`'s `lustre`, no more and no fewer"""

    dns_name: str = text(_DNS, "a DNS name")
    """from FSx"""

    mount_name: str = text(_WORD, "a mount name")
    """from FSx; the source is `<dns_name>@tcp:/<mount_name>`"""

    @property
    def source(self) -> str:
        return f"{self.dns_name}@tcp:/{self.mount_name}"


@dataclass(frozen=True)
class DeployedHome:
    """Where OpenZFS serves the home directories."""

    dns_name: str = text(_DNS, "a DNS name")
    """from FSx"""

    volume_path: str = path(default="/fsx")
    """OpenZFS exports its root volume as `/fsx`"""

    @property
    def source(self) -> str:
        return f"{self.dns_name}:{self.volume_path}"


@dataclass(frozen=True)
class Accounting:
    """The RDS database of Slurm's accounting; its password is in the secret, not here."""

    endpoint: str = text(_DNS, "a DNS name")
    """the host name of the database"""

    port: int = integer(1, 65_535, text="digits")
    """a value that is known only at deployment may be either"""

    database: str = text(_WORD, "a database name")
    """the name of the database"""

    secret_arn: str = text(_SECRET, "the ARN of a secret")
    """the secret with user and password"""

    admin_secret_arn: str | None = text(_SECRET, "the ARN of a secret", null=True, default=None)
    """the secret of the database's master user, with which the controller creates that user once
    (scripted); null if the user exists"""


@dataclass(frozen=True)
class DeploymentFile:
    """deployment.json: values that are known only at deployment."""

    schema_version: int = integer(SCHEMA_VERSION, SCHEMA_VERSION)
    """other values are refused"""

    lustre: tuple[DeployedLustre, ...] = records(DeployedLustre)
    """where the file systems are"""

    home: DeployedHome | None = record(DeployedHome, null=True)
    """null if and only if `home` of `cluster.json` is null"""

    accounting: Accounting | None = record(Accounting, null=True)
    """an object if and only if `slurm.accounting` is `rds`"""

    log_group_name: str | None = text(_LOG_GROUP, "a log group name", null=True)
    """named in the message of a failure and in the message of the day; HyperPod's own log group
    has the cluster's id in its name, which does not exist yet when this file is written, so null
    is usual"""

    munge_key_secret_arn: str | None = text(
        _SECRET, "the ARN of a secret", null=True, default=None
    )
    """scripted mode: the secret whose text is the cluster's munge key; null keeps the image's
    key"""

    prometheus_workspace_id: str | None = text(
        _WORD, "the id of a workspace", null=True, default=None
    )
    """the workspace that the nodes' metrics are sent to; null sends them nowhere"""

    def lustre_named(self, name: str) -> DeployedLustre:
        """The file system of a name, which is there."""
        return next(entry for entry in self.lustre if entry.name == name)

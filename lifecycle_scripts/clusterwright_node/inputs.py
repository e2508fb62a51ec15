"""The files that tell a node what to be. The contract is docs/reference/node-files.md.

`cluster.json` and `deployment.json` are ours and read strictly; `provisioning_parameters.json` and
`resource_config.json` are HyperPod's, of which only the keys in use are read. In the place of
HyperPod's, nodes of ParallelCluster have what `clusterwright_node.parallelcluster` reads.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clusterwright_node import parallelcluster
from clusterwright_node.errors import InputsError
from clusterwright_node.machine import Machine
from clusterwright_node.parsing import Table, parse_json

SCHEMA_VERSION = 1
PARALLELCLUSTER = "parallelcluster"
CONFIGURATIONS = ("managed", "scripted", PARALLELCLUSTER)
"""Who sets Slurm up: HyperPod, this program, or ParallelCluster."""
ENTRIES = {
    "managed": "on_init_complete.sh",
    "scripted": "on_create.sh",
    PARALLELCLUSTER: "on_node_configured.sh",
}
RESOURCE_CONFIG = "/opt/ml/config/resource_config.json"

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_UNIX_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_INSTANCE_TYPE = re.compile(r"(?!ml\.)[a-z0-9][a-z0-9-]*\.[a-z0-9.-]+")
_REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-[0-9]")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_DIRECTORY_BUCKET = re.compile(r"[a-z0-9][a-z0-9-]*--([a-z0-9]+(?:-[a-z0-9]+)+)--x-s3")
_PREFIX = re.compile(r"[^\x00-\x20/][^\x00-\x20]*/")
_PATH = re.compile(r"(?:/[A-Za-z0-9._+@-]+)+")
_DNS = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
_SECRET = re.compile(r"arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+")
_CLUSTER_ARN = re.compile(r"arn:[a-z-]+:sagemaker:[a-z0-9-]+:[0-9]{12}:cluster/([a-z0-9]+)")
_LOG_GROUP = re.compile(r"[A-Za-z0-9_./#-]{1,512}")
_PUBLIC_KEY = re.compile(
    r"(?:ssh-[a-z0-9-]+|ecdsa-sha2-[a-z0-9-]+|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]+={0,3}(?: .*)?"
)
_ACCOUNT = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_SHA256 = re.compile(r"[0-9a-f]{64}|unknown")
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+~-]{0,127}")
_ARTEFACT_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+~:-]{0,63}")
_ARTEFACT_NAME = re.compile(r"[a-z0-9][a-z0-9._+-]{0,63}")
_LOWEST_ID, _HIGHEST_ID = 1000, 59999
_LONGEST_MINUTES = 527_040
"""A leap year: a longer limit is none."""
_LARGEST_WEIGHT = 2**31 - 1


@dataclass(frozen=True)
class Scratch:
    """Local NVMe disks as one RAID array, mounted at `mount_path`."""

    mount_path: str
    raid_level: int


@dataclass(frozen=True)
class Group:
    """One HyperPod instance group. `instance_type` is EC2's name, without `ml.`."""

    name: str
    role: str
    instance_type: str
    accelerator: str
    accelerator_count: int
    partition: str | None
    spare_count: int
    scratch: Scratch | None
    efa: bool
    cores: int | None = None
    """Of one node, as threads_per_core and memory_mib; None where no source says."""
    threads_per_core: int | None = None
    memory_mib: int | None = None
    spot: bool = False


@dataclass(frozen=True)
class Lustre:
    """A Lustre file system that every node mounts."""

    name: str
    mount_path: str
    efa: bool
    by_platform: bool = True
    """In the managed configuration: whether HyperPod mounts it, or this program."""
    preload: tuple[str, ...] = ()
    """Folders of it, as absolute paths, that are loaded from S3 before anybody asks."""
    existing: bool = False
    """Whether somebody else owns it: then it is mounted, and nothing in it is altered."""


@dataclass(frozen=True)
class UserGroup:
    """A Unix group with a fixed GID."""

    name: str
    gid: int


@dataclass(frozen=True)
class User:
    """A Unix user with a fixed UID and primary GID."""

    name: str
    uid: int
    gid: int
    groups: tuple[str, ...]
    ssh_public_keys: tuple[str, ...]
    slurm_account: str | None
    sudo: bool


@dataclass(frozen=True)
class Partition:
    """A Slurm partition."""

    name: str
    default: bool
    max_time_minutes: int | None = None
    priority_tier: int = 1


@dataclass(frozen=True)
class PriorityWeights:
    """What the parts of a job's priority weigh against each other."""

    age: int = 1000
    fair_share: int = 10_000
    job_size: int = 1000
    partition: int = 1000
    qos: int = 100_000


@dataclass(frozen=True)
class Timeouts:
    """How long Slurm waits, in seconds. The defaults are those of the spec."""

    node_down_seconds: int = 300
    message_seconds: int = 60
    credential_seconds: int = 120
    kill_wait_seconds: int = 60


@dataclass(frozen=True)
class Qos:
    """A quality of service: a priority, whom it may displace, and limits."""

    name: str
    priority: int
    preempts: tuple[str, ...] = ()
    grace_seconds: int = 0
    max_nodes_per_user: int | None = None
    max_time_minutes: int | None = None


@dataclass(frozen=True)
class Account:
    """An account's share and limits; `qos` empty means every QOS."""

    name: str
    fair_share: int = 1
    max_nodes: int | None = None
    qos: tuple[str, ...] = ()


@dataclass(frozen=True)
class Slurm:
    """What Slurm should be; in managed mode HyperPod sets most of it up."""

    partitions: tuple[Partition, ...]
    accounting: str
    topology: str
    priority_weights: PriorityWeights = field(default_factory=PriorityWeights)
    timeouts: Timeouts = field(default_factory=Timeouts)
    preemption: str = "off"
    qos: tuple[Qos, ...] = ()
    accounts: tuple[Account, ...] = ()
    restrict_ssh_to_jobs: bool = False


@dataclass(frozen=True)
class Mountpoint:
    """A bucket, or a prefix of it, mounted read-only with Mountpoint for S3."""

    bucket: str
    prefix: str | None
    mount_path: str


@dataclass(frozen=True)
class Artefact:
    """A file in the cluster's bucket. `sha256` and `size_bytes` are None where nobody has read
    them, which is refused.
    """

    name: str
    version: str
    architecture: str
    file: str
    sha256: str | None
    size_bytes: int | None
    used_by: tuple[str, ...]

    @property
    def label(self) -> str:
        return f"{self.name} {self.version} ({self.architecture})"


@dataclass(frozen=True)
class Artefacts:
    """What nodes fetch, and the bucket that they fetch it from."""

    bucket: str
    files: tuple[Artefact, ...]


@dataclass(frozen=True)
class Metrics:
    """Where each node shows its metrics: `listen` is private or loopback."""

    listen: str
    port: int
    interval_seconds: int


@dataclass(frozen=True)
class StepSettings:
    """What the spec changes about one step; None leaves the step's own value."""

    deadline_seconds: int | None
    retries: int | None
    enabled: bool


@dataclass(frozen=True)
class Cluster:
    """cluster.json."""

    cluster: str
    region: str
    platform: str
    configuration: str
    groups: tuple[Group, ...]
    lustre: tuple[Lustre, ...]
    home_mount_path: str | None
    user_groups: tuple[UserGroup, ...]
    users: tuple[User, ...]
    slurm: Slurm
    pyxis: bool
    mountpoints: tuple[Mountpoint, ...]
    directory_buckets: tuple[str, ...]
    checkpoint_path: str | None
    node_steps: dict[str, StepSettings]
    containers_from: str = "image"
    """Where Enroot and Pyxis come from: `image`, or `mirrored` for the cluster's bucket."""
    artefacts: Artefacts | None = None
    metrics: Metrics | None = None

    def group(self, name: str) -> Group | None:
        return next((group for group in self.groups if group.name == name), None)

    @property
    def home_base(self) -> str:
        """The folder of the users' home directories, shared or not."""
        return self.home_mount_path or "/home"


@dataclass(frozen=True)
class DeployedLustre:
    """Where FSx serves a file system of `Cluster.lustre`."""

    name: str
    dns_name: str
    mount_name: str

    @property
    def source(self) -> str:
        return f"{self.dns_name}@tcp:/{self.mount_name}"


@dataclass(frozen=True)
class DeployedHome:
    """Where OpenZFS serves the home directories."""

    dns_name: str
    volume_path: str

    @property
    def source(self) -> str:
        return f"{self.dns_name}:{self.volume_path}"


@dataclass(frozen=True)
class Accounting:
    """The RDS database of Slurm's accounting; its password is in the secret, never here."""

    endpoint: str
    port: int
    database: str
    secret_arn: str


@dataclass(frozen=True)
class Deployment:
    """deployment.json."""

    lustre: tuple[DeployedLustre, ...]
    home: DeployedHome | None
    accounting: Accounting | None
    log_group_name: str | None
    munge_key_secret_arn: str | None = None
    prometheus_workspace_id: str | None = None

    def lustre_named(self, name: str) -> DeployedLustre:
        return next(entry for entry in self.lustre if entry.name == name)


@dataclass(frozen=True)
class Provisioning:
    """What of provisioning_parameters.json has to agree with cluster.json."""

    controller_group: str
    login_group: str | None
    partition_by_group: dict[str, str]


@dataclass(frozen=True)
class Instance:
    """One instance as HyperPod lists it. `address` is CustomerIpAddress."""

    name: str
    instance_id: str
    address: str
    group: str


@dataclass(frozen=True)
class Resources:
    """resource_config.json."""

    cluster: str
    instance_types: dict[str, str]
    instances: tuple[Instance, ...]
    cluster_id: str | None = None
    """The end of the cluster's ARN, with which the name of its log group ends."""

    def of_group(self, group: str) -> list[Instance]:
        return [instance for instance in self.instances if instance.group == group]


@dataclass(frozen=True)
class Inputs:
    """Everything that was read, and the digest of the files that are ours."""

    cluster: Cluster
    deployment: Deployment
    provisioning: Provisioning | None
    resources: Resources
    digest: str = field(default="")
    folder: str = ""
    """Where our files were read, and where HyperPod's list of instances was."""
    resource_config: str = RESOURCE_CONFIG
    here: parallelcluster.Here | None = None
    """This node as ParallelCluster knows it; None on HyperPod."""


def load_inputs(
    machine: Machine,
    folder: str,
    resource_config: str,
    known_steps: Sequence[str],
    configuration: str = "managed",
    groups: Sequence[str] = (),
) -> Inputs:
    """Reads all files. `folder` is a path of this machine, `resource_config` one below the
    machine's root; `groups` are the custom action's words, see `parallelcluster.read`.

    Raises InputsError with every problem of every file.
    """
    problems: list[str] = []
    files = _Files(machine, folder, problems)
    cluster_value = files.ours("cluster.json")
    deployment_value = files.ours("deployment.json")
    provisioning_value = files.ours("provisioning_parameters.json", required=False)
    resources_value = here = None
    if configuration == PARALLELCLUSTER:
        here = parallelcluster.read(machine, groups, problems)
    else:
        resources_value = files.hyperpods("resource_config.json", resource_config)

    cluster = deployment = resources = provisioning = None
    if cluster_value is not None:
        cluster = parse_cluster(cluster_value, problems, known_steps)
    if deployment_value is not None:
        deployment = parse_deployment(deployment_value, problems)
    if provisioning_value is not None:
        provisioning = parse_provisioning(provisioning_value, problems)
    if resources_value is not None:
        resources = parse_resources(resources_value, problems)
    elif here is not None and cluster is not None:
        if cluster.group(here.group) is None and not problems:
            names = ", ".join(known.name for known in cluster.groups)
            problems.append(
                f"the custom action's arguments name group {here.group}, cluster.json has only"
                f" {names}"
            )
        resources = Resources(cluster.cluster, {}, ())
    if problems or cluster is None or deployment is None or resources is None:
        raise InputsError(problems)
    return Inputs(
        cluster, deployment, provisioning, resources, files.digest, folder, resource_config, here
    )


class _Files:
    """Reads the files and notes what cannot be read."""

    def __init__(self, machine: Machine, folder: str, problems: list[str]) -> None:
        self._machine = machine
        self._folder = folder
        self._problems = problems
        self._sha256 = hashlib.sha256()

    @property
    def digest(self) -> str:
        """Of the names and texts of our files read so far."""
        return self._sha256.hexdigest()

    def ours(self, name: str, required: bool = True) -> object | None:
        path = posixpath.join(self._folder, name)
        text = self._text(name, path, lambda: Path(path).read_text(encoding="utf-8"), required)
        if text is None:
            return None
        self._sha256.update(f"{name} {len(text)}\n{text}".encode())
        return self._parsed(name, text)

    def hyperpods(self, name: str, path: str) -> object | None:
        text = self._text(name, path, lambda: self._machine.read_text(path), required=True)
        return None if text is None else self._parsed(name, text)

    def _parsed(self, name: str, text: str) -> object | None:
        before = len(self._problems)
        value = parse_json(text, name, self._problems)
        if value is None and len(self._problems) == before:
            self._problems.append(f"{name}: expected an object, found null")
        return value

    def _text(
        self, name: str, path: str, read: Callable[[], str | None], required: bool
    ) -> str | None:
        try:
            text = read()
        except FileNotFoundError:
            text = None
        except (OSError, UnicodeDecodeError) as error:
            self._problems.append(f"{name}: cannot be read: {error}")
            return None
        if text is None and required:
            self._problems.append(f"{name}: not found at {path}")
        return text


def parse_cluster(value: object, problems: list[str], known_steps: Sequence[str]) -> Cluster:
    """cluster.json's value as a Cluster; every problem is added to `problems`."""
    before = len(problems)
    top = Table(value, "cluster.json", problems, separator=": ")
    top.integer("schema_version", SCHEMA_VERSION, SCHEMA_VERSION)
    cluster = top.text("cluster", _NAME, "a HyperPod cluster name")
    region = top.text("region", _REGION, "a region name")
    platform = top.choice("platform", ("hyperpod-slurm", PARALLELCLUSTER))
    configuration = top.choice("configuration", CONFIGURATIONS)
    groups = tuple(_group(table) for table in top.tables("groups"))
    lustre = tuple(_lustre(table) for table in top.tables("lustre"))
    home = top.table_or_null("home")
    home_mount_path = None
    if home is not None:
        home_mount_path = _path(home, "mount_path")
        home.done()
    user_groups = tuple(_user_group(table) for table in top.tables("user_groups"))
    users = tuple(_user(table) for table in top.tables("users"))
    slurm = _slurm(top.table("slurm"))
    containers = top.table("containers")
    pyxis = containers.boolean("pyxis")
    containers_from = containers.choice_or("install", "image", ("image", "mirrored"))
    containers.done()
    mountpoints = tuple(_mountpoint(table) for table in top.tables("mountpoints"))
    directory_buckets = top.texts("directory_buckets")
    checkpoint_path = top.text_or_null("checkpoint_path", _PATH, "an absolute path")
    node_steps = _node_steps(top.table("node_steps"), known_steps)
    artefacts = _artefacts(top.optional_table("artefacts"))
    metrics = _metrics(top)
    top.done()
    result = Cluster(
        cluster,
        region,
        platform,
        configuration,
        groups,
        lustre,
        home_mount_path,
        user_groups,
        users,
        slurm,
        pyxis,
        mountpoints,
        directory_buckets,
        checkpoint_path,
        node_steps,
        containers_from,
        artefacts,
        metrics,
    )
    if len(problems) == before:
        problems.extend("cluster.json: " + text for text in _contradictions(result))
    return result


def parse_deployment(value: object, problems: list[str]) -> Deployment:
    """deployment.json's value as a Deployment; every problem is added to `problems`."""
    top = Table(value, "deployment.json", problems, separator=": ")
    top.integer("schema_version", SCHEMA_VERSION, SCHEMA_VERSION)
    lustre = []
    for table in top.tables("lustre"):
        lustre.append(
            DeployedLustre(
                table.text("name", _WORD, "a name"),
                table.text("dns_name", _DNS, "a DNS name"),
                table.text("mount_name", _WORD, "a mount name"),
            )
        )
        table.done()
    home = None
    home_table = top.table_or_null("home")
    if home_table is not None:
        home = DeployedHome(
            home_table.text("dns_name", _DNS, "a DNS name"),
            home_table.text_or("volume_path", "/fsx", _PATH, "an absolute path"),
        )
        home_table.done()
    accounting = None
    accounting_table = top.table_or_null("accounting")
    if accounting_table is not None:
        accounting = Accounting(
            accounting_table.text("endpoint", _DNS, "a DNS name"),
            accounting_table.integer_or_digits("port", 1, 65535),
            accounting_table.text("database", _WORD, "a database name"),
            accounting_table.text("secret_arn", _SECRET, "the ARN of a secret"),
        )
        accounting_table.done()
    log_group_name = top.text_or_null("log_group_name", _LOG_GROUP, "a log group name")
    munge_key = None
    if "munge_key_secret_arn" in top:
        munge_key = top.text_or_null("munge_key_secret_arn", _SECRET, "the ARN of a secret")
    workspace = None
    if "prometheus_workspace_id" in top:
        workspace = top.text_or_null("prometheus_workspace_id", _WORD, "the id of a workspace")
    top.done()
    return Deployment(tuple(lustre), home, accounting, log_group_name, munge_key, workspace)


def parse_provisioning(value: object, problems: list[str]) -> Provisioning:
    """The keys in use of HyperPod's provisioning_parameters.json."""
    top = Table(value, "provisioning_parameters.json", problems, separator=": ")
    top.choice("workload_manager", ("slurm",))
    controller = top.text("controller_group")
    login = top.text("login_group") if "login_group" in top else None
    partitions = {}
    for table in top.tables("worker_groups"):
        partitions[table.text("instance_group_name")] = table.text("partition_name")
    return Provisioning(controller, login, partitions)


def parse_resources(value: object, problems: list[str]) -> Resources:
    """The keys in use of HyperPod's resource_config.json."""
    top = Table(value, "resource_config.json", problems, separator=": ")
    config = top.table("ClusterConfig")
    cluster = config.text("ClusterName")
    arn = config.text("ClusterArn") if "ClusterArn" in config else ""
    instance_types = {}
    instances: list[Instance] = []
    for table in top.tables("InstanceGroups"):
        group = table.text("Name")
        instance_types[group] = table.text("InstanceType")
        for item in table.tables("Instances"):
            name = item.text("InstanceName") if "InstanceName" in item else ""
            instance_id = item.text("InstanceId")
            instances.append(
                Instance(name or instance_id, instance_id, item.text("CustomerIpAddress"), group)
            )
    match = _CLUSTER_ARN.fullmatch(arn)
    cluster_id = match.group(1) if match else None
    return Resources(cluster, instance_types, tuple(instances), cluster_id)


def disagreements(inputs: Inputs, configuration: str) -> list[str]:
    """Where the files contradict each other, or the entry script that was started."""
    cluster, deployment, resources = inputs.cluster, inputs.deployment, inputs.resources
    found = []
    if configuration != cluster.configuration:
        found.append(
            f"{ENTRIES[configuration]} runs the {configuration} configuration, cluster.json says"
            f" {cluster.configuration}"
        )
    if inputs.here is not None:
        found.extend(_parallelcluster_disagreements(cluster, inputs.here))
    if resources.cluster != cluster.cluster:
        found.append(
            f"cluster.json is for cluster {cluster.cluster}, resource_config.json for"
            f" {resources.cluster}"
        )
    for name, instance_type in sorted(resources.instance_types.items()):
        group = cluster.group(name)
        if group is None:
            names = ", ".join(known.name for known in cluster.groups)
            found.append(f"resource_config.json has group {name}, cluster.json has only {names}")
        elif instance_type not in (group.instance_type, "ml." + group.instance_type):
            found.append(
                f"group {name} is {group.instance_type} in cluster.json and {instance_type} in"
                " resource_config.json"
            )
    ours = {entry.name for entry in cluster.lustre}
    theirs = [entry.name for entry in deployment.lustre]
    if ours != set(theirs) or len(theirs) != len(set(theirs)):
        found.append(
            "cluster.json has the Lustre file systems [{}], deployment.json has [{}]".format(
                ", ".join(sorted(ours)), ", ".join(sorted(theirs))
            )
        )
    if (cluster.home_mount_path is None) != (deployment.home is None):
        found.append(
            "home is null in one of cluster.json and deployment.json, and not in the other"
        )
    if (cluster.slurm.accounting == "rds") != (deployment.accounting is not None):
        found.append(
            f"slurm.accounting is {cluster.slurm.accounting} in cluster.json, and accounting is"
            f" {'null' if deployment.accounting is None else 'not null'} in deployment.json"
        )
    found.extend(_provisioning_disagreements(inputs))
    return found


def _parallelcluster_disagreements(cluster: Cluster, here: parallelcluster.Here) -> list[str]:
    found = []
    group = cluster.group(here.group)
    assert group is not None, "checked when the files were read"
    if group.role != here.role:
        found.append(
            f"the custom action's arguments name group {group.name}, which is a {group.role}"
            f" group; ParallelCluster says that this node is a {here.node_type}"
        )
    if here.region != cluster.region:
        found.append(f"cluster.json is for {cluster.region}, ParallelCluster says {here.region}")
    # Of the other nodes it is not sure that the stack is not one within the cluster's.
    if here.node_type == "HeadNode" and here.stack_name != cluster.cluster:
        found.append(
            f"cluster.json is for cluster {cluster.cluster}, ParallelCluster's stack is"
            f" {here.stack_name}"
        )
    return found


def _provisioning_disagreements(inputs: Inputs) -> list[str]:
    cluster, provisioning = inputs.cluster, inputs.provisioning
    name = "provisioning_parameters.json"
    if cluster.configuration != "scripted":
        if provisioning is None:
            return []
        return [
            f"{name} lies beside the scripts, which the {cluster.configuration} configuration"
            " does not take"
        ]
    if provisioning is None:
        return [f"{name} is missing, which the scripted configuration needs"]
    found = []
    ours = {
        role: {group.name for group in cluster.groups if group.role == role}
        for role in ("controller", "login")
    }
    if {provisioning.controller_group} != ours["controller"]:
        found.append(
            "{} has controller_group {}, cluster.json has {}".format(
                name, provisioning.controller_group, ", ".join(sorted(ours["controller"]))
            )
        )
    login = {provisioning.login_group} if provisioning.login_group else set()
    if login != ours["login"]:
        found.append(
            "{} has login_group {}, cluster.json has {}".format(
                name, provisioning.login_group, ", ".join(sorted(ours["login"])) or "none"
            )
        )
    workers = {group.name: group.partition for group in cluster.groups if group.role == "compute"}
    if workers != provisioning.partition_by_group:
        found.append(
            f"{name} has worker groups {_pairs(provisioning.partition_by_group)}, cluster.json has"
            f" {_pairs(workers)}"
        )
    return found


def _pairs(table: object) -> str:
    assert isinstance(table, dict)
    return "[{}]".format(", ".join("{} in {}".format(*item) for item in sorted(table.items())))


def _group(table: Table) -> Group:
    scratch = None
    name = table.text("name", _NAME, "an instance group name")
    role = table.choice("role", ("compute", "controller", "login"))
    instance_type = table.text(
        "instance_type", _INSTANCE_TYPE, "EC2's name of an instance type, without ml."
    )
    accelerator = table.choice("accelerator", ("nvidia", "neuron", "none"))
    accelerator_count = table.integer("accelerator_count", 0, 1024)
    partition = table.text_or_null("partition", _WORD, "a partition name")
    spare_count = table.integer("spare_count", 0, 6758)
    scratch_table = table.table_or_null("scratch")
    if scratch_table is not None:
        scratch = Scratch(
            _path(scratch_table, "mount_path"), scratch_table.integer("raid_level", 0, 0)
        )
        scratch_table.done()
    efa = table.boolean("efa")
    cores = table.integer_or_null("cores", 1, 4096)
    threads_per_core = table.integer_or_null("threads_per_core", 1, 8)
    memory_mib = table.integer_or_null("memory_mib", 1, 2**30)
    spot = table.optional_boolean("spot", False)
    table.done()
    return Group(
        name,
        role,
        instance_type,
        accelerator,
        accelerator_count,
        partition,
        spare_count,
        scratch,
        efa,
        cores,
        threads_per_core,
        memory_mib,
        spot,
    )


def _lustre(table: Table) -> Lustre:
    entry = Lustre(
        table.text("name", _WORD, "a name"),
        _path(table, "mount_path"),
        table.boolean("efa"),
        table.optional_boolean("by_platform", True),
        _preload(table),
        table.optional_boolean("existing", False),
    )
    table.done()
    return entry


def _preload(table: Table) -> tuple[str, ...]:
    paths = table.texts("preload") if "preload" in table else ()
    for index, path in enumerate(paths):
        if not _PATH.fullmatch(path) or ".." in path.split("/"):
            table.note(f"preload[{index}]", "not an absolute path")
    return paths


def _user_group(table: Table) -> UserGroup:
    entry = UserGroup(
        table.text("name", _UNIX_NAME, "a Unix name"),
        table.integer("gid", _LOWEST_ID, _HIGHEST_ID),
    )
    table.done()
    return entry


def _user(table: Table) -> User:
    name = table.text("name", _UNIX_NAME, "a Unix name")
    uid = table.integer("uid", _LOWEST_ID, _HIGHEST_ID)
    gid = table.integer("gid", _LOWEST_ID, _HIGHEST_ID)
    groups = table.texts("groups")
    keys = table.texts("ssh_public_keys")
    for index, key in enumerate(keys):
        if not _PUBLIC_KEY.fullmatch(key) or any(ord(letter) < 32 for letter in key):
            table.note(f"ssh_public_keys[{index}]", "not one line of an OpenSSH public key")
    account = table.text_or_null("slurm_account", _WORD, "an account name")
    sudo = table.boolean("sudo")
    table.done()
    return User(name, uid, gid, groups, keys, account, sudo)


def _slurm(table: Table) -> Slurm:
    partitions = []
    for item in table.tables("partitions"):
        partitions.append(
            Partition(
                item.text("name", _WORD, "a partition name"),
                item.boolean("default"),
                item.integer_or_null("max_time_minutes", 1, _LONGEST_MINUTES),
                item.integer_or("priority_tier", 1, 1, 65_533),
            )
        )
        item.done()
    accounting = table.choice("accounting", ("none", "local", "rds"))
    topology = table.choice("topology", ("none", "automatic", "tree", "block"))
    slurm = Slurm(
        tuple(partitions),
        accounting,
        topology,
        _priority_weights(table.optional_table("priority_weights")),
        _timeouts(table.optional_table("timeouts")),
        table.choice_or("preemption", "off", ("off", "requeue", "cancel")),
        tuple(_qos(item) for item in table.optional_tables("qos")),
        tuple(_account(item) for item in table.optional_tables("accounts")),
        table.optional_boolean("restrict_ssh_to_jobs", False),
    )
    table.done()
    return slurm


def _priority_weights(table: Table | None) -> PriorityWeights:
    if table is None:
        return PriorityWeights()
    weights = PriorityWeights(
        *(
            table.integer(key, 0, _LARGEST_WEIGHT)
            for key in ("age", "fair_share", "job_size", "partition", "qos")
        )
    )
    table.done()
    return weights


def _timeouts(table: Table | None) -> Timeouts:
    if table is None:
        return Timeouts()
    timeouts = Timeouts(
        table.integer("node_down_seconds", 5, 65_533),
        table.integer("message_seconds", 1, 3600),
        table.integer("credential_seconds", 5, 3600),
        table.integer("kill_wait_seconds", 1, 65_533),
    )
    table.done()
    return timeouts


def _qos(table: Table) -> Qos:
    entry = Qos(
        table.text("name", _ACCOUNT, "the name of a QOS"),
        table.integer("priority", 0, _LARGEST_WEIGHT),
        table.texts("preempts"),
        table.integer("grace_seconds", 0, 65_533),
        table.integer_or_null("max_nodes_per_user", 1, 65_533),
        table.integer_or_null("max_time_minutes", 1, _LONGEST_MINUTES),
    )
    table.done()
    return entry


def _account(table: Table) -> Account:
    entry = Account(
        table.text("name", _ACCOUNT, "an account name"),
        table.integer("fair_share", 1, 65_533),
        table.integer_or_null("max_nodes", 1, 65_533),
        table.texts("qos"),
    )
    table.done()
    return entry


def _mountpoint(table: Table) -> Mountpoint:
    entry = Mountpoint(
        table.text("bucket", _BUCKET, "a bucket name"),
        table.text_or_null("prefix", _PREFIX, "a prefix that ends in /"),
        _path(table, "mount_path"),
    )
    table.done()
    return entry


def _metrics(top: Table) -> Metrics | None:
    table = top.table_or_null("metrics") if "metrics" in top else None
    if table is None:
        return None
    metrics = Metrics(
        table.choice("listen", ("private", "loopback")),
        table.integer("port", 1024, 65535),
        table.integer("interval_seconds", 10, 3600),
    )
    table.done()
    return metrics


def _artefacts(table: Table | None) -> Artefacts | None:
    if table is None:
        return None
    bucket = table.text("bucket", _BUCKET, "a bucket name")
    files = []
    for item in table.tables("files"):
        sha256 = item.text("sha256", _SHA256, "64 hexadecimal digits, nor unknown")
        known = sha256 != "unknown"
        if known:
            size: int | None = item.integer("size_bytes", 1, 2**40)
        else:
            size = None
            item.choice("size_bytes", ("unknown",))
        files.append(
            Artefact(
                item.text("name", _ARTEFACT_NAME, "a name"),
                item.text("version", _ARTEFACT_VERSION, "a version"),
                item.choice("architecture", ("x86_64", "arm64", "any")),
                item.text("file", _FILE, "a file name"),
                sha256 if known else None,
                size,
                item.texts("used_by"),
            )
        )
        item.done()
    table.done()
    return Artefacts(bucket, tuple(files))


def _node_steps(table: Table, known_steps: Sequence[str]) -> dict[str, StepSettings]:
    settings = {}
    for name in table:
        if name not in known_steps:
            continue  # left in the table, so that done() notes it
        item = table.table(name)
        settings[name] = StepSettings(
            item.optional_integer("deadline_seconds", 1, 7200),
            item.optional_integer("retries", 0, 100),
            item.optional_boolean("enabled", True),
        )
        item.done()
        if not settings[name].enabled and name in ("identify", "verify_inputs", "not_built"):
            table.note(name, "cannot be disabled")
    table.done()
    return settings


def _path(table: Table, key: str) -> str:
    path = table.text(key, _PATH, "an absolute path")
    if ".." in path.split("/"):
        table.note(key, "has ..")
    return path


def _contradictions(cluster: Cluster) -> list[str]:
    found: list[str] = []
    if (cluster.platform == PARALLELCLUSTER) != (cluster.configuration == PARALLELCLUSTER):
        found.append(
            f"platform is {cluster.platform}, and configuration is {cluster.configuration}"
        )
    found.extend(_group_contradictions(cluster))
    found.extend(_user_contradictions(cluster))
    found.extend(_slurm_contradictions(cluster))
    found.extend(_path_contradictions(cluster))
    found.extend(_artefact_contradictions(cluster))
    for name in cluster.directory_buckets:
        if not _DIRECTORY_BUCKET.fullmatch(name):
            found.append(f"directory_buckets: {name} is not the name of a directory bucket")
    return found


def _artefact_contradictions(cluster: Cluster) -> list[str]:
    files = () if cluster.artefacts is None else cluster.artefacts.files
    found = _repeated(
        "artefacts.files: name and architecture",
        [f"{each.name} for {each.architecture}" for each in files],
    )
    if cluster.containers_from == "mirrored" and not cluster.pyxis:
        found.append("containers: install is mirrored, and pyxis is false")
    if cluster.containers_from == "mirrored" and not files:
        found.append("containers: install is mirrored, and artefacts names no files")
    return found


def _group_contradictions(cluster: Cluster) -> list[str]:
    found: list[str] = []
    partitions = [partition.name for partition in cluster.slurm.partitions]
    found.extend(_repeated("groups: name", [group.name for group in cluster.groups]))
    found.extend(_repeated("lustre: name", [entry.name for entry in cluster.lustre]))
    found.extend(_repeated("slurm.partitions: name", partitions))
    controllers = [group.name for group in cluster.groups if group.role == "controller"]
    if len(controllers) != 1:
        found.append(f"groups: one group has role controller, found {len(controllers)}")
    if sum(partition.default for partition in cluster.slurm.partitions) > 1:
        found.append("slurm.partitions: more than one is the default")
    for index, group in enumerate(cluster.groups):
        where = f"groups[{index}]"
        if (group.accelerator == "none") != (group.accelerator_count == 0):
            found.append(
                f"{where}: accelerator {group.accelerator} with accelerator_count"
                f" {group.accelerator_count}"
            )
        if group.role == "compute" and group.partition not in partitions:
            found.append(f"{where}.partition: {group.partition} is not in slurm.partitions")
        if group.role != "compute" and group.partition is not None:
            found.append(f"{where}.partition: a {group.role} group has none")
        if group.role != "compute" and group.spare_count:
            found.append(f"{where}.spare_count: a {group.role} group has none")
    return found


def _user_contradictions(cluster: Cluster) -> list[str]:
    found: list[str] = []
    names = {group.name for group in cluster.user_groups}
    gids = {group.gid: group.name for group in cluster.user_groups}
    found.extend(_repeated("users: name", [user.name for user in cluster.users]))
    found.extend(_repeated("users: uid", [str(user.uid) for user in cluster.users]))
    found.extend(_repeated("user_groups: name", [group.name for group in cluster.user_groups]))
    found.extend(_repeated("user_groups: gid", [str(group.gid) for group in cluster.user_groups]))
    private: dict[int, str] = {}
    for index, user in enumerate(cluster.users):
        where = f"users[{index}]"
        for group in user.groups:
            if group not in names:
                found.append(f"{where}.groups: {group} is not in user_groups")
        if user.gid not in gids:
            if user.gid in private:
                found.append(
                    f"{where}.gid: {user.gid} is the private group of {private[user.gid]}; put it"
                    " in user_groups"
                )
            elif user.name in names:
                found.append(f"{where}.gid: user_groups has a group {user.name} with another GID")
            private.setdefault(user.gid, user.name)
        if user.slurm_account is not None and cluster.slurm.accounting == "none":
            found.append(f"{where}.slurm_account: slurm.accounting is none")
    return found


def _slurm_contradictions(cluster: Cluster) -> list[str]:
    slurm = cluster.slurm
    found = _repeated("slurm.qos: name", [qos.name for qos in slurm.qos])
    found += _repeated("slurm.accounts: name", [account.name for account in slurm.accounts])
    names = {qos.name for qos in slurm.qos}
    for index, qos in enumerate(slurm.qos):
        for other in qos.preempts:
            if other not in names | {"normal"}:
                found.append(f"slurm.qos[{index}].preempts: {other} is not in slurm.qos")
    for index, account in enumerate(slurm.accounts):
        for other in account.qos:
            if other not in names | {"normal"}:
                found.append(f"slurm.accounts[{index}].qos: {other} is not in slurm.qos")
    if slurm.accounting == "none":
        for key, value in (("qos", slurm.qos), ("accounts", slurm.accounts)):
            if value:
                found.append(f"slurm.{key}: slurm.accounting is none")
    if slurm.timeouts.message_seconds >= slurm.timeouts.node_down_seconds:
        found.append("slurm.timeouts: message_seconds is not below node_down_seconds")
    return found


def _path_contradictions(cluster: Cluster) -> list[str]:
    found: list[str] = []
    mounts = [(f"lustre {entry.name}", entry.mount_path) for entry in cluster.lustre]
    mounts += [(f"mountpoint {entry.bucket}", entry.mount_path) for entry in cluster.mountpoints]
    if cluster.home_mount_path is not None:
        mounts.append(("home", cluster.home_mount_path))
    scratches: set[str] = {group.scratch.mount_path for group in cluster.groups if group.scratch}
    mounts += [("scratch", path) for path in sorted(scratches)]
    for index, (kind, path) in enumerate(mounts):
        for other_kind, other in mounts[index + 1 :]:
            if is_under(path, other) or is_under(other, path):
                if kind == other_kind == "scratch" and path != other:
                    continue  # of different groups, so never on one node
                found.append(f"{kind} at {path} and {other_kind} at {other} overlap")
    for index, lustre in enumerate(cluster.lustre):
        for path in lustre.preload:
            if not is_under(path, lustre.mount_path):
                found.append(f"lustre[{index}].preload: {path} is not below {lustre.mount_path}")
    if cluster.checkpoint_path is not None:
        for entry in cluster.mountpoints:
            if is_under(cluster.checkpoint_path, entry.mount_path):
                found.append(
                    f"checkpoint_path: {cluster.checkpoint_path} is on a read-only Mountpoint for"
                    f" S3 ({entry.mount_path})"
                )
    return found


def _repeated(where: str, values: Sequence[str]) -> list[str]:
    seen: set[str] = set()
    found = []
    for value in values:
        if value in seen:
            found.append(f"{where}: {value} is given twice")
        seen.add(value)
    return found


def is_under(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies in it. Both absolute."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def zone_of_directory_bucket(name: str) -> str:
    """The zone id in a directory bucket's name: `base--use1-az6--x-s3` gives `use1-az6`."""
    match = _DIRECTORY_BUCKET.fullmatch(name)
    assert match is not None, "checked when cluster.json was read"
    return match.group(1)

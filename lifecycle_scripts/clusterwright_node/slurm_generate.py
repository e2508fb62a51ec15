"""Generate Slurm's configuration files. Pure functions.

Each setting of slurm.conf is here with its reason; all were tested with slurmctld 24.11.5 and
26.05.5 (tests/nodes/test_real_slurm.py). Lines of `clusterwright-site/slurm.conf` beside
slurm.conf override them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clusterwright_node import slurm_health
from clusterwright_node.contract import ClusterFile, Group
from clusterwright_node.hostlist import compressed, paired
from clusterwright_node.slurm_topology import Topology

MARK = (
    "# Written by clusterwright_node. Changes are lost; put custom settings into "
    "clusterwright-site/"
)
SITE_FOLDER = "clusterwright-site"

OPENMETRICS_SINCE = (25, 11)
"""The first Slurm with MetricsType (SchedMD, Metrics Guide, slurm.schedmd.com/metrics.html)."""

CONTROLLER_PORT = 6817
DATABASE_PORT = 6819
STATE_FOLDER = "/var/spool/slurmctld"
LOG_FOLDER = "/var/log/slurm"
SPOOL_FOLDER = "/var/spool/slurmd"
SLURM_USER = "slurm"
PARTITION_QOS_PREFIX = "cw-partition-"

SCHEDULABLE_MEMORY_PERCENT = 95
"""The share of an instance's memory for jobs: kernel and firmware need some, and a node that
registers with less than slurm.conf has is drained. ParallelCluster's value (SchedulableMemory)."""

# Keep the agent's values of these: its programs use the logs and the spool folder.
_AGENT_FIRST = frozenset(
    ("slurmctldlogfile", "slurmdlogfile", "slurmdspooldir", "mpidefault", "slurmctldpidfile",
     "slurmdpidfile")
)  # fmt: skip
# Never use the agent's values of these, even if this program does not set them.
_NEVER_CARRIED = (
    "accounting", "backup", "control", "include", "jobacct", "jobcomp", "nodename", "nodeset",
    "partitionname", "preempt", "priority", "slurmctldhost", "topology", "downnodes", "prolog",
    "epilog", "healthcheck", "clustername",
)  # fmt: skip
# Lists of options: the agent's options are added.
_JOINED = frozenset(("slurmctldparameters", "slurmdparameters", "launchparameters", "grestypes"))

RESTART_KEYS = frozenset(
    ("authtype", "clustername", "credtype", "selecttype", "slurmctldhost", "slurmctldport",
     "slurmdport", "slurmuser", "statesavelocation", "topologyplugin")
)  # fmt: skip
"""A change of these requires a restart of slurmctld; other changes `scontrol reconfigure`.

slurm.conf(5): addresses and ports take one. A topology plugin and the others are read again by a
reconfiguration since 23.11 only, where the daemon replaces itself; a restart is right everywhere.
"""


@dataclass(frozen=True)
class SlurmNode:
    """A compute node under Slurm's name, which is its host name."""

    name: str
    address: str
    group: str


@dataclass(frozen=True)
class Surroundings:
    """What the controller finds where it runs.

    `agent` holds the settings of the slurm.conf that HyperPod's agent wrote, `site` those of the
    site's files by file name. Keys are as they are written.
    """

    controller_name: str
    controller_address: str
    agent: Mapping[str, str] = field(default_factory=dict)
    site: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    has_health_programs: bool = False
    has_openmetrics: bool = False


class GenerateError(ValueError):
    """A value for the files is missing; the text has its name."""


def files(
    cluster: ClusterFile,
    nodes: Sequence[SlurmNode],
    surroundings: Surroundings,
    topology: Topology | None,
) -> dict[str, str | None]:
    """Texts by file name in Slurm's folder; None for a file that must not exist.

    Raises GenerateError if cluster.json lacks the hardware of a node.
    """
    site = surroundings.site
    return {
        "slurm.conf": slurm_conf(cluster, nodes, surroundings, topology),
        "gres.conf": gres_conf(cluster, nodes),
        "cgroup.conf": _text(_overlaid(_CGROUP, site.get("cgroup.conf", {}))),
        "topology.conf": None if topology is None else f"{MARK}\n{topology.text}",
        # Slurm would prefer it to topology.conf.
        "topology.yaml": None,
    }


# No ConstrainSwapSpace: the images have no swap.
_CGROUP = {"ConstrainCores": "yes", "ConstrainDevices": "yes", "ConstrainRAMSpace": "yes"}


def slurm_conf(
    cluster: ClusterFile,
    nodes: Sequence[SlurmNode],
    surroundings: Surroundings,
    topology: Topology | None,
) -> str:
    """The text of slurm.conf."""
    ours: dict[str, str] = {
        **_identity(cluster, surroundings),
        **_jobs(cluster),
        **_times(cluster),
        **_scheduling(cluster, topology),
        **_accounting(cluster, surroundings),
        **_health(surroundings),
        # Older Slurm refuses the file with it.
        **({"MetricsType": "metrics/openmetrics"} if surroundings.has_openmetrics else {}),
    }
    settings = _overlaid(
        _with_agents(ours, surroundings.agent), surroundings.site.get("slurm.conf", {})
    )
    lines = [_text(settings)]
    lines += _node_lines(cluster, nodes)
    if topology is not None and topology.absent:
        lines.append(f"NodeName={compressed(topology.absent)} State=FUTURE\n")
    lines += _partition_lines(cluster, nodes)
    return "".join(lines)


def gres_conf(cluster: ClusterFile, nodes: Sequence[SlurmNode]) -> str:
    """Devices by their files, so that a node that lost a device registers with fewer.

    AutoDetect is off: NVML is not in every build of Slurm, and a detected count cannot be compared
    with that of the instance type.
    """
    lines = [MARK + "\n", "AutoDetect=off\n"]
    for group in _compute_groups(cluster):
        names = [node.name for node in nodes if node.group == group.name]
        if not names or group.accelerator == "none":
            continue
        name, device = _DEVICES[group.accelerator]
        last = group.accelerator_count - 1
        numbers = f"[0-{last}]" if last else "0"
        lines.append(f"NodeName={compressed(names)} Name={name} File={device}{numbers}\n")
    return "".join(lines)


def partition_qos(partition: str) -> str:
    """The QOS that keeps a partition's spares free: how many of its nodes may work at once."""
    return PARTITION_QOS_PREFIX + partition.lower()


def working_nodes(cluster: ClusterFile, nodes: Sequence[SlurmNode]) -> dict[str, int]:
    """The maximum number of nodes of jobs, by partition, for partitions with spare nodes.

    Any node may be the spare. When a node is lost, the others still reach the limit, so the job
    that was on it starts again on the spare node without further action.
    """
    found = {}
    for partition in cluster.slurm.partitions:
        groups = [group for group in cluster.groups if group.partition == partition.name]
        spares = sum(group.spare_count for group in groups)
        have = sum(node.group in {group.name for group in groups} for node in nodes)
        if spares:
            found[partition.name] = max(have - spares, 1)
    return found


def settings_of(text: str) -> dict[str, str]:
    """The global `Key=Value` lines of a slurm.conf, keys in lower case."""
    found = {}
    for raw in text.splitlines():
        line = raw.split("#", 1)[0].strip()
        key, equals, value = line.partition("=")
        key = key.strip().lower()
        if equals and key not in ("nodename", "partitionname", "nodeset", "downnodes"):
            found[key] = value.strip()
    return found


def needs_restart(before: str | None, after: str) -> bool:
    """Whether slurmctld must be restarted for a change from `before` to `after`."""
    if before is None:
        return False
    old, new = settings_of(before), settings_of(after)
    return any(old.get(key) != new.get(key) for key in RESTART_KEYS)


# --- parts of slurm.conf


def _identity(cluster: ClusterFile, surroundings: Surroundings) -> dict[str, str]:
    name, address = surroundings.controller_name, surroundings.controller_address
    return {
        "ClusterName": cluster.cluster,
        "SlurmctldHost": f"{name}({address})",
        "SlurmctldPort": str(CONTROLLER_PORT),
        "SlurmUser": SLURM_USER,
        "AuthType": "auth/munge",
        # Configless: nodes get the files from slurmctld, so there is one copy.
        "SlurmctldParameters": "enable_configless",
        "StateSaveLocation": STATE_FOLDER,
        "SlurmdSpoolDir": SPOOL_FOLDER,
        "SlurmctldLogFile": LOG_FOLDER + "/slurmctld.log",
        "SlurmdLogFile": LOG_FOLDER + "/slurmd.log",
    }


def _jobs(cluster: ClusterFile) -> dict[str, str]:
    types = sorted({_DEVICES[g.accelerator][0] for g in cluster.groups if g.accelerator != "none"})
    found = {
        # Contained, limited and counted by cgroups; Contain is what pam_slurm_adopt needs.
        "ProctrackType": "proctrack/cgroup",
        "TaskPlugin": "task/cgroup,task/affinity",
        "PrologFlags": "Contain",
        "JobAcctGatherType": "jobacct_gather/cgroup",
        # EFA registers memory, which is counted as locked: the node's limit, not the shell's.
        "PropagateResourceLimitsExcept": "MEMLOCK",
        "MpiDefault": "none",
        # A job that was lost with its node is requeued, unless it has --no-requeue.
        "JobRequeue": "1",
        # There is no mail server.
        "MailProg": "/bin/true",
        "RebootProgram": "/usr/sbin/reboot",
    }
    if types:
        found["GresTypes"] = ",".join(types)
    return found


def _times(cluster: ClusterFile) -> dict[str, str]:
    times = cluster.slurm.timeouts
    return {
        "SlurmdTimeout": str(times.node_down_seconds),
        "MessageTimeout": str(times.message_seconds),
        "AuthInfo": f"cred_expire={times.credential_seconds}",
        # slurm.conf(5) requires at least five times MessageTimeout.
        "UnkillableStepTimeout": str(5 * times.message_seconds),
        # After SIGTERM, time to close a checkpoint that is being written.
        "KillWait": str(times.kill_wait_seconds),
        # A node that comes back is used when it registers: HyperPod has replaced or rebooted it
        # on purpose, and the health check runs before the first job.
        "ReturnToService": "2",
        # `scontrol reboot`: large instances test themselves for many minutes.
        "ResumeTimeout": "1800",
    }


def _scheduling(cluster: ClusterFile, topology: Topology | None) -> dict[str, str]:
    slurm = cluster.slurm
    weights = slurm.priority_weights
    found = {
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core_Memory",
        "SchedulerType": "sched/backfill",
        # A failed prolog drains its node; the job is requeued and not held.
        "SchedulerParameters": "bf_continue,nohold_on_prolog_fail",
        "PriorityType": "priority/multifactor",
        "PriorityWeightJobSize": str(weights.job_size),
        "PriorityWeightPartition": str(weights.partition),
        # Prefer large jobs.
        "PriorityFavorSmall": "NO",
    }
    if slurm.accounting != "none":
        # Slurm supports these with a database only.
        found["PriorityWeightAge"] = str(weights.age)
        found["PriorityMaxAge"] = "7-0"
        found["PriorityWeightFairshare"] = str(weights.fair_share)
        found["PriorityWeightQOS"] = str(weights.qos)
        found["PriorityDecayHalfLife"] = "14-0"
    if slurm.preemption != "off":
        found["PreemptType"] = "preempt/qos"
        found["PreemptMode"] = slurm.preemption.upper()
    if topology is not None:
        found["TopologyPlugin"] = "topology/" + topology.plugin
    return found


def _accounting(cluster: ClusterFile, surroundings: Surroundings) -> dict[str, str]:
    if cluster.slurm.accounting == "none":
        return {"AccountingStorageType": "accounting_storage/none"}
    counted = sorted(
        {"gres/" + _DEVICES[g.accelerator][0] for g in cluster.groups if g.accelerator != "none"}
    )
    found = {
        "AccountingStorageType": "accounting_storage/slurmdbd",
        "AccountingStorageHost": surroundings.controller_address,
        "AccountingStoragePort": str(DATABASE_PORT),
        # Limits keep spare nodes free; a job without an account is refused at submission.
        "AccountingStorageEnforce": "associations,limits,qos",
    }
    if counted:
        found["AccountingStorageTRES"] = ",".join(counted)
    return found


def _health(surroundings: Surroundings) -> dict[str, str]:
    if not surroundings.has_health_programs:
        return {}
    return {
        "Prolog": slurm_health.PROLOG,
        "Epilog": slurm_health.EPILOG,
        "PrologEpilogTimeout": str(slurm_health.PROLOG_TIMEOUT_SECONDS),
        "HealthCheckProgram": slurm_health.HEALTH_CHECK,
        "HealthCheckInterval": str(slurm_health.HEALTH_CHECK_INTERVAL_SECONDS),
        # Spread over the interval, so that ten thousand nodes do not access Lustre at once.
        "HealthCheckNodeState": "ANY,CYCLE",
    }


def _node_lines(cluster: ClusterFile, nodes: Sequence[SlurmNode]) -> list[str]:
    lines = []
    for group in _compute_groups(cluster):
        pairs = [(node.name, node.address) for node in nodes if node.group == group.name]
        if pairs:
            has = _hardware(group)
            lines += [
                f"NodeName={names} NodeAddr={addresses} {has} State=UNKNOWN\n"
                for names, addresses in paired(pairs)
            ]
    return lines


def _hardware(group: Group) -> str:
    """The hardware of a node of the group, in the syntax of slurm.conf.

    One socket with all cores: no source has the sockets of a type. slurmd accepts it,
    because it compares the number of cores.
    """
    if group.cores is None or group.threads_per_core is None or group.memory_mib is None:
        raise GenerateError(
            f"cluster.json does not have the cores and memory of {group.instance_type} (group "
            f"{group.name})"
        )
    memory = group.memory_mib * SCHEDULABLE_MEMORY_PERCENT // 100
    text = (
        f"CPUs={group.cores * group.threads_per_core} Sockets=1 CoresPerSocket={group.cores}"
        f" ThreadsPerCore={group.threads_per_core} RealMemory={memory} Feature={_feature(group)}"
    )
    if group.accelerator != "none":
        text += f" Gres={_DEVICES[group.accelerator][0]}:{group.accelerator_count}"
    return text


def _feature(group: Group) -> str:
    """For `--constraint`: the group and the instance type."""
    return f"{group.name},{group.instance_type}"


def _partition_lines(cluster: ClusterFile, nodes: Sequence[SlurmNode]) -> list[str]:
    lines = []
    limited = working_nodes(cluster, nodes)
    for partition in cluster.slurm.partitions:
        groups = [group for group in cluster.groups if group.partition == partition.name]
        members = {group.name for group in groups}
        names = [node.name for node in nodes if node.group in members]
        words = [f"PartitionName={partition.name}"]
        if names:
            words.append(f"Nodes={compressed(names)}")
        words.append("Default=" + ("YES" if partition.default else "NO"))
        minutes = partition.max_time_minutes
        words.append(f"MaxTime={'UNLIMITED' if minutes is None else minutes}")
        words.append(f"PriorityTier={partition.priority_tier}")
        words += _shares(groups)
        if partition.name in limited:
            words.append(f"QOS={partition_qos(partition.name)}")
        words.append("State=UP")
        lines.append(" ".join(words) + "\n")
    return lines


def _shares(groups: Sequence[Group]) -> list[str]:
    """A job that requests some of a node's GPUs only gets the same share of cores and memory."""
    kinds = {(g.instance_type, g.cores, g.threads_per_core, g.memory_mib) for g in groups}
    if len(kinds) != 1 or groups[0].accelerator != "nvidia":
        return []
    group = groups[0]
    assert group.cores is not None
    assert group.threads_per_core is not None
    assert group.memory_mib is not None
    cpus = group.cores * group.threads_per_core // group.accelerator_count
    memory = group.memory_mib * SCHEDULABLE_MEMORY_PERCENT // 100 // group.accelerator_count
    return [f"DefCpuPerGPU={cpus}", f"DefMemPerGPU={memory}"]


# --- helpers

# Slurm's name of the resource, and the devices.
_DEVICES = {"nvidia": ("gpu", "/dev/nvidia"), "neuron": ("neuron", "/dev/neuron")}


def _compute_groups(cluster: ClusterFile) -> list[Group]:
    return [group for group in cluster.groups if group.role == "compute"]


def _with_agents(ours: Mapping[str, str], agent: Mapping[str, str]) -> dict[str, str]:
    """The settings, with those of HyperPod's agent that this program does not set."""
    result = dict(ours)
    names = {key.lower(): key for key in ours}
    for key, value in sorted(agent.items()):
        low = key.lower()
        if low.startswith(_NEVER_CARRIED):
            continue
        mine = names.get(low)
        if mine is None:
            result[key] = value
        elif low in _AGENT_FIRST:
            result[mine] = value
        elif low in _JOINED:
            result[mine] = _joined(result[mine], value)
    return result


def _joined(mine: str, theirs: str) -> str:
    have = mine.split(",")
    return ",".join([*have, *(word for word in theirs.split(",") if word and word not in have)])


def _overlaid(ours: Mapping[str, str], site: Mapping[str, str]) -> dict[str, str]:
    """`ours`, overridden by the site's values."""
    result = dict(ours)
    names = {key.lower(): key for key in ours}
    for key, value in site.items():
        result[names.get(key.lower(), key)] = value
    return result


def _text(settings: Mapping[str, str]) -> str:
    return MARK + "\n" + "".join(f"{key}={value}\n" for key, value in settings.items())

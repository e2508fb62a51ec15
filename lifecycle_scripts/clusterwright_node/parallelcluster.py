"""ParallelCluster's files on a node that identify the node.

Its custom actions run as root: on the head node with slurmctld up, on compute and login nodes
before their daemons are started (aws-parallelcluster 3.16.1, `templates/cluster_stack.py` and
`resources/compute_node/user_data.sh`: config, OnNodeConfigured, finalize). By then there are

| File | Read here | Source |
|---|---|---|
| `/etc/parallelcluster/cfnconfig` | `cfn_node_type`, `cfn_region`, `stack_name`, `cfn_ephemeral_dir` | cookbook, `fetch_and_run.erb`, `setup-ephemeral-drives.sh` |
| `/etc/chef/dna.json` | `cluster.scheduler_compute_resource_name`, `.log_group_name` | `templates/queues_stack.py` |
| `/etc/parallelcluster/slurm_plugin/slurm_nodename` | a compute node's name in Slurm | cookbook, `custom_action_executor.py` |
| `/var/lib/cloud/data/instance-id` | the instance | cloud-init, with which the node is started |
"""  # noqa: E501

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from clusterwright_node.machine import Machine

CFNCONFIG = "/etc/parallelcluster/cfnconfig"
DNA = "/etc/chef/dna.json"
SLURM_NODENAME = "/etc/parallelcluster/slurm_plugin/slurm_nodename"
INSTANCE_ID = "/var/lib/cloud/data/instance-id"
ROLES = {"HeadNode": "controller", "ComputeFleet": "compute", "LoginNode": "login"}
"""The role of a group, by ParallelCluster's type of the node."""

_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)")
_NODENAME = re.compile(r"[a-z0-9-]+-(?:st|dy)-[a-z0-9-]+-[0-9]+")
INSTANCE = re.compile(r"i-[0-9a-f]{8,17}")
_NONE = ("", "NONE")


@dataclass(frozen=True)
class Here:
    """The node of this run, from ParallelCluster's files."""

    node_type: str
    region: str
    stack_name: str
    ephemeral_dir: str | None
    """The mount path of the local disks."""
    instance_id: str
    slurm_name: str | None
    """None on head and login nodes."""
    compute_resource: str | None
    log_group_name: str | None
    group: str
    """The group of cluster.json that the custom action's arguments name."""

    @property
    def role(self) -> str:
        return ROLES[self.node_type]


def read(machine: Machine, words: Sequence[str], problems: list[str]) -> Here | None:
    """Read this node's identity. `words` are the custom action's arguments: a group, or for queues
    of several groups `<compute resource>=<group>` for each. Problems are added to `problems`.
    """
    before = len(problems)
    config = _cfnconfig(machine, problems)
    node_type = config.get("cfn_node_type", "")
    if config and node_type not in ROLES:
        problems.append(
            "{}: cfn_node_type is {}, not one of {}".format(
                CFNCONFIG, node_type or "missing", ", ".join(ROLES)
            )
        )
    for key in ("cfn_region", "stack_name"):
        if config and not config.get(key):
            problems.append(f"{CFNCONFIG}: {key} is missing")
    instance_id = (machine.read_text(INSTANCE_ID) or "").strip()
    if not INSTANCE.fullmatch(instance_id):
        problems.append(f"{INSTANCE_ID}: {instance_id or 'nothing'} is not an instance id")
    slurm_name = None
    if node_type == "ComputeFleet":
        slurm_name = (machine.read_text(SLURM_NODENAME) or "").strip()
        if not _NODENAME.fullmatch(slurm_name):
            problems.append(
                f"{SLURM_NODENAME}: {slurm_name or 'nothing'} is not a node name of "
                "ParallelCluster"
            )
    dna = _dna(machine, problems)
    resource = _text(dna, "scheduler_compute_resource_name")
    group = _group(words, resource, problems)
    if len(problems) > before or group is None:
        return None
    ephemeral = config.get("cfn_ephemeral_dir", "")
    return Here(
        node_type,
        config["cfn_region"],
        config["stack_name"],
        None if ephemeral in _NONE else ephemeral,
        instance_id,
        slurm_name,
        resource,
        _text(dna, "log_group_name"),
        group,
    )


def _cfnconfig(machine: Machine, problems: list[str]) -> dict[str, str]:
    """The assignments of the file, which is a shell script but is not executed here."""
    text = machine.read_text(CFNCONFIG)
    if text is None:
        problems.append(f"{CFNCONFIG}: not found; this is not a node of ParallelCluster")
        return {}
    found = {}
    for line in text.splitlines():
        match = _LINE.fullmatch(line.strip())
        if match:
            found[match.group(1)] = match.group(2).strip().strip("\"'")
    return found


def _dna(machine: Machine, problems: list[str]) -> dict[str, object]:
    text = machine.read_text(DNA)
    if text is None:
        problems.append(f"{DNA}: not found; this is not a node of ParallelCluster")
        return {}
    try:
        cluster = json.loads(text)["cluster"]
    except (ValueError, KeyError, TypeError):
        cluster = None
    if not isinstance(cluster, dict):
        problems.append(f"{DNA}: has no object `cluster`")
        return {}
    return cluster


def _text(dna: dict[str, object], key: str) -> str | None:
    value = dna.get(key)
    return value if isinstance(value, str) and value not in _NONE else None


def _group(words: Sequence[str], resource: str | None, problems: list[str]) -> str | None:
    if len(words) == 1 and "=" not in words[0]:
        return words[0]
    pairs = [word.split("=", 1) for word in words]
    if not pairs or any(len(pair) != 2 or not all(pair) for pair in pairs):
        problems.append(
            "the custom action's arguments name {}; expected one group, or"
            " COMPUTE-RESOURCE=GROUP for each of a queue".format(", ".join(words) or "no group")
        )
        return None
    found = [group for name, group in pairs if name == resource]
    if len(found) != 1:
        problems.append(
            "{}: scheduler_compute_resource_name is {}, and the custom action's arguments name"
            " {}".format(DNA, resource or "missing", ", ".join(name for name, _ in pairs))
        )
        return None
    return found[0]

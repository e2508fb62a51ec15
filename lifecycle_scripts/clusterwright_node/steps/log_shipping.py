"""Configure the image's CloudWatch agent to send logs of Slurm and of Clusterwright.

HyperPod streams only the output of the lifecycle script. If the image has the CloudWatch agent,
more files are added early in the run, so that the log of a step that fails later is sent too.
The logs go to the cluster's log group, to streams with names like HyperPod's. Jobs do not need
them: failures are logged and do not stop the node.

logrotate limits the files; it copies and truncates them, as the writers keep them open.
"""

from __future__ import annotations

import json

from clusterwright_node import cloudwatch_agent
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing

AFTER = ("not_built",)
DEADLINE_SECONDS = 120
RETRIES = 0

NAME = "logs"
LOGROTATE = "/etc/logrotate.d/clusterwright"

OURS = ("node", "health", "checkpoints", "spot", "preload")
"""Names of `/var/log/clusterwright/<name>.jsonl`. The agent waits for missing files."""
_SLURM = {"controller": ("slurmctld", "slurmdbd"), "compute": ("slurmd",), "login": ("sackd",)}
_SLURM_FOLDERS = ("/var/log/slurm", "/var/log")

_NO_ARN = "resource_config.json has no ClusterArn"
_LOGROTATE_TEXT = """# Written by clusterwright_node.
/var/log/clusterwright/*.jsonl {
    size 50M
    rotate 3
    missingok
    notifempty
    compress
    delaycompress
    copytruncate
}
"""


def applies(node: Node) -> Verdict:
    return APPLIES


def check(node: Node) -> Verdict:
    if _rotates(node) and node.machine.read_text(LOGROTATE) != _LOGROTATE_TEXT:
        return missing(f"{LOGROTATE} is outdated")
    if not cloudwatch_agent.is_there(node):
        node.notice(
            "the image has no CloudWatch agent: the logs of Slurm and of Clusterwright stay on "
            "the node, in /var/log"
        )
        return SATISFIED
    group = log_group(node)
    if group is None:
        where = _NO_ARN if node.platform == "HyperPod" else f"{node.platform} names none"
        node.notice(f"{where}: no log group to send logs to")
        return SATISFIED
    text = configuration(node, group)
    reason = cloudwatch_agent.lacks(node, NAME, text)
    if reason is not None:
        return missing(reason)
    error = cloudwatch_agent.refusal(node, NAME, text)
    if error:
        node.notice(f"the CloudWatch agent does not send the logs of Clusterwright: {error}")
    return SATISFIED


def apply(node: Node) -> None:
    if _rotates(node) and node.machine.read_text(LOGROTATE) != _LOGROTATE_TEXT:
        node.machine.write_text(LOGROTATE, _LOGROTATE_TEXT)
    group = log_group(node)
    if group is not None and cloudwatch_agent.is_there(node):
        cloudwatch_agent.tell(node, NAME, configuration(node, group))


def log_group(node: Node) -> str | None:
    """The cluster's log group, whose name ends in an id on HyperPod, and a time otherwise."""
    resources = node.inputs.resources
    if node.inputs.deployment.log_group_name is not None:
        return node.inputs.deployment.log_group_name
    if node.inputs.here is not None:
        return node.inputs.here.log_group_name
    if resources.cluster_id is None:
        return None
    return f"/aws/sagemaker/Clusters/{resources.cluster}/{resources.cluster_id}"


def configuration(node: Node, group: str) -> str:
    """The configuration that is appended to the agent's."""
    files = {name: [f"/var/log/clusterwright/{name}.jsonl"] for name in OURS}
    # ParallelCluster sends those of Slurm by itself (cookbook, cloudwatch_agent_config.json).
    for daemon in _daemons(node):
        files[daemon] = [f"{folder}/{daemon}.log" for folder in _SLURM_FOLDERS]
    where = f"{node.identity.group}/{node.identity.instance_id}"
    rows = [
        {
            "file_path": path,
            "log_group_name": group,
            "log_stream_name": f"Clusterwright/{where}/{name}",
        }
        for name, paths in files.items()
        for path in paths
    ]
    value = {"logs": {"logs_collected": {"files": {"collect_list": rows}}}}
    return json.dumps(value, indent=2) + "\n"


def _daemons(node: Node) -> tuple[str, ...]:
    if node.is_parallelcluster:
        return ()
    # A login node of PCS is in a compute node group, and runs slurmd as the others.
    return ("slurmd",) if node.is_pcs else _SLURM[node.group.role]


def _rotates(node: Node) -> bool:
    return node.machine.exists("/etc/logrotate.d")

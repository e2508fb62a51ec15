"""Let the image's CloudWatch agent send the logs of Slurm and of our programs to CloudWatch Logs.

HyperPod streams what the lifecycle script prints, and nothing that comes later. Where the image
has the CloudWatch agent, a configuration of ours is appended to what it reads already (`append-
config`; CloudWatch User Guide, "Creating multiple CloudWatch agent configuration files": the
files must have different names), early in the run, so that a step that fails later is sent too.
The logs go to the cluster's own log group, to streams named like HyperPod's own. A node without
them still runs jobs: what does not work is said in the log and stops nothing.

The files are kept small by logrotate, which copies and empties them: who writes keeps them open.
"""

from __future__ import annotations

import hashlib
import json

from clusterwright_node.errors import CommandError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing

AFTER = ("not_built",)
DEADLINE_SECONDS = 120
RETRIES = 0

CTL = "/opt/aws/amazon-cloudwatch-agent/bin/amazon-cloudwatch-agent-ctl"
CONFIGURATION = "/opt/clusterwright/etc/clusterwright-logs.json"
ANSWER = "/var/lib/clusterwright/log-shipping.json"
LOGROTATE = "/etc/logrotate.d/clusterwright"

OURS = ("node", "health", "checkpoints", "spot", "preload")
"""Each `/var/log/clusterwright/<name>.jsonl`. A missing one is waited for by the agent."""
_SLURM = {"controller": ("slurmctld", "slurmdbd"), "compute": ("slurmd",), "login": ("sackd",)}
_SLURM_FOLDERS = ("/var/log/slurm", "/var/log")

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
        return missing(f"{LOGROTATE} is not current")
    if not node.machine.exists(CTL):
        node.notice(
            "the image has no CloudWatch agent: the logs of Slurm and of our programs stay on the"
            " node, in /var/log"
        )
        return SATISFIED
    group = log_group(node)
    if group is None:
        node.notice("resource_config.json has no ClusterArn: no log group to send logs to")
        return SATISFIED
    text = configuration(node, group)
    if node.machine.read_text(CONFIGURATION) != text:
        return missing(f"{CONFIGURATION} is not current")
    error = _answer(node, text)
    if error is None:
        return missing("the CloudWatch agent was not told")
    if error:
        node.notice(f"the CloudWatch agent does not send our logs: {error}")
    return SATISFIED


def apply(node: Node) -> None:
    machine = node.machine
    if _rotates(node) and machine.read_text(LOGROTATE) != _LOGROTATE_TEXT:
        machine.write_text(LOGROTATE, _LOGROTATE_TEXT)
    group = log_group(node)
    if group is None or not machine.exists(CTL):
        return
    text = configuration(node, group)
    if machine.read_text(CONFIGURATION) != text:
        machine.write_text(CONFIGURATION, text)
    error = ""
    try:
        machine.change(
            CTL,
            *("-a", "append-config", "-m", "ec2", "-s", "-c", f"file:{CONFIGURATION}"),
            timeout_seconds=90.0,
        )
    except CommandError as failure:
        error = " ".join(failure.cause.split())
    answer = {"sha256": _digest(text), "error": error}
    machine.write_text(ANSWER, json.dumps(answer, indent=2) + "\n")


def log_group(node: Node) -> str | None:
    """The cluster's own, whose name ends in the id that HyperPod gave it."""
    resources = node.inputs.resources
    if node.inputs.deployment.log_group_name is not None:
        return node.inputs.deployment.log_group_name
    if resources.cluster_id is None:
        return None
    return f"/aws/sagemaker/Clusters/{resources.cluster}/{resources.cluster_id}"


def configuration(node: Node, group: str) -> str:
    """What is appended to the agent's configuration."""
    files = {name: [f"/var/log/clusterwright/{name}.jsonl"] for name in OURS}
    for daemon in _SLURM[node.group.role]:
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


def _rotates(node: Node) -> bool:
    return node.machine.exists("/etc/logrotate.d")


def _answer(node: Node, text: str) -> str | None:
    """The agent's error for this configuration, empty for none; None where it was not told."""
    try:
        value = json.loads(node.machine.read_text(ANSWER) or "null")
        told, error = value["sha256"], value["error"]
    except (ValueError, TypeError, KeyError):
        return None
    return str(error) if told == _digest(text) else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

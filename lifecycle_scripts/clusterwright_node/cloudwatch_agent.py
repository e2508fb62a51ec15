"""The image's CloudWatch agent: configurations of ours beside those that it has.

A configuration is appended to what the agent reads already (`append-config`; CloudWatch User
Guide, "Creating multiple CloudWatch agent configuration files": the files must have different
names). What the agent said to it is kept, so that it is told once, and not at every run what it
refuses. Nothing here stops a node: without the agent it still runs jobs.
"""

from __future__ import annotations

import hashlib
import json

from clusterwright_node.errors import CommandError
from clusterwright_node.node import Node

CTL = "/opt/aws/amazon-cloudwatch-agent/bin/amazon-cloudwatch-agent-ctl"
FOLDER = "/opt/clusterwright/etc"
_ANSWERS = {
    "logs": "/var/lib/clusterwright/log-shipping.json",
    "metrics": "/var/lib/clusterwright/metrics-shipping.json",
}


def is_there(node: Node) -> bool:
    return node.machine.exists(CTL)


def path_of(name: str) -> str:
    """Where the configuration `logs` or `metrics` lies; the agent goes by the file's name."""
    return f"{FOLDER}/clusterwright-{name}.json"


def lacks(node: Node, name: str, text: str) -> str | None:
    """What has to be done until the agent has this configuration; None for nothing.

    An agent that refused it is left alone; `refusal` says what it said.
    """
    if node.machine.read_text(path_of(name)) != text:
        return f"{path_of(name)} is not current"
    if _answer(node, name, text) is None:
        return "the CloudWatch agent was not told"
    return None


def refusal(node: Node, name: str, text: str) -> str:
    """What the agent said against this configuration; empty where it took it."""
    return _answer(node, name, text) or ""


def tell(node: Node, name: str, text: str) -> None:
    """Writes the configuration, appends it to the agent's, and notes the answer."""
    machine = node.machine
    path = path_of(name)
    if machine.read_text(path) != text:
        machine.write_text(path, text)
    error = ""
    try:
        machine.change(
            CTL,
            *("-a", "append-config", "-m", "ec2", "-s", "-c", f"file:{path}"),
            timeout_seconds=90.0,
        )
    except CommandError as failure:
        error = " ".join(failure.cause.split())
    answer = {"sha256": _digest(text), "error": error}
    machine.write_text(_ANSWERS[name], json.dumps(answer, indent=2) + "\n")


def _answer(node: Node, name: str, text: str) -> str | None:
    """The agent's error for this configuration, empty for none; None where it was not told."""
    try:
        value = json.loads(node.machine.read_text(_ANSWERS[name]) or "null")
        told, error = value["sha256"], value["error"]
    except (ValueError, TypeError, KeyError):
        return None
    return str(error) if told == _digest(text) else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

"""Additional configurations for the image's CloudWatch agent.

A configuration is appended to the agent's (`append-config`; CloudWatch User Guide, "Creating
multiple CloudWatch agent configuration files": the files must have different names). The agent's
answer is stored, so that a refused configuration is not appended again in every run. Errors do not
stop a node: jobs do not need the agent.
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
    """The path of the configuration `logs` or `metrics`; the agent identifies it by its name."""
    return f"{FOLDER}/clusterwright-{name}.json"


def lacks(node: Node, name: str, text: str) -> str | None:
    """What is missing until the agent has this configuration; None if nothing is.

    A refused configuration is not missing; `refusal` returns the agent's answer.
    """
    if node.machine.read_text(path_of(name)) != text:
        return f"{path_of(name)} is outdated"
    if _answer(node, name, text) is None:
        return "the CloudWatch agent does not have the configuration yet"
    return None


def refusal(node: Node, name: str, text: str) -> str:
    """Why the agent refused this configuration; empty if it accepted it."""
    return _answer(node, name, text) or ""


def tell(node: Node, name: str, text: str) -> None:
    """Write the configuration, append it to the agent's, and store the answer."""
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
    """The agent's error for this configuration, empty for none; None if it was not appended."""
    try:
        value = json.loads(node.machine.read_text(_ANSWERS[name]) or "null")
        told, error = value["sha256"], value["error"]
    except (ValueError, TypeError, KeyError):
        return None
    return str(error) if told == _digest(text) else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

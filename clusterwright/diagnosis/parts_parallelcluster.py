"""Messages of ParallelCluster's daemons on the head node and the nodes, by module and words.

Source: aws/aws-parallelcluster-node 3.11 (slurm_plugin and common), read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.aws_errors import meaning
from clusterwright.diagnosis.parts import Part, part, reason, wrong_part

_LINE: Final = re.compile(
    r"\[(?P<place>(?:slurm_plugin|common)\.[\w.]{3,60}):\w+\] - (?:ERROR|CRITICAL) - "
    r"(?P<message>\S.*)"
)
_CODE: Final = re.compile(r"(?:request \([^)]*\): |\()(?P<code>[A-Z]\w+(?:\.\w+)*)(?: - |\))")
PARTS: Final[tuple[Part, ...]] = (
    part(
        "clustermgtd does not run on the head node, so no instances are started or replaced: its "
        "log has the cause",
        r"clustermgtd heartbeat|clustermgtd is down|clustermgtd has been offline",
    ),
    part(
        "EC2 cannot be asked for the cluster's instances: permissions of the head node's role, "
        "its network or a limit of requests",
        r"(?:instances? info|health status|instance info)[^\n]{0,40}EC2|EC2 instance info|"
        r"instances info|inactive instances",
    ),
    part(
        "a Capacity Block or reservation of a queue cannot be used: its id, time or state",
        r"Capacity ?(?:Block|Reservation)\w*",
        r"capacity_block",
    ),
    part(
        "Slurm cannot be asked for nodes or told their state: slurmctld does not answer on the "
        "head node",
        r"partition/node|node state from slurm|scontrol|sinfo|setting partition|"
        r"updating partition|"
        r"partition/node states|nodes? \S* ?into (?:DOWN|POWER)|\breservation|nodeaddr",
        r"slurm_commands|reservation",
    ),
    part(
        "instances cannot be started; the answer of EC2 says why",
        r"(?:RunInstances|CreateFleet) request|launching instances|requesting instances|failed to "
        r"launch|instances for nodes",
        r"fleet_manager",
    ),
    part(
        "an instance was started, but its name or address could not be given to its node (the "
        "cluster's table in DynamoDB or its zone in Route 53)",
        r"updating nodes|DynamoDB|Route ?53|hostnames?|mapping",
    ),
    part(
        "instances of nodes cannot be terminated: permissions of the head node's role",
        r"terminat\w+",
    ),
    part(
        "a configuration file of its daemons or the status of the fleet cannot be read: the head "
        "node was not set up completely",
        r"config\w*|status data file|fleet status|nodename|read file|resume file",
    ),
    part(
        "a command on the head node or the node failed or did not end in time",
        r"^Command |execute the command|backlog|event",
    ),
)
"""In the order in which they are tried."""


def error(text: str) -> str | None:
    """The cause that a line of clustermgtd, slurm_resume, slurm_suspend or computemgtd says."""
    found = _LINE.search(text)
    if found is None:
        return None
    message = found.group("message")
    said = wrong_part(PARTS, message, found.group("place"))
    if said is None:
        return None
    code = _CODE.search(message)
    answer = (meaning(code.group("code")) if code else None) or reason(message)
    return f"ParallelCluster: {said}: {answer + ': ' if answer else ''}{message[:200]}"

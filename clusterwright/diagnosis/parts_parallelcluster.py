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
_ANSWER: Final = re.compile(
    r"(?: with (?:error|exception)|,? [Ww]ith error|[.,:] [Ee]xception|[.:] An error occurred)\b"
)
"""Where a message's own words end, and those of what answered it begin."""
PARTS: Final[tuple[Part, ...]] = (
    part(
        "clustermgtd does not run on the head node, so no instances are started or replaced: its "
        "log has the cause",
        r"No valid clustermgtd heartbeat|clustermgtd is down|clustermgtd has been offline",
    ),
    part(
        "Slurm named no jobs or nodes to slurm_resume (SLURM_RESUME_FILE or its list is empty), "
        "so it starts no instances",
        r"resume (?:file content|list) is empty",
    ),
    part(
        "EC2 started instances, but did not describe them in time, so their nodes do not use them",
        r"retrieve instance info for instances",
    ),
    part(
        "EC2 cannot be asked for the cluster's instances or reservations: permissions of the head "
        "node's role, its network or a limit of requests",
        r"(?:instances? info|health status|Capacity Blocks information)[^\n]{0,40}from EC2",
    ),
    part(
        "Slurm cannot be asked for nodes, partitions or reservations, or told their state "
        "(scontrol): slurmctld does not answer, or refuses",
        r"partition/node|node state from slurm|^Command '[^\n]{0,80}\b(?:scontrol|sinfo)\b|"
        r"setting partition|updating partition|nodes? [^\n]{0,200}into (?:DOWN|down|POWER)|"
        r"\bslurm reservation|resetting nodeaddr",
    ),
    part(
        "a command on the head node or the node failed or did not end in time",
        r"^Command |execute the command",
    ),
    part(
        "a Capacity Block or reservation of a queue cannot be used: its id, time or state",
        r"find Capacity Block|CapacityReservationId from",
    ),
    part(
        "instances cannot be started; the answer of EC2 says why",
        r"(?:RunInstances|CreateFleet) request|launching instances|requesting instances|failed to "
        r"launch",
    ),
    part(
        "an instance was started, but its name or address could not be given to its node (the "
        "cluster's table in DynamoDB or its zone in Route 53)",
        r"error when updating nodes",
    ),
    part(
        "instances of nodes cannot be terminated",
        r"terminating (?:instances|compute fleet)|TerminateInstances request",
    ),
    part(
        "the status of the fleet cannot be read or changed",
        r"(?:retrieving|updating) fleet status",
    ),
    part(
        "a configuration file or another file of its daemons cannot be read, or has no entry of a "
        "queue",
        r"[Cc]annot read [\w ]{3,60} (?:configuration|data) file|read self nodename|"
        r"Unable to read file|Unable to find[^\n]{0,80}\bqueue\b",
    ),
)
"""In the order in which they are tried; a module alone says no cause."""


def error(text: str) -> str | None:
    """The cause that a line of clustermgtd, slurm_resume, slurm_suspend or computemgtd says."""
    found = _LINE.search(text)
    if found is None:
        return None
    message = found.group("message")
    own = _ANSWER.split(message, maxsplit=1)[0]
    said = wrong_part(PARTS, own, found.group("place"))
    if said is None:
        return None
    code = _CODE.search(message)
    answer = (meaning(code.group("code")) if code else None) or reason(message)
    return f"ParallelCluster: {said}: {answer + ': ' if answer else ''}{message[:200]}"

"""The test of a node that started, before slurmd does (ParallelCluster, PCS, `acceptance.hold`).

Devices of some types come up late, so a node that is not accepted is tested again for a minute.
The result is also the node's comment in Slurm, from which the controller has it. On PCS Slurm's
commands have no configuration before slurmd starts, so it is reported afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Optional

from clusterwright_common import boot_comment, records, scontrol, xid_history
from clusterwright_common.probe import Probe

from clusterwright_acceptance import node_run
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.verdicts import ACCEPTED

LEVEL = "quick"
"""ParallelCluster replaces an instance whose set-up takes longer than ComputeNodeBootstrapTimeout
(2,100 s up to 50 nodes), so a higher level would replace good nodes."""
AGAIN_SECONDS = 60.0
EVERY_SECONDS = 5.0
LIMIT_SECONDS = 840
"""Two times the time-outs of the level's checks, and a minute."""
_TIMEOUT_SECONDS = 20.0
_ATTEMPTS = 3


def run_boot(
    expected: Expected,
    make_probe: node_run.MakeProbe,
    *,
    again_seconds: float = AGAIN_SECONDS,
    reports: bool = True,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    say: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Test this boot, repeating checks without a pass; report and return the last result.

    Raises
    ------
    AlreadyRunning, OSError
        As `node_run.run_level`.
    """
    # Another start of the unit in this boot is another test.
    run = f"boot-{xid_history.boot_id(make_probe(10.0))}-{time.time_ns()}"
    ends = clock() + again_seconds
    while True:
        result = node_run.run_level(LEVEL, expected, make_probe, run=run, say=say)
        if result["verdict"] == ACCEPTED or clock() + EVERY_SECONDS > ends:
            break
        say(f"{result['verdict']}: {result['reason']}; again in {EVERY_SECONDS:.0f} s")
        sleep(EVERY_SECONDS)
    # Without slurmctld only the comment is missing, the verdict stays.
    for attempt in range(1, _ATTEMPTS + 1) if reports else ():
        error = _report(expected.node, result, make_probe)
        if error is None:
            break
        say(f"the comment in Slurm: {error}")
        if attempt < _ATTEMPTS:
            sleep(EVERY_SECONDS)
    return result


def report_last(host: str, make_probe: node_run.MakeProbe) -> Optional[str]:
    """Report the last result, when slurmd has registered under a name that only Slurm knows.

    Returns why that was not possible.
    """
    probe = make_probe(_TIMEOUT_SECONDS)
    result = records.read(probe.path(node_run.RESULT))
    if not result:
        return f"{node_run.RESULT} has no result"
    shown = probe.run(["scontrol", "--oneliner", "show", "nodes"], _TIMEOUT_SECONDS)
    if not shown.ok:
        return shown.summary
    nodes = [scontrol.words(line) for line in shown.stdout.splitlines()]
    # A node that ended may have had the host name, which is made of the address.
    registered = [
        one
        for one in nodes
        if one.get("NodeHostName") == host and one.get("SlurmdStartTime", "")[:1].isdigit()
    ]
    if not registered:
        return f"no node of Slurm has the host name {host}"
    node = max(registered, key=lambda one: one["SlurmdStartTime"])
    return _comment(probe, node["NodeName"], result, node.get("Comment", ""))


def _report(node: str, result: dict[str, Any], make_probe: node_run.MakeProbe) -> Optional[str]:
    """Write the comment; return why that was not possible."""
    probe = make_probe(_TIMEOUT_SECONDS)
    shown = probe.run(["scontrol", "--oneliner", "show", "node", node], _TIMEOUT_SECONDS)
    return _comment(probe, node, result, scontrol.words(shown.stdout).get("Comment", ""))


def _comment(probe: Probe, node: str, result: dict[str, Any], before: str) -> Optional[str]:
    words = ["scontrol", "update", f"NodeName={node}"]
    words.append(f"Comment={boot_comment.written(result, before)}")
    answer = probe.run(words, _TIMEOUT_SECONDS)
    return None if answer.ok else answer.summary

"""The test of a node that started, before slurmd does (ParallelCluster, `acceptance.hold`).

Devices of some types come up late, so a node that is not accepted is tested again for a minute.
The result is also the node's comment in Slurm, from which the controller has it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from clusterwright_common import boot_comment, scontrol, xid_history

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
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    say: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Test this boot, repeating checks without a pass; return the last result.

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
    _report(expected.node, result, make_probe, sleep, say)
    return result


def _report(
    node: str,
    result: dict[str, Any],
    make_probe: node_run.MakeProbe,
    sleep: Callable[[float], None],
    say: Callable[[str], None],
) -> None:
    """Write the comment; without slurmctld only that is missing, the verdict stays."""
    for attempt in range(1, _ATTEMPTS + 1):
        probe = make_probe(_TIMEOUT_SECONDS)
        shown = probe.run(["scontrol", "--oneliner", "show", "node", node], _TIMEOUT_SECONDS)
        before = scontrol.words(shown.stdout).get("Comment", "")
        words = ["scontrol", "update", f"NodeName={node}"]
        words.append(f"Comment={boot_comment.written(result, before)}")
        answer = probe.run(words, _TIMEOUT_SECONDS)
        if answer.ok:
            return
        say(f"the comment in Slurm: {answer.summary}")
        if attempt < _ATTEMPTS:
            sleep(EVERY_SECONDS)

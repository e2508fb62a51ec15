"""The node in Slurm: read its state, drain it, resume it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clusterwright_common.probe import Probe

MARK = "clusterwright: "
"""The prefix of this program's reasons. Nodes with other reasons are not resumed."""

_LONGEST_REASON = 200


@dataclass(frozen=True)
class NodeState:
    """`words` as Slurm prints them: IDLE, DRAIN, ...; `reason` is empty without one."""

    words: frozenset[str]
    reason: str

    @property
    def is_drained(self) -> bool:
        return bool(self.words & {"DRAIN", "DOWN", "FAIL", "FAILING"})

    @property
    def is_ours(self) -> bool:
        return "DRAIN" in self.words and self.reason.startswith(MARK)


def read_state(probe: Probe, name: str) -> NodeState | None:
    """None if slurmctld does not respond or does not have the node."""
    answer = probe.run(["scontrol", "--oneliner", "show", "node", name])
    state = re.search(r"\bState=(\S+)", answer.stdout)
    if not answer.ok or state is None:
        return None
    reason = re.search(r"\bReason=(.*?)(?: \[[^\]]*\])?(?: Comment=.*)?$", answer.stdout.strip())
    words = re.sub(r"[*~#!%$@^-]", "", state.group(1)).split("+")
    return NodeState(frozenset(words), reason.group(1).strip() if reason else "")


def drain(probe: Probe, name: str, reason: str) -> str | None:
    """Drain the node; return the error, if any."""
    return _update(probe, name, "DRAIN", f"Reason={MARK}{reason}"[: _LONGEST_REASON + 7])


def resume(probe: Probe, name: str) -> str | None:
    """Resume the node; return the error, if any."""
    return _update(probe, name, "RESUME")


def _update(probe: Probe, name: str, state: str, *more: str) -> str | None:
    answer = probe.run(["scontrol", "update", f"NodeName={name}", f"State={state}", *more])
    return None if answer.ok else f"scontrol: {answer.summary}"

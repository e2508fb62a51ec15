"""The node in Slurm: its state, and taking it out of and back into use."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clusterwright_common.probe import Probe

MARK = "clusterwright: "
"""How a reason of ours begins. A node that somebody else has drained is theirs."""

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
    """None where slurmctld does not answer, or does not know the node."""
    answer = probe.run(["scontrol", "--oneliner", "show", "node", name])
    state = re.search(r"\bState=(\S+)", answer.stdout)
    if not answer.ok or state is None:
        return None
    reason = re.search(r"\bReason=(.*?)(?: \[[^\]]*\])?(?: Comment=.*)?$", answer.stdout.strip())
    words = re.sub(r"[*~#!%$@^-]", "", state.group(1)).split("+")
    return NodeState(frozenset(words), reason.group(1).strip() if reason else "")


def drain(probe: Probe, name: str, reason: str) -> str | None:
    """Takes the node out of use; what went wrong, if anything."""
    return _update(probe, name, "DRAIN", f"Reason={MARK}{reason}"[: _LONGEST_REASON + 7])


def resume(probe: Probe, name: str) -> str | None:
    """Puts the node back into use; what went wrong, if anything."""
    return _update(probe, name, "RESUME")


def _update(probe: Probe, name: str, state: str, *more: str) -> str | None:
    answer = probe.run(["scontrol", "update", f"NodeName={name}", f"State={state}", *more])
    return None if answer.ok else f"scontrol: {answer.summary}"

"""HyperPod's auto-resume and node recovery by Slurm's reason, as far as their behaviour is known.

Known: job scripts look for the folder `/opt/sagemaker_cluster`, and then give `srun` the option
`--auto-resume=1` (public examples, awsome-distributed-ai pull request 231), which sbatch refuses.
After a task has failed, HyperPod is asked for a diagnosis: `NONE` ends the job, `RETRYSTEP`
requeues it, and it starts again once its nodes are replaced; on nodes with GRES it is always
requeued and never shrinks. The health monitoring agent marks a node with the reason
`Action:Reboot` or `Action:Replace`, 5 to 30 s after it has detected a fault; the text is compared
exactly, and any other, such as one with a trailing blank, is ignored silently
(awsome-distributed-ai 95b939cd, 2026-07-23, `hyperpod-mental-model.md`).

Not known: what HyperPod's srun and slurmctld do for it. Here a stub of srun makes the job one
that Slurm requeues when it loses a node, and asks Slurm for the state of the job's nodes when the
step fails. It waits for the agent's mark for `DIAGNOSIS_S`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Recovery = Literal["reboot", "replace"]

MARKER: Final = "/opt/sagemaker_cluster"
SRUN: Final = "/opt/slurm/bin/srun"
DIAGNOSIS_S: Final = 10
"""How long a failed step waits for the agent's mark; the agent of the rehearsal needs no time."""
REASONS: Final[Mapping[str, Recovery]] = {
    "Action:Reboot": "reboot",
    "Action:Replace": "replace",
}
_NO_JOBS: Final = ("drained", "down", "fail")
"""States, without Slurm's flags, of a marked node whose jobs have ended."""

SRUN_TEXT: Final = f"""#!/bin/sh
# Written by the rehearsal instead of HyperPod: removes --auto-resume=N and applies it.
resume=0
for word; do
  shift
  case "$word" in
    --auto-resume=*) resume="${{word#*=}}" ;;
    *) set -- "$@" "$word" ;;
  esac
done
if [ "$resume" != 1 ] || [ -z "$SLURM_JOB_ID" ]; then
  exec /usr/bin/srun "$@"
fi
# A job that loses a node is requeued by Slurm.
scontrol update JobId="$SLURM_JOB_ID" Requeue=1
/usr/bin/srun "$@"
code=$?
[ "$code" = 0 ] && exit 0
waited=0
answer=NONE
while :; do
  if scontrol --oneliner show node "$SLURM_JOB_NODELIST" |
    grep -Eq ' State=DOWN| Reason=Action:(Reboot|Replace) \\['; then
    answer=RETRYSTEP
    break
  fi
  [ "$waited" -ge {DIAGNOSIS_S} ] && break
  sleep 1
  waited=$((waited + 1))
done
echo "auto-resume: diagnosis $answer" >&2
if [ "$answer" = RETRYSTEP ]; then
  scontrol requeue "$SLURM_JOB_ID"
  # Slurm ends this script.
  sleep 60
fi
exit "$code"
"""

# One line for each node: name, state, reason as it is, between bars.
LIST_REASONS: Final = "sinfo --all --noheader --Node --format='%N|%T|%E|'"


@dataclass(frozen=True)
class Marked:
    """A node that Slurm's reason asks to recover."""

    host: str
    recovery: Recovery


def marked_nodes(listing: str) -> list[Marked]:
    """Return the nodes to recover, from the output of `LIST_REASONS`.

    A node waits until its jobs have ended. A reason that is not exactly one of `REASONS` is
    ignored.
    """
    found: dict[str, Marked] = {}
    for line in listing.splitlines():
        host, state, reason = _fields(line)
        recovery = REASONS.get(reason)
        if recovery is not None and _without_flags(state) in _NO_JOBS:
            found[host] = Marked(host, recovery)
    return list(found.values())


def _fields(line: str) -> tuple[str, str, str]:
    host, _, rest = line.partition("|")
    state, _, reason = rest.partition("|")
    return host, state, reason.removesuffix("|")


def _without_flags(state: str) -> str:
    """Return a state of sinfo in lower case without flags such as * (not responding)."""
    return state.lower().rstrip("*~#!%$@^-+")

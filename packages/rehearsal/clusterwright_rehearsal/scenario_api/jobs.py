"""A job that counts, for scenarios that ask what becomes of a running job.

Each second it writes its number to a checkpoint on shared storage; started again, it goes on from
there. What it says of itself tells how often it started, where, and from which number.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from clusterwright_rehearsal.scenario_api.context import Job, Node, Stage
from clusterwright_rehearsal.scenario_api.training import partition_of

_SCRIPT = """
state="{state}"
step=$(cat "$state" 2>/dev/null || echo 0)
echo "start on $(hostname) at step $step"
while [ "$step" -lt {steps} ]; do
  step=$((step + 1))
  echo "$step" >"$state.new" && mv "$state.new" "$state"
  sleep 1
done
echo "end at step $step"
"""


@dataclass(frozen=True)
class Counting:
    """The job with its checkpoint."""

    stage: Stage
    job: Job
    state: str
    """The file of its checkpoint."""

    @property
    def node(self) -> Node:
        """Where it runs now."""
        hosts = self.job.hosts
        self.stage.expect(hosts, f"job {self.job.id} runs nowhere")
        return self.stage.node(hosts[0])

    @property
    def step(self) -> int:
        text = self.stage.controller.run(f"cat {self.state}").stdout.strip()
        return int(text) if text.isdigit() else 0

    @property
    def starts(self) -> list[tuple[str, int]]:
        """(host, number it began with) of each start."""
        found = re.findall(r"^start on (\S+) at step (\d+)$", self.job.output(), re.MULTILINE)
        return [(host, int(step)) for host, step in found]

    def wait_beyond(self, step: int, *, within_s: float = 30.0) -> None:
        """Until its checkpoint has passed a number."""

        def not_yet() -> str | None:
            now = self.step
            return None if now > step else f"the checkpoint of job {self.job.id} is at step {now}"

        self.stage.wait_for(not_yet, within_s=within_s)

    def expect_again(self, saved: int, *, within_s: float = 180.0) -> str:
        """It runs a second time by itself, from its checkpoint or a later one; says on which host.

        `saved` is a number that its checkpoint had before it was put back.
        """

        def not_yet() -> str | None:
            shown, starts = self.job.show(), self.starts
            if len(starts) == 2 and shown.get("JobState") == "RUNNING":
                return None
            state, reason = shown.get("JobState"), shown.get("Reason")
            return f"job {self.job.id} is {state} ({reason}): {starts}"

        seconds = self.stage.wait_for(not_yet, within_s=within_s)
        host, step = self.starts[-1]
        self.stage.expect(step >= saved, f"it began at step {step}, though {saved} was saved")
        self.stage.note(f"after {seconds:.0f} s on {host}, from step {step} (saved: {saved})")
        return host


def counting(stage: Stage, *, options: Sequence[str] = (), steps: int = 600) -> Counting:
    """Start one on a node of Slurm's choice, alone there, and wait until it counts."""
    state = f"{stage.shared_folder}/count-{secrets.token_hex(4)}"
    job = stage.submit(
        _SCRIPT.format(state=state, steps=steps), options=["--requeue", "--exclusive", *options]
    )
    job.wait("RUNNING", within_s=60)
    found = Counting(stage, job, state)
    found.wait_beyond(1)
    return found


def on_node(stage: Stage, node: Node) -> Job:
    """A short job on one node."""
    partition = partition_of(stage, node.group)
    options = [f"--nodelist={node.host}", *([f"--partition={partition}"] if partition else [])]
    return stage.submit("srun hostname", options=options)

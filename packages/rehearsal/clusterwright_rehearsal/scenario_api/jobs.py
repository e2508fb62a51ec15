"""A counting job, for scenarios that check what happens to a running job.

Each second it writes its step to a checkpoint on shared storage; after a restart it continues from
there. Its output shows how often it started, on which host and from which step.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.node import Node
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
class CountingJob:
    """A counting job with its checkpoint."""

    context: ScenarioContext
    job: Job
    state: str
    """The path of its checkpoint."""

    @property
    def node(self) -> Node:
        """The node on which it runs now."""
        hosts = self.job.hosts
        self.context.expect(hosts, f"job {self.job.id} is not running")
        return self.context.node(hosts[0])

    @property
    def step(self) -> int:
        text = self.context.controller.run(f"cat {self.state}").stdout.strip()
        return int(text) if text.isdigit() else 0

    @property
    def starts(self) -> list[tuple[str, int]]:
        """(host, first step) of each start."""
        found = re.findall(r"^start on (\S+) at step (\d+)$", self.job.output(), re.MULTILINE)
        return [(host, int(step)) for host, step in found]

    def wait_beyond(self, step: int, *, within_s: float = 30.0) -> None:
        """Wait until its checkpoint has passed a step."""

        def not_yet() -> str | None:
            now = self.step
            return None if now > step else f"the checkpoint of job {self.job.id} is at step {now}"

        self.context.wait_for(not_yet, within_s=within_s)

    def expect_restart(self, saved: int, *, within_s: float = 180.0) -> str:
        """Wait for its restart by Slurm from step `saved` or a later one; return the host.

        `saved` is a step of its checkpoint before it was requeued.
        """

        def not_yet() -> str | None:
            shown, starts = self.job.show(), self.starts
            if len(starts) == 2 and shown.get("JobState") == "RUNNING":
                return None
            state, reason = shown.get("JobState"), shown.get("Reason")
            return f"job {self.job.id} is {state} ({reason}): {starts}"

        seconds = self.context.wait_for(not_yet, within_s=within_s)
        host, step = self.starts[-1]
        self.context.expect(
            step >= saved, f"it restarted from step {step}, although step {saved} was saved"
        )
        self.context.note(f"after {seconds:.0f} s on {host}, from step {step} (saved: {saved})")
        return host


def start_counting(
    context: ScenarioContext, *, options: Sequence[str] = (), steps: int = 600
) -> CountingJob:
    """Start a counting job, exclusively on any node, and wait until it counts."""
    state = f"{context.shared_folder}/count-{secrets.token_hex(4)}"
    job = context.submit(
        _SCRIPT.format(state=state, steps=steps), options=["--requeue", "--exclusive", *options]
    )
    job.wait("RUNNING", within_s=60)
    found = CountingJob(context, job, state)
    found.wait_beyond(1)
    return found


def options_for(context: ScenarioContext, node: Node, *more: str) -> list[str]:
    """The options of sbatch for a job on one node, in the partition of its group."""
    return [f"--nodelist={node.host}", *partition_options(context, node.group), *more]


def partition_options(context: ScenarioContext, group: str) -> list[str]:
    """The option of sbatch for the partition of a group; none without partitions in the spec."""
    partition = partition_of(context, group)
    return [f"--partition={partition}"] if partition else []


def submit_to_node(context: ScenarioContext, node: Node, script: str = "srun hostname") -> Job:
    """Submit a short job to one node."""
    return context.submit(script, options=options_for(context, node))


def expect_job(context: ScenarioContext, node: Node, script: str = "hostname") -> None:
    """Run a short job on one node, which must complete within a minute."""
    submit_to_node(context, node, script).wait("COMPLETED", within_s=60)

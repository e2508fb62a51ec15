"""An emulated training job: it makes steps, writes checkpoints and resumes from the newest.

It follows the contract of `clusterwright_checkpoints` like a real job: files first, then
`COMPLETE` with the number of writers and the attempt, on the local disk; it starts from
`<shared>/<run>/latest`. Its output is a line for each event:

    start step=4 restart=1 host=ip-10-0-0-18
    wrote step=6
    emergency step=7 flushed=yes
    end step=9
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.node import Node

DRAIN_UNIT = "clusterwright-checkpoints.service"
STATE = "state"
"""The file of a checkpoint that contains its step."""
_FLUSH = "/opt/clusterwright/bin/flush-checkpoints"
_PROGRAM = r"""
run=@RUN@ local=@LOCAL@ shared=@SHARED@ every=@EVERY@
here="$local/$run"
mkdir -p "$here"
step=$(cat "$shared/$run/latest/state" 2>/dev/null || echo 0)
restart="${SLURM_RESTART_COUNT:-0}"
echo "start step=$step restart=$restart host=$(hostname)"

# Files first, COMPLETE last. An incomplete checkpoint of a killed attempt is written again.
checkpoint() {
  [ -e "$here/step-$1/COMPLETE" ] && return 0
  rm -rf "$here/step-$1" && mkdir "$here/step-$1" || return 1
  echo "$1" >"$here/step-$1/state"
  for number in $(seq @FILES@); do
    echo "run $run step $1 restart $restart file $number" >"$here/step-$1/part-$number"
  done
  echo "1 $restart" >"$here/step-$1/COMPLETE.new"
  mv "$here/step-$1/COMPLETE.new" "$here/step-$1/COMPLETE"
  echo "wrote step=$1"
}

flush() {
  @FLUSH@ --run="$run" --every-seconds=0.2 --timeout-seconds=60 >/dev/null
}

emergency() {
  checkpoint "$step"
  flushed=no
  flush && flushed=yes
  echo "emergency step=$step flushed=$flushed"
  exit 0
}
trap emergency USR1

while [ ! -e "$shared/$run.stop" ]; do
  sleep @SECONDS@ &
  wait $!
  step=$((step + 1))
  [ $((step % every)) -eq 0 ] && checkpoint "$step"
done
checkpoint "$step" && flush
echo "end step=$step"
"""


@dataclass(frozen=True)
class Training:
    """One run of the emulated training, which may take several attempts."""

    context: ScenarioContext
    run: str
    local: str
    shared: str
    job: Job

    @property
    def folder(self) -> str:
        """The run's folder on shared storage."""
        return f"{self.shared}/{self.run}"

    def starts(self) -> list[dict[str, str]]:
        """The start line of each attempt: step, restart, host."""
        return [
            dict(word.split("=", 1) for word in line.split()[1:])
            for line in self.job.output().splitlines()
            if line.startswith("start ")
        ]

    def steps(self, word: str) -> list[int]:
        """The steps of the lines that begin with `word`: `wrote` or `emergency`."""
        return [int(n) for n in re.findall(rf"^{word} step=(\d+)", self.job.output(), re.M)]

    def newest(self) -> int:
        """The step of the newest complete checkpoint on shared storage, else 0."""
        ran = self.context.controller.run(f"cat {self.folder}/latest/{STATE}")
        return int(ran.stdout) if ran.ok else 0

    def wait_newest(self, step: int, *, within_s: float) -> float:
        """Wait until the newest complete checkpoint is at least at `step`; return the seconds."""

        def missing() -> str | None:
            now = self.newest()
            return None if now >= step else f"the newest complete checkpoint is step {now}"

        return self.context.wait_for(missing, within_s=within_s)

    def wait_starts(self, count: int, *, within_s: float) -> float:
        """Wait until the job has started `count` times; return the seconds."""

        def missing() -> str | None:
            found = len(self.starts())
            if found >= count:
                return None
            shown = self.job.show()
            return (
                f"job {self.job.id} has started {found} times and is {shown.get('JobState')}"
                f" ({shown.get('Reason')})"
            )

        return self.context.wait_for(missing, within_s=within_s)

    def stop(self) -> None:
        """Make the job write its last checkpoint and end."""
        self.context.controller.must(f"touch {self.shared}/{self.run}.stop")

    def broken_checkpoints(self) -> list[str]:
        """Complete checkpoints whose files differ from their manifest."""
        return self.context.controller.must(_VERIFY.replace("@FOLDER@", self.folder)).splitlines()

    def clean_up(self) -> None:
        """Cancel the job and delete its files on shared storage and on the nodes' disks."""
        self.job.cancel()
        self.context.controller.run(f"rm -rf {self.folder} {self.shared}/{self.run}.stop")
        for node in self.context.compute:
            if node.is_up:
                node.run(f"rm -rf {self.local}/{self.run}")


def folders(context: ScenarioContext, node: Node) -> tuple[str, str]:
    """The folders of finished checkpoints on a node's local disk and on shared storage.

    Skips the scenario if the nodes do not copy checkpoints because the spec has no scratch disks
    or no `checkpoint_path`.
    """
    ran = node.run(f"systemctl cat {DRAIN_UNIT}")
    found = dict(re.findall(r"--(local|shared)=(\S+)", ran.stdout))
    if not ran.ok or len(found) != 2:
        context.skip(
            f"{node} copies no checkpoints: this requires storage.checkpoint_path on shared"
            f" storage and scratch in group {node.group}"
        )
    return found["local"], found["shared"]


def train(
    context: ScenarioContext,
    *,
    name: str,
    run: str | None = None,
    group: str | None = None,
    every: int = 2,
    seconds: float = 0.5,
    files: int = 2,
    exclusive: bool = True,
    options: Sequence[str] = (),
) -> Training:
    """Submit a run on one node of a group (default: the first compute group).

    A step takes `seconds`; every `every` steps a checkpoint of `files` files is written.
    `run` continues the run of an earlier job; without `exclusive` the job requests only 100 MB.
    """
    node = context.nodes("compute", group)[0]
    local, shared = folders(context, node)
    # A unique name, so that checkpoints of an earlier rehearsal are never found.
    run = (
        run or f"{name}-{context.controller.must('cat /proc/sys/kernel/random/uuid').strip()[:8]}"
    )
    script = _PROGRAM
    for placeholder, value in {
        "RUN": run, "LOCAL": local, "SHARED": shared, "EVERY": every, "FILES": files,
        "SECONDS": seconds, "FLUSH": _FLUSH,
    }.items():  # fmt: skip
        script = script.replace(f"@{placeholder}@", shlex.quote(str(value)))
    partition = partition_of(context, node.group)
    words = [
        "--requeue",
        "--exclusive" if exclusive else "--mem=100M",
        *([f"--partition={partition}"] if partition else []),
    ]
    job = context.submit(script, options=[*words, *options])
    return Training(context, run, local, shared, job)


def group_of_two(context: ScenarioContext) -> str:
    """A group with two nodes, so that a job that loses its node can restart on the other.

    Skips the scenario if there is no such group, or if lost nodes are not replaced.
    """
    if context.cluster.resilience.node_recovery != "automatic":
        context.skip("the spec has node_recovery: none, so a lost node is not replaced")
    groups = [node.group for node in context.compute]
    doubled = [group for group in groups if groups.count(group) >= 2]
    if not doubled:
        context.skip("no compute group has a second node for the job")
    return doubled[0]


def partition_of(context: ScenarioContext, group: str) -> str | None:
    """The first partition of the spec that contains a group."""
    for partition in context.cluster.slurm.partitions:
        if group in partition.groups:
            return partition.name
    return None


# Compares every file of every complete checkpoint with the manifest.
_VERIFY = r"""python3 -B - <<'PROGRAM'
import hashlib, json, pathlib
folder = pathlib.Path("@FOLDER@")
for manifest in sorted(folder.glob("*/MANIFEST.json")):
    step, named = manifest.parent, {}
    if step.is_symlink():  # latest
        continue
    for entry in json.loads(manifest.read_text())["files"]:
        named[entry["path"]] = entry["sha256"]
    present = {
        path.relative_to(step).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in step.rglob("*")
        if path.is_file() and not path.name.startswith(".manifest.") and path != manifest
    }
    if present != named:
        different = sorted(
            n for n in present.keys() | named.keys() if present.get(n) != named.get(n)
        )
        print(f"{step.name}: {len(different)} files differ, such as {different[0]}")
    state = (step / "state").read_text().strip()
    if step.name != f"step-{state}":
        print(f"{step.name} contains the state of step {state}")
PROGRAM"""

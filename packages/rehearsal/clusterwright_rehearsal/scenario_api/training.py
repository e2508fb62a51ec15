"""A stand-in for training: a job that makes steps, writes checkpoints and goes on from the newest.

It keeps to the contract of `clusterwright_checkpoints`, as a real one would: files first, then
`COMPLETE` with the number of writers and the attempt, on the local disk; it starts from
`<shared>/<run>/latest`. What it does is written, line by line, to its output:

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

from clusterwright_rehearsal.scenario_api.context import Job, Node, Stage

DRAIN_UNIT = "clusterwright-checkpoints.service"
STATE = "state"
"""The file of a checkpoint that says its step."""
_FLUSH = "/opt/clusterwright/bin/flush-checkpoints"
_PROGRAM = r"""
run=@RUN@ local=@LOCAL@ shared=@SHARED@ every=@EVERY@
here="$local/$run"
mkdir -p "$here"
step=$(cat "$shared/$run/latest/state" 2>/dev/null || echo 0)
restart="${SLURM_RESTART_COUNT:-0}"
echo "start step=$step restart=$restart host=$(hostname)"

# Files first, COMPLETE last. What is there of an attempt that was killed is made anew.
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
    """One run of the stand-in, which may take several attempts."""

    stage: Stage
    run: str
    local: str
    shared: str
    job: Job

    @property
    def folder(self) -> str:
        """The run's folder on shared storage."""
        return f"{self.shared}/{self.run}"

    def starts(self) -> list[dict[str, str]]:
        """What each attempt said when it began: step, restart, host."""
        return [
            dict(word.split("=", 1) for word in line.split()[1:])
            for line in self.job.output().splitlines()
            if line.startswith("start ")
        ]

    def steps(self, word: str) -> list[int]:
        """The steps of the lines that begin with a word, `wrote` or `emergency`."""
        return [int(n) for n in re.findall(rf"^{word} step=(\d+)", self.job.output(), re.M)]

    def newest(self) -> int:
        """The step of the newest whole checkpoint on shared storage, 0 without one."""
        ran = self.stage.controller.run(f"cat {self.folder}/latest/{STATE}")
        return int(ran.stdout) if ran.ok else 0

    def wait_newest(self, step: int, *, within_s: float) -> float:
        """Until the newest whole checkpoint is at `step` or beyond."""

        def missing() -> str | None:
            now = self.newest()
            return None if now >= step else f"the newest whole checkpoint is step {now}"

        return self.stage.wait_for(missing, within_s=within_s)

    def wait_starts(self, count: int, *, within_s: float) -> float:
        """Until the job has begun so many times."""

        def missing() -> str | None:
            found = len(self.starts())
            if found >= count:
                return None
            shown = self.job.show()
            return (
                f"job {self.job.id} has begun {found} times and is {shown.get('JobState')}"
                f" ({shown.get('Reason')})"
            )

        return self.stage.wait_for(missing, within_s=within_s)

    def stop(self) -> None:
        """Let the job make its last checkpoint and end."""
        self.stage.controller.must(f"touch {self.shared}/{self.run}.stop")

    def broken_checkpoints(self) -> list[str]:
        """Whole checkpoints whose files are not those that their manifest names."""
        return self.stage.controller.must(_VERIFY.replace("@FOLDER@", self.folder)).splitlines()

    def take_away(self) -> None:
        """Remove what the run has left on shared storage and on the nodes' disks."""
        self.job.cancel()
        self.stage.controller.run(f"rm -rf {self.folder} {self.shared}/{self.run}.stop")
        for node in self.stage.compute:
            if node.is_up:
                node.run(f"rm -rf {self.local}/{self.run}")


def folders(stage: Stage, node: Node) -> tuple[str, str]:
    """The folders of finished checkpoints on a node's own disk and on shared storage.

    The scenario is not for a cluster whose nodes drain none: the spec has no scratch disks or no
    `checkpoint_path` for it.
    """
    ran = node.run(f"systemctl cat {DRAIN_UNIT}")
    found = dict(re.findall(r"--(local|shared)=(\S+)", ran.stdout))
    if not ran.ok or len(found) != 2:
        stage.not_for_this(
            f"{node} drains no checkpoints: that needs storage.checkpoint_path on shared storage"
            f" and scratch in group {node.group}"
        )
    return found["local"], found["shared"]


def train(
    stage: Stage,
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
    """Submit a run on one node of a group (the first compute group without one).

    It makes a step in `seconds`, and each `every` steps a checkpoint of `files` files.
    `run` goes on with what an earlier job has begun; without `exclusive` it takes little of the
    node.
    """
    node = stage.nodes("compute", group)[0]
    local, shared = folders(stage, node)
    # A name of its own: the drain must never meet what an earlier rehearsal has left.
    run = run or f"{name}-{stage.controller.must('cat /proc/sys/kernel/random/uuid').strip()[:8]}"
    script = _PROGRAM
    for mark, value in {
        "RUN": run, "LOCAL": local, "SHARED": shared, "EVERY": every, "FILES": files,
        "SECONDS": seconds, "FLUSH": _FLUSH,
    }.items():  # fmt: skip
        script = script.replace(f"@{mark}@", shlex.quote(str(value)))
    partition = partition_of(stage, node.group)
    words = [
        "--requeue",
        "--exclusive" if exclusive else "--mem=100M",
        *([f"--partition={partition}"] if partition else []),
    ]
    job = stage.submit(script, options=[*words, *options])
    return Training(stage, run, local, shared, job)


def group_of_two(stage: Stage) -> str:
    """A group with two nodes, so that a job which loses its node can begin again on the other.

    The scenario is not for a cluster without, or one whose lost nodes nobody replaces.
    """
    if stage.cluster.resilience.node_recovery != "automatic":
        stage.not_for_this("the spec has node_recovery: none, so nobody would replace the node")
    groups = [node.group for node in stage.compute]
    doubled = [group for group in groups if groups.count(group) >= 2]
    if not doubled:
        stage.not_for_this("no compute group has a second node for the job to go to")
    return doubled[0]


def partition_of(stage: Stage, group: str) -> str | None:
    """The first partition of the spec with a group."""
    for partition in stage.cluster.slurm.partitions:
        if group in partition.groups:
            return partition.name
    return None


# Reads every file of every whole checkpoint and compares it with the manifest.
_VERIFY = r"""python3 -B - <<'PROGRAM'
import hashlib, json, pathlib
folder = pathlib.Path("@FOLDER@")
for manifest in sorted(folder.glob("*/MANIFEST.json")):
    step, named = manifest.parent, {}
    if step.is_symlink():  # latest
        continue
    for entry in json.loads(manifest.read_text())["files"]:
        named[entry["path"]] = entry["sha256"]
    there = {
        path.relative_to(step).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in step.rglob("*")
        if path.is_file() and not path.name.startswith(".manifest.") and path != manifest
    }
    if there != named:
        different = sorted(n for n in there.keys() | named.keys() if there.get(n) != named.get(n))
        print(f"{step.name}: {len(different)} files differ, such as {different[0]}")
    state = (step / "state").read_text().strip()
    if step.name != f"step-{state}":
        print(f"{step.name} holds the state of step {state}")
PROGRAM"""

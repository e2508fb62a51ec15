"""Two nodes write shards of one checkpoint, and one of them is late.

The copy service of a node sees only its own disk. Until the last node has delivered its shards, no
complete checkpoint may appear on shared storage; then one of the nodes completes it.
"""

from __future__ import annotations

import json
import shlex

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.training import (
    Training,
    folders,
    group_of_two,
    partition_of,
)

ORDER = 125
NEEDS_COMPUTE = 2

PROMISES = {
    "waits": "while one node has not finished its shards, those of the other are copied, and no"
    " checkpoint is complete",
    "whole": "when it has finished, the checkpoint is complete, and its manifest names both nodes",
    "flushed": "the flush of each node waits for the complete checkpoint, not only for its own"
    " shards",
    "sound": "every shard on shared storage matches the manifest, and `latest` points to the"
    " checkpoint",
}

_SHARDS = 5
_WRITER = r"""
here=@LOCAL@/@RUN@/step-1
mkdir -p "$here"
for n in $(seq @SHARDS@); do
  echo "rank $SLURM_PROCID shard $n" >"$here/rank-$SLURM_PROCID-shard-$n"
done
echo 1 >"$here/state-$SLURM_PROCID"
[ "$SLURM_PROCID" = 0 ] && cp "$here/state-0" "$here/state"
while [ "$SLURM_PROCID" = 1 ] && [ ! -e @SHARED@/@RUN@.go ]; do sleep 0.2; done
echo "$SLURM_NNODES 0" >"$here/COMPLETE.new" && mv "$here/COMPLETE.new" "$here/COMPLETE"
/opt/clusterwright/bin/flush-checkpoints --run=@RUN@ --every-seconds=0.2 --timeout-seconds=90 \
  >/dev/null && test -e @SHARED@/@RUN@/step-1 && echo "flushed rank=$SLURM_PROCID whole=yes"
"""


def run(context: ScenarioContext) -> None:
    group = group_of_two(context)
    local, shared = folders(context, context.nodes("compute", group)[0])
    run = f"shards-{context.controller.must('cat /proc/sys/kernel/random/uuid').strip()[:8]}"
    script = _WRITER
    for mark, value in (("LOCAL", local), ("SHARED", shared), ("RUN", run), ("SHARDS", _SHARDS)):
        script = script.replace(f"@{mark}@", str(value))
    partition = partition_of(context, group)
    job = context.submit(
        f"srun --ntasks-per-node=1 bash -c {shlex.quote(script)}",
        nodes=2,
        options=["--exclusive", *([f"--partition={partition}"] if partition else [])],
    )
    training = Training(context, run, local, shared, job)
    try:
        _check_shards(context, training)
    finally:
        context.controller.run(f"rm -f {shared}/{run}.go")
        training.clean_up()


def _check_shards(context: ScenarioContext, training: Training) -> None:
    folder, controller = training.folder, context.controller
    partial = f"{folder}/step-1@0.partial"
    with context.promise("waits"):

        def not_delivered() -> str | None:
            ran = controller.run(f"ls -A {partial}")
            manifests = [name for name in ran.stdout.split() if name.startswith(".manifest.")]
            return None if manifests else f"{partial} is empty: {ran.output_tail}"

        training.job.wait("RUNNING", within_s=60)
        context.wait_for(not_delivered, within_s=60)
        names = controller.must(f"ls -A {partial}").split()
        shards = [name for name in names if name.startswith("rank-")]
        context.expect(
            shards == [f"rank-0-shard-{n}" for n in range(1, _SHARDS + 1)], f"shards: {shards}"
        )
        context.expect(
            not controller.run(f"test -e {folder}/step-1").ok, "the checkpoint is complete"
        )
        context.expect(not controller.run(f"test -e {folder}/latest").ok, "latest exists")

    with context.promise("whole"):
        controller.must(f"touch {training.shared}/{training.run}.go")
        seconds = training.wait_newest(1, within_s=60)
        manifest = json.loads(controller.must(f"cat {folder}/step-1/MANIFEST.json"))
        context.expect(len(set(manifest["nodes"])) == 2, f"the manifest names {manifest['nodes']}")
        count = sum("-shard-" in file["path"] for file in manifest["files"])
        context.expect(count == 2 * _SHARDS, f"{count} shards in the manifest")
        context.expect(not controller.run(f"test -e {partial}").ok, f"{partial} still exists")
        context.note(f"{count} shards of 2 nodes, {seconds:.1f} s after the last was written")

    with context.promise("flushed"):
        training.job.wait("COMPLETED", within_s=120)
        printed = sorted(line for line in training.job.output().splitlines() if "flushed" in line)
        wanted = [f"flushed rank={rank} whole=yes" for rank in (0, 1)]
        context.expect(printed == wanted, f"the job printed {printed}")

    with context.promise("sound"):
        broken = training.broken_checkpoints()
        context.expect(not broken, "; ".join(broken))
        target = controller.must(f"readlink {folder}/latest").strip()
        context.expect(target == "step-1", f"latest points to {target}")

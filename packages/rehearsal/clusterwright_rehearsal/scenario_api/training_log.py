"""A job on all compute nodes that writes the log of a training run, at a pace that is set.

Its lines are those of torchtitan (`clusterwright/job_logs/torchtitan.py` has the source of the
form), after the one with which a rendered job states its plan. It computes nothing and sends
nothing over EFA.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job

Pace = Literal["steady", "slowing", "none"]

_PROGRAM = r"""
line() { echo "[rank0]:[titan] $(date -u '+%Y-%m-%d %H:%M:%S,%3N') - root - INFO - $*"; }
echo "job $SLURM_JOB_ID: plan: flops-per-token=4.82e+10 peak-flops=9.894e+14 accelerators=@NODES@"
line "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=@NODES@, cp=1, tp=1"
line "Trainer is initialized with local batch size 4, global batch size 8, gradient accumulation" \
  "steps 1, sequence length 4096, total steps 100000 (warmup 200)"
line "Training starts at step 1"
step=0 ms=500
while true; do
  pace=$(cat @FOLDER@/pace)
  [ "$pace" = slowing ] && ms=$((ms + ms / 25))
  sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
  [ "$pace" = none ] && continue
  step=$((step + 1))
  line "step: $step  loss:  2.1000  grad_norm:  0.5402  memory: 63.36GiB(79.20%)" \
    " tps: $((16384000 / ms))  tflops: 395.10  mfu: 39.93%"
  if [ $((step % 5)) -eq 0 ]; then
    line "Saving the checkpoint (or staging if async is enabled)."
    line "Finished saving the checkpoint in 0.10 seconds."
  fi
done
"""


@dataclass(frozen=True)
class LoggedTraining:
    """The running job."""

    context: ScenarioContext
    job: Job
    folder: str

    def set_pace(self, pace: Pace) -> None:
        """`steady`, `slowing` (4 % with each step), or `none`: no step, no checkpoint."""
        self.context.controller.must(f"echo {pace} >{self.folder}/pace")

    def hide_output(self) -> None:
        """Rename the output file, so that the controller cannot read it."""
        path = f"{self.context.shared_folder}/job-*-{self.job.id}.out"
        self.context.controller.must(f"for f in {path}; do mv $f $f.hidden; done")

    def end(self) -> None:
        """Cancel the job and delete its files."""
        self.job.cancel()
        self.context.controller.run(f"rm -rf {self.folder}")


def program(folder: str, nodes: int) -> str:
    """The job's script; the pace is in the file `pace` of the folder."""
    return _PROGRAM.replace("@FOLDER@", folder).replace("@NODES@", str(nodes))


def start(context: ScenarioContext) -> LoggedTraining:
    """Submit the job and wait until it runs."""
    identity = context.controller.must("cat /proc/sys/kernel/random/uuid").strip()[:8]
    folder = f"{context.shared_folder}/log-{identity}"
    context.controller.must(f"mkdir -p {folder} && echo steady >{folder}/pace")
    job = context.submit(
        program(folder, len(context.compute)),
        nodes=len(context.compute),
        options=["--exclusive", "--no-requeue"],
    )
    job.wait("RUNNING", within_s=60)
    return LoggedTraining(context, job, folder)

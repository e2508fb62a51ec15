"""A node is lost under a running job: the job goes on elsewhere, and the node comes back.

The job writes a checkpoint to shared storage every second. Its node is killed without a word.
Slurm notices, puts the job back into the queue, and runs it on a node that is free; there it goes
on from its checkpoint. Meanwhile HyperPod (`NodeRecovery: Automatic`) replaces the instance.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import Stage

ORDER = 100
NEEDS_COMPUTE = 2
MODES = ("managed",)

PROMISES = {
    "noticed": "Slurm finds the node down",
    "requeued": "the job runs again on another node by itself",
    "resumed": "it goes on from its checkpoint, and loses no more than the steps since it",
    "replaced": "HyperPod replaces the instance by a new one with the same name and address",
    "back": "the replacement comes back into its partition by itself",
}

_STEPS = 60
_SCRIPT = f"""
state="$1"
step=$(cat "$state" 2>/dev/null || echo 0)
echo "start on $(hostname) at step $step, restart ${{SLURM_RESTART_COUNT:-0}}"
while [ "$step" -lt {_STEPS} ]; do
  step=$((step + 1))
  echo "$step" >"$state.new" && mv "$state.new" "$state"
  sleep 1
done
echo "end at step $step"
"""


def play(stage: Stage) -> None:
    if stage.cluster.resilience.node_recovery != "automatic":
        stage.cannot("the spec has node_recovery: none")
    checkpoint = f"{stage.shared_folder}/checkpoint-{stage.compute[0].instance_id}"
    script = _SCRIPT.replace("$1", checkpoint)
    job = stage.submit(script, options=["--requeue", "--exclusive"])
    job.wait("RUNNING", within_s=60)
    host = job.hosts[0]
    victim = stage.node(host)
    before = victim.instance_id
    stage.wait_for(lambda: _at_least(stage, checkpoint, 2), within_s=30)
    lost_at = _step(stage, checkpoint)
    # HyperPod looks away for a while: the replacement must not be the node that takes the job.
    stage.set_detection(3600.0)
    stage.crash(victim)
    try:
        with stage.promise("noticed"):

            def up() -> str | None:
                state = stage.slurm(f"sinfo -h -n {host} -o %T").split()[0].lower()
                return None if "down" in state else f"{host} is {state}"

            seconds = stage.wait_for(up, within_s=60)
            stage.note(f"after {seconds:.0f} s")

        with stage.promise("requeued"):

            def waiting() -> str | None:
                shown = job.show()
                if shown.get("JobState") == "RUNNING" and job.hosts and job.hosts[0] != host:
                    return None
                state, why = shown.get("JobState"), shown.get("Reason")
                return f"job {job.id} is {state} ({why}) on {job.hosts}"

            seconds = stage.wait_for(waiting, within_s=150)
            stage.note(f"after {seconds:.0f} s, on {job.hosts[0]}")
            restarts = job.show().get("Restarts")
            stage.expect(restarts == "1", f"restarts: {restarts}")

        with stage.promise("resumed"):
            stage.wait_for(lambda: _resumed(job.output()), within_s=20)
            step = int(job.output().rpartition("at step ")[2].split(",")[0])
            stage.note(f"from step {step}; {lost_at} when the node was lost")
            stage.expect(step >= lost_at, f"it began at step {step}, the checkpoint was {lost_at}")
    finally:
        stage.set_detection(0.0)

    with stage.promise("replaced"):
        seconds = stage.wait_running(victim, but=before)
        facts = stage.facts(victim.name)
        stage.set_detection(4.0)
        job.cancel()
        stage.expect(facts["address"] == victim.address, "the address has changed")
        stage.note(f"Running after {seconds:.0f} s")

    with stage.promise("back"):
        stage.settle(within_s=90)
        test = stage.submit("hostname", options=[f"--nodelist={host}"])
        test.wait("COMPLETED", within_s=60)


def _step(stage: Stage, path: str) -> int:
    return int(stage.controller.run(f"cat {path} 2>/dev/null || echo 0").stdout.strip() or 0)


def _at_least(stage: Stage, path: str, step: int) -> str | None:
    now = _step(stage, path)
    return None if now >= step else f"the checkpoint is at step {now}"


def _resumed(output: str) -> str | None:
    starts = output.count("start on ")
    return None if starts >= 2 else f"the job has started {starts} times: {output!r}"

"""A node is lost under a training job, which resumes on another node from its checkpoint.

The job writes checkpoints to the node's local disks, from which a service copies them to shared
storage. The node is terminated without a shutdown. Checkpoints that were not copied are lost; the
next attempt starts from the last complete checkpoint on shared storage, on a free node (a spare,
if there is one).
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.training import Training, group_of_two, train

ORDER = 120
NEEDS_COMPUTE = 2
MODES = ("managed",)  # scripted: Slurm waits 300 s for a lost node, as the spec says

PROMISES = {
    "drained": "finished checkpoints are copied to shared storage while the job runs",
    "requeued": "Slurm restarts the job on another node",
    "nothing-lost": "it resumes from the last complete checkpoint: no step before that is lost",
    "ends": "it completes, and every checkpoint of the run matches its manifest",
}


def run(context: ScenarioContext) -> None:
    training = train(context, group=group_of_two(context), name="resume")
    try:
        _lose_the_node(context, training)
    finally:
        training.clean_up()


def _lose_the_node(context: ScenarioContext, training: Training) -> None:
    with context.promise("drained"):
        training.job.wait("RUNNING", within_s=60)
        seconds = training.wait_newest(4, within_s=60)
        context.note(f"two checkpoints after {seconds:.0f} s")
    victim = context.node(training.job.hosts[0])
    before = victim.instance_id
    # Delay the replacement, so that it is not the node that takes the job.
    context.set_detection(3600.0)
    try:
        with context.promise("requeued"):
            context.crash(victim)
            whole = training.newest()
            made = max(training.steps("wrote"))
            seconds = training.wait_starts(2, within_s=200)
            second = training.starts()[1]
            context.expect(second["host"] != victim.host, f"it restarted on {second['host']}")
            context.note(f"after {seconds:.0f} s, on {second['host']}")

        with context.promise("nothing-lost"):
            context.expect(
                int(second["step"]) == whole,
                f"it resumed from step {second['step']}; the last complete checkpoint was {whole}",
            )
            context.note(f"from step {whole}; the newest on the lost node's disk was {made}")
    finally:
        context.set_detection(0.0)
    context.wait_running(victim, but=before)
    context.set_detection(4.0)

    with context.promise("ends"):
        training.wait_newest(whole + 4, within_s=60)
        training.stop()
        training.job.wait("COMPLETED", within_s=90)
        last = max(training.steps("wrote"))
        context.expect(
            training.newest() == last, f"latest is {training.newest()}, the last step {last}"
        )
        broken = training.broken_checkpoints()
        context.expect(not broken, "; ".join(broken))
    context.wait_idle(within_s=120)

"""A node is lost under a running job: the job continues elsewhere, and the node is replaced.

The job writes a checkpoint to shared storage every second. Its node is terminated without a
shutdown. Slurm detects it, requeues the job, and runs it on a free node, where it continues from
its checkpoint. Meanwhile HyperPod (`NodeRecovery: Automatic`) replaces the instance.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 100
SECONDS = 40
DEFAULT = True
NEEDS_COMPUTE = 2
MODES = ("managed",)

PROMISES = {
    "noticed": "Slurm marks the node as down",
    "requeued": "Slurm runs the job again on another node",
    "resumed": "it continues from its checkpoint, and loses only the steps since then",
    "replaced": "HyperPod replaces the instance with a new one that has the same name and address",
    "back": "the replacement returns to its partition",
}

_STEPS = 60


def run(context: ScenarioContext) -> None:
    if context.cluster.resilience.node_recovery != "automatic":
        context.cannot_determine("the spec has node_recovery: none")
    counting = jobs.start_counting(context, steps=_STEPS)
    job, victim = counting.job, counting.node
    host, before, address = victim.host, victim.instance_id, victim.address
    lost_at = counting.step
    # Delay the replacement, so that it is not the node that takes the job.
    context.set_detection(3600.0)
    context.crash(victim)
    try:
        with context.promise("noticed"):

            def up() -> str | None:
                state = context.slurm(f"sinfo -h -n {host} -o %T").split()[0].lower()
                return None if "down" in state else f"{host} is {state}"

            seconds = context.wait_for(up, within_s=60)
            context.note(f"after {seconds:.0f} s")

        with context.promise("requeued"):

            def waiting() -> str | None:
                shown = job.show()
                if shown.get("JobState") == "RUNNING" and job.hosts and job.hosts[0] != host:
                    return None
                state, why = shown.get("JobState"), shown.get("Reason")
                return f"job {job.id} is {state} ({why}) on {job.hosts}"

            seconds = context.wait_for(waiting, within_s=150)
            context.note(f"after {seconds:.0f} s, on {job.hosts[0]}")
            restarts = job.fields().get("Restarts")
            context.expect(restarts == "1", f"restarts: {restarts}")

        with context.promise("resumed"):
            context.wait_for(
                lambda: None if len(counting.starts) > 1 else f"its starts: {counting.starts}",
                within_s=20,
            )
            step = counting.starts[-1][1]
            context.note(f"from step {step}; {lost_at} when the node was lost")
            context.expect(
                step >= lost_at,
                f"it resumed from step {step}, but the checkpoint was at {lost_at}",
            )
    finally:
        context.set_detection(0.0)

    with context.promise("replaced"):
        seconds = context.wait_running(victim, but=before)
        facts = context.facts(victim.name)
        context.set_detection(4.0)
        job.cancel()
        context.expect(facts["address"] == address, "the address has changed")
        context.note(f"Running after {seconds:.0f} s")

    with context.promise("back"):
        context.wait_idle(within_s=90)
        jobs.expect_job(context, victim)

"""slurmctld is restarted, then the controller node rebooted, while jobs run and wait."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.outcomes import Broken

ORDER = 150
SECONDS = 15
NEEDS_COMPUTE = 2

PROMISES = {
    "daemon": "while slurmctld restarts, a running job continues and a pending one stays pending",
    "node": "both survive a reboot of the controller node",
    "back": "after the reboot slurmctld, its database and the mounts recover by themselves",
    "ends": "the running job completes without a restart, and the pending one runs after it",
    "accounted": "accounting has both jobs once, with their end times",
}

# It writes a line each second and ends when it is printed to.
_SCRIPT = """
stop="$PWD/stop-$SLURM_JOB_ID"
while [ ! -e "$stop" ]; do date +%s; sleep 1; done
rm -f "$stop"
echo "restarts ${SLURM_RESTART_COUNT:-0}"
"""


def run(context: ScenarioContext) -> None:
    node = context.compute[0]
    running = context.submit(_SCRIPT, options=jobs.options_for(context, node, "--exclusive"))
    running.wait("RUNNING", within_s=60)
    waiting = context.submit("hostname", options=[f"--dependency=afterok:{running.id}"])
    try:
        _restart(context, running, waiting)
    finally:
        running.cancel()
        waiting.cancel()


def _restart(context: ScenarioContext, running: Job, waiting: Job) -> None:
    with context.promise("daemon"):
        context.controller.must("systemctl restart slurmctld")
        context.wait_for(lambda: _not_answering(context), within_s=60)
        _same(context, running, waiting)

    with context.promise("node"):
        boot = _boot(context)
        context.reboot(context.controller)
        seconds = context.wait_for(lambda: _not_rebooted(context, boot), within_s=120)
        seconds += context.wait_for(lambda: _not_answering(context), within_s=120)
        context.note(f"slurmctld answers after {seconds:.0f} s")
        _same(context, running, waiting)
        before = len(running.output().split())
        context.wait_for(
            lambda: None if len(running.output().split()) > before + 1 else "it writes no output",
            within_s=20,
        )

    with context.promise("back"):
        context.wait_running(context.controller)
        for path in (entry.mount_path for entry in context.cluster.storage.lustre):
            kind = context.controller.must(f"findmnt -n -o FSTYPE {path}").strip()
            context.expect(kind == "lustre", f"{path} is {kind or 'not mounted'}")
        if context.cluster.slurm.accounting.kind != "none":
            context.wait_for(lambda: _no_accounting(context), within_s=60)
        run = context.controller.run_program()
        context.expect(run.exit_code == 0, f"exit code {run.exit_code}: {run.last_line}")
        applied = [step for step, status in run.statuses.items() if status == "applied"]
        context.note(f"corrected by the node program: {', '.join(applied) or 'nothing'}")

    with context.promise("ends"):
        context.controller.must(f"touch {context.shared_folder}/stop-{running.id}")
        running.wait("COMPLETED", within_s=60)
        context.expect("restarts 0" in running.output(), "it was restarted")
        waiting.wait("COMPLETED", within_s=60)

    with context.promise("accounted"):
        if context.cluster.slurm.accounting.kind == "none":
            context.cannot_determine("the spec has no accounting")
        context.wait_for(lambda: _missing(context, [running, waiting]), within_s=60)


def _same(context: ScenarioContext, running: Job, waiting: Job) -> None:
    shown, state = running.fields(), waiting.fields().get("JobState")
    context.expect(shown.get("JobState") == "RUNNING", f"the running job is {shown}")
    context.expect(shown.get("Restarts") == "0", "the running job was restarted")
    context.expect(state == "PENDING", f"the waiting job is {state}")


def _boot(context: ScenarioContext) -> str:
    return context.controller.must(
        "cat /proc/sys/kernel/random/boot_id; systemctl show -p UserspaceTimestamp"
    )


def _not_rebooted(context: ScenarioContext, boot: str) -> str | None:
    try:
        return "the controller has not rebooted" if _boot(context) == boot else None
    except Broken as error:  # while it restarts
        return str(error)


def _not_answering(context: ScenarioContext) -> str | None:
    try:
        ran = context.controller.run("scontrol ping", timeout_s=20)
    except Broken as error:
        return str(error)
    return None if ran.ok and "UP" in ran.stdout else f"slurmctld: {ran.output_tail}"


def _no_accounting(context: ScenarioContext) -> str | None:
    ran = context.controller.run("sacctmgr -n show cluster", timeout_s=20)
    return None if ran.ok and ran.stdout.strip() else f"sacctmgr: {ran.output_tail}"


def _missing(context: ScenarioContext, jobs: list[Job]) -> str | None:
    numbers = ",".join(job.id for job in jobs)
    ran = context.controller.run(f"sacct -n -X -P -D -j {numbers} -o JobID,State")
    rows = sorted(ran.stdout.split())
    wanted = sorted(f"{job.id}|COMPLETED" for job in jobs)
    return None if rows == wanted else f"sacct shows {rows}, expected {wanted}"

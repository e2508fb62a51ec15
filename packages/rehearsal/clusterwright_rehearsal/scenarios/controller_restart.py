"""slurmctld is restarted, and then the controller's node rebooted, while jobs run and wait."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import Broken, Job, Stage
from clusterwright_rehearsal.scenario_api.training import partition_of

ORDER = 150
NEEDS_COMPUTE = 2

PROMISES = {
    "daemon": "a running job goes on while slurmctld is restarted, a waiting one still waits",
    "node": "both survive a reboot of the controller's node",
    "back": "after the reboot slurmctld, its database and the mounts are back without help",
    "ends": "the job ends well, was never started anew, and the waiting one runs after it",
    "accounted": "accounting has both jobs once, with their ends",
}

# It writes a line each second and ends when it is told to.
_SCRIPT = """
stop="$PWD/stop-$SLURM_JOB_ID"
while [ ! -e "$stop" ]; do date +%s; sleep 1; done
rm -f "$stop"
echo "restarts ${SLURM_RESTART_COUNT:-0}"
"""


def play(stage: Stage) -> None:
    node = stage.compute[0]
    options = [f"--nodelist={node.host}", "--exclusive"]
    partition = partition_of(stage, node.group)
    options += [f"--partition={partition}"] if partition else []
    running = stage.submit(_SCRIPT, options=options)
    running.wait("RUNNING", within_s=60)
    waiting = stage.submit("hostname", options=[f"--dependency=afterok:{running.id}"])
    try:
        _restart(stage, running, waiting)
    finally:
        running.cancel()
        waiting.cancel()


def _restart(stage: Stage, running: Job, waiting: Job) -> None:
    with stage.promise("daemon"):
        stage.controller.must("systemctl restart slurmctld")
        stage.wait_for(lambda: _not_answering(stage), within_s=60)
        _same(stage, running, waiting)

    with stage.promise("node"):
        boot = _boot(stage)
        stage.reboot(stage.controller)
        seconds = stage.wait_for(lambda: _not_again(stage, boot), within_s=120)
        seconds += stage.wait_for(lambda: _not_answering(stage), within_s=120)
        stage.note(f"slurmctld answers after {seconds:.0f} s")
        _same(stage, running, waiting)
        before = len(running.output().split())
        stage.wait_for(
            lambda: None if len(running.output().split()) > before + 1 else "it writes nothing",
            within_s=20,
        )

    with stage.promise("back"):
        stage.wait_running(stage.controller)
        for path in (entry.mount_path for entry in stage.cluster.storage.lustre):
            kind = stage.controller.must(f"findmnt -n -o FSTYPE {path}").strip()
            stage.expect(kind == "lustre", f"{path} is {kind or 'not mounted'}")
        if stage.cluster.slurm.accounting.kind != "none":
            stage.wait_for(lambda: _no_accounting(stage), within_s=60)
        run = stage.controller.run_program()
        stage.expect(run.exit_code == 0, f"exit code {run.exit_code}: {run.last_line}")
        applied = [step for step, status in run.statuses.items() if status == "applied"]
        stage.note(f"the node program put right: {', '.join(applied) or 'nothing'}")

    with stage.promise("ends"):
        stage.controller.must(f"touch {stage.shared_folder}/stop-{running.id}")
        running.wait("COMPLETED", within_s=60)
        stage.expect("restarts 0" in running.output(), "it was started anew")
        waiting.wait("COMPLETED", within_s=60)

    with stage.promise("accounted"):
        if stage.cluster.slurm.accounting.kind == "none":
            stage.cannot("the spec has no accounting")
        stage.wait_for(lambda: _missing(stage, [running, waiting]), within_s=60)


def _same(stage: Stage, running: Job, waiting: Job) -> None:
    stage.expect(running.state == "RUNNING", f"the running job is {running.state}")
    stage.expect(running.show().get("Restarts") == "0", "the running job was started anew")
    stage.expect(waiting.state == "PENDING", f"the waiting job is {waiting.state}")


def _boot(stage: Stage) -> str:
    return stage.controller.must(
        "cat /proc/sys/kernel/random/boot_id; systemctl show -p UserspaceTimestamp"
    )


def _not_again(stage: Stage, boot: str) -> str | None:
    try:
        return "the controller has not rebooted" if _boot(stage) == boot else None
    except Broken as error:  # between the two
        return str(error)


def _not_answering(stage: Stage) -> str | None:
    try:
        ran = stage.controller.run("scontrol ping", timeout_s=20)
    except Broken as error:
        return str(error)
    return None if ran.ok and "UP" in ran.stdout else f"slurmctld: {ran.said}"


def _no_accounting(stage: Stage) -> str | None:
    ran = stage.controller.run("sacctmgr -n show cluster", timeout_s=20)
    return None if ran.ok and ran.stdout.strip() else f"sacctmgr: {ran.said}"


def _missing(stage: Stage, jobs: list[Job]) -> str | None:
    numbers = ",".join(job.id for job in jobs)
    ran = stage.controller.run(f"sacct -n -X -P -D -j {numbers} -o JobID,State")
    rows = sorted(ran.stdout.split())
    wanted = sorted(f"{job.id}|COMPLETED" for job in jobs)
    return None if rows == wanted else f"sacct says {rows}, not {wanted}"

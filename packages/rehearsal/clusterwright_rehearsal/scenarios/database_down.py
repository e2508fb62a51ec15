"""The accounting database is down while jobs run and are submitted, then it recovers.

slurmctld keeps records that slurmdbd does not accept and sends them later (Slurm's accounting
guide), so jobs start and end meanwhile, and no record may be missing afterwards.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job

ORDER = 160
SECONDS = 20

PROMISES = {
    "down": "the database is down: sacct does not answer",
    "runs-on": "a job that was running continues and completes",
    "starts": "a job submitted meanwhile starts and completes",
    "survives": "slurmctld can be restarted meanwhile, and still takes jobs",
    "arrives": "when the database is back, the records of all jobs are in accounting",
    "healthy": "the node program then reports the controller as healthy",
}


def run(context: ScenarioContext) -> None:
    kind = context.cluster.slurm.accounting.kind
    if kind == "none":
        context.skip("the spec has no accounting")
    long = context.submit("sleep 12")
    jobs = [long]
    try:
        long.wait("RUNNING", within_s=60)
        with context.promise("down"):
            _switch(context, kind, up=False)
            ran = context.controller.run("timeout 20 sacct -n -X", timeout_s=30)
            context.expect(not ran.ok, f"sacct still answers: {ran.stdout!r}")

        with context.promise("runs-on"):
            long.wait("COMPLETED", within_s=60)

        with context.promise("starts"):
            jobs.append(context.submit("srun hostname"))
            jobs[-1].wait("COMPLETED", within_s=60)

        with context.promise("survives"):
            context.controller.must("systemctl restart slurmctld")
            context.wait_for(lambda: _not_answering(context), within_s=60)
            jobs.append(context.submit("srun hostname"))
            jobs[-1].wait("COMPLETED", within_s=60)
    finally:
        _switch(context, kind, up=True)

    with context.promise("arrives"):
        seconds = context.wait_for(lambda: _missing(context, jobs), within_s=90)
        context.note(f"{len(jobs)} jobs, after {seconds:.0f} s")

    with context.promise("healthy"):
        run = context.controller.run_program()
        context.expect(run.exit_code == 0, f"exit code {run.exit_code}: {run.last_line}")


def _switch(context: ScenarioContext, kind: str, *, up: bool) -> None:
    """Start or stop MariaDB and slurmdbd on the controller, or the RDS database."""
    if kind == "rds":
        context.worker.ask("databases", up=up)
    elif up:
        context.controller.must("systemctl start mariadb slurmdbd")
    else:
        context.controller.must("systemctl stop slurmdbd mariadb")


def _not_answering(context: ScenarioContext) -> str | None:
    ran = context.controller.run("scontrol ping", timeout_s=20)
    return None if ran.ok and "UP" in ran.stdout else f"slurmctld: {ran.output_tail}"


def _missing(context: ScenarioContext, jobs: list[Job]) -> str | None:
    numbers = ",".join(job.id for job in jobs)
    ran = context.controller.run(
        f"timeout 20 sacct -n -X -P -j {numbers} -o JobID,State,Start,End"
    )
    rows = {line.split("|")[0]: line.split("|")[1:] for line in ran.stdout.split()}
    for job in jobs:
        row = rows.get(job.id)
        if row is None or row[0] != "COMPLETED" or "Unknown" in row or "None" in row:
            return f"sacct of job {job.id}: {row}"
    return None

"""The accounting database goes down while jobs run and come, and is back later.

slurmctld keeps the records that slurmdbd does not take and sends them later (Slurm's accounting
guide), so jobs start and end meanwhile, and nothing may be missing from accounting afterwards.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import Job, Stage

ORDER = 160

PROMISES = {
    "down": "the database is down: sacct does not answer",
    "runs-on": "a job that ran before goes on and ends well",
    "starts": "a job that comes meanwhile starts and ends well",
    "survives": "slurmctld can be restarted meanwhile, and still takes jobs",
    "arrives": "the records of all of them are in accounting when the database is back",
    "healthy": "the node program then finds the controller healthy",
}


def play(stage: Stage) -> None:
    kind = stage.cluster.slurm.accounting.kind
    if kind == "none":
        stage.not_for_this("the spec has no accounting")
    long = stage.submit("sleep 12")
    jobs = [long]
    try:
        long.wait("RUNNING", within_s=60)
        with stage.promise("down"):
            _switch(stage, kind, up=False)
            ran = stage.controller.run("timeout 20 sacct -n -X", timeout_s=30)
            stage.expect(not ran.ok, f"sacct still answers: {ran.stdout!r}")

        with stage.promise("runs-on"):
            long.wait("COMPLETED", within_s=60)

        with stage.promise("starts"):
            jobs.append(stage.submit("srun hostname"))
            jobs[-1].wait("COMPLETED", within_s=60)

        with stage.promise("survives"):
            stage.controller.must("systemctl restart slurmctld")
            stage.wait_for(lambda: _not_answering(stage), within_s=60)
            jobs.append(stage.submit("srun hostname"))
            jobs[-1].wait("COMPLETED", within_s=60)
    finally:
        _switch(stage, kind, up=True)

    with stage.promise("arrives"):
        seconds = stage.wait_for(lambda: _missing(stage, jobs), within_s=90)
        stage.note(f"{len(jobs)} jobs, after {seconds:.0f} s")

    with stage.promise("healthy"):
        run = stage.controller.run_program()
        stage.expect(run.exit_code == 0, f"exit code {run.exit_code}: {run.last_line}")


def _switch(stage: Stage, kind: str, *, up: bool) -> None:
    """MariaDB and slurmdbd on the controller; or the database in RDS, and slurmdbd runs on."""
    if kind == "rds":
        stage.engine.ask("databases", up=up)
    elif up:
        stage.controller.must("systemctl start mariadb slurmdbd")
    else:
        stage.controller.must("systemctl stop slurmdbd mariadb")


def _not_answering(stage: Stage) -> str | None:
    ran = stage.controller.run("scontrol ping", timeout_s=20)
    return None if ran.ok and "UP" in ran.stdout else f"slurmctld: {ran.said}"


def _missing(stage: Stage, jobs: list[Job]) -> str | None:
    numbers = ",".join(job.id for job in jobs)
    ran = stage.controller.run(f"timeout 20 sacct -n -X -P -j {numbers} -o JobID,State,Start,End")
    rows = {line.split("|")[0]: line.split("|")[1:] for line in ran.stdout.split()}
    for job in jobs:
        row = rows.get(job.id)
        if row is None or row[0] != "COMPLETED" or "Unknown" in row or "None" in row:
            return f"sacct of job {job.id}: {row}"
    return None

"""Steps get the variables that the batch script exports."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_RESETS = ("SLURM_EXPORT_ENV", "SRUN_EXPORT_ENV")
_SHOWN = 3


class ExportedEnvironment(JobRule):
    id = "CW-J066"
    severity = "warning"
    prevents = "programs without PATH or the settings of the script, such as NCCL's"
    source = (
        "sbatch(1), --export: steps inherit it by SLURM_EXPORT_ENV; SchedMD/slurm, "
        "src/sbatch/opt.c; jupyterhub/batchspawner#93"
    )

    def check(self, job: Job) -> Results:
        option = job.file.option("export")
        steps = [s for s in job.file.steps if s.runner == "srun" and "export" not in s.options]
        if option is None or not steps or any(job.file.variable(name) for name in _RESETS):
            return
        unset = [word.text for c in job.file.commands if c.name == "unset" for word in c.words]
        if not set(unset).isdisjoint(_RESETS):
            return
        stated = {part.partition("=")[0] for part in option.value.split(",")}
        if "ALL" in {name.upper() for name in stated}:
            return
        lost = sorted(
            {
                one.name
                for one in job.file.script.assignments
                if one.exported and not one.for_one and one.name not in stated
            }
            - {"PATH"}
        )
        what = ", ".join(["PATH"] * ("PATH" not in stated) + lost[:_SHOWN])
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        yield Fail(
            message=f"--export={option.value} holds for steps too: they do not get {what}{more} "
            "from the script",
            at=option,
            hint="export SLURM_EXPORT_ENV=ALL in the script, or srun --export=ALL",
        )

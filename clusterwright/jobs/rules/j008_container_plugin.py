"""Jobs use containers only where the nodes have Pyxis."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_PREFIXES = ("container-", "no-container-")


class ContainerPlugin(JobRule):
    id = "CW-J008"
    severity = "warning"
    prevents = "srun: unrecognized option '--container-image', on nodes without Pyxis"
    source = (
        "Pyxis's README: the options exist where plugstack.conf loads the plug-in; "
        "NVIDIA/NeMo-Framework-Launcher#73; slurm.containers of the spec"
    )

    def check(self, job: Job) -> Results:
        if job.cluster.slurm.containers.pyxis:
            return
        own = list(job.file.all_options)
        options = [*own, *(o for step in job.file.steps for o in step.options.values())]
        used = [option for option in options if option.name.startswith(_PREFIXES)]
        for option in used[:1]:
            yield Fail(
                message=f"--{option.name} is an option of Pyxis, which the spec does not install",
                at=option,
                hint="slurm: {containers: {pyxis: true}}",
            )

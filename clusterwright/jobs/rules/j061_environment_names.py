"""Variables of the environment have the names that programs read."""

from __future__ import annotations

from clusterwright.jobs.environment_names import misspelt
from clusterwright.jobs.rule import Job, JobRule, Results


class EnvironmentNames(JobRule):
    id = "CW-J061"
    severity = "warning"
    prevents = "a setting that no program reads, because its name is misspelt"
    source = (
        "names in NCCL's, aws-ofi-nccl's, libfabric's and PyTorch's sources, and in the "
        "documentation of CUDA and of Neuron's runtime: clusterwright/jobs/environment_names.json"
    )

    def check(self, job: Job) -> Results:
        variables = ((one.name, one) for one in job.file.environment)
        yield from misspelt(variables, job.file.text, r"\$\{?")

"""Variables of the environment have the names that programs read."""

from __future__ import annotations

import re

from clusterwright.jobs.environment_names import meant
from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class EnvironmentNames(JobRule):
    id = "CW-J061"
    severity = "warning"
    prevents = "a setting that no program reads, because its name is misspelt"
    source = (
        "names in NCCL's, aws-ofi-nccl's, libfabric's and PyTorch's sources, and in the "
        "documentation of CUDA and of Neuron's runtime: clusterwright/jobs/environment_names.json"
    )

    def check(self, job: Job) -> Results:
        seen = set()
        for assignment in job.file.environment:
            name = assignment.name
            if name in seen or re.search(r"\$\{?" + name + r"\b", job.file.text):
                continue  # The script itself reads it.
            seen.add(name)
            other = meant(name)
            if other is not None:
                yield Fail(
                    message=f"no program is known to read {name}",
                    at=assignment,
                    hint=f"did you mean `{other}`?",
                )

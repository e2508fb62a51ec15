"""Batch scripts set up conda before they activate an environment."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_SET_UP = re.compile(
    r"conda\.sh|(?:conda|mamba|micromamba)\s+shell|shell\.bash\s+hook|\.bash(?:rc|_profile)"
    r"|\.profile|activate-conda|module\s+load|/bin/activate"
)
_LOGIN = re.compile(r"^#!.*\bbash\b.*\s-\w*[li]")


class CondaSetUp(JobRule):
    id = "CW-J026"
    severity = "warning"
    prevents = "CommandNotFoundError: Your shell has not been properly configured to use 'conda'"
    source = (
        "conda documentation, conda init: `conda activate` is a shell function; bash(1): a script "
        "is no interactive shell, and reads no ~/.bashrc"
    )

    def check(self, job: Job) -> Results:
        if _LOGIN.match(job.file.lines[0]):
            return
        for command in job.file.commands:
            words = [word.text for word in command.words[:2]]
            if command.name not in ("conda", "mamba") or words[1:] != ["activate"]:
                continue
            before = "\n".join(job.file.lines[: command.words[0].line - 1])
            if _SET_UP.search(before):
                return
            yield Fail(
                message=f"`{command.name} activate` needs a shell function that the script does "
                "not define",
                at=command,
                hint='eval "$(conda shell.bash hook)", or source .../etc/profile.d/conda.sh',
            )
            return

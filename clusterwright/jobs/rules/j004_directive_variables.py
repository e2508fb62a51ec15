"""Options in #SBATCH lines contain no variables."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_VARIABLE = re.compile(r"\$[A-Za-z_{(]|`")
_HOME = re.compile(r"~[\w.-]*(?:/|$)")
_PATHS = frozenset({"output", "error", "input", "chdir"})
_TEMPLATE = re.compile(r"\{\{.*\}\}|\{%")
_TEXT = frozenset({"comment", "output", "error", "job-name", "export", "wrap", "input"})


class DirectiveVariables(JobRule):
    id = "CW-J004"
    severity = "error"
    prevents = (
        'a refused submission ("$N" is not a valid node count), or a folder named `$HOME` or `~`'
    )
    source = "sbatch(1): shell-specific syntax in #SBATCH lines is read as literal text"

    def check(self, job: Job) -> Results:
        for option in job.file.all_options:
            home = option.name in _PATHS and _HOME.match(option.value)
            if _TEMPLATE.search(option.value) or not (home or _VARIABLE.search(option.value)):
                continue
            paths = bool(home) or option.name in _TEXT
            yield Fail(
                message=f"--{option.name}: Slurm does not expand {option.value}",
                at=option,
                severity="warning" if paths else None,
                hint="write the whole path"
                if home
                else "use Slurm's own patterns, such as %x, %j and %u"
                if paths
                else f"write the value, or give it at submission: sbatch --{option.name}=...",
            )

"""Options in #SBATCH lines are options of sbatch."""

from __future__ import annotations

from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.jobs.options import SBATCH, SRUN, Mistake
from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_AUTO_RESUME = "--auto-resume"
_SRUN_ONLY = SRUN.long.keys() - SBATCH.long.keys()


class KnownOptions(JobRule):
    id = "CW-J002"
    severity = "error"
    prevents = "a submission that sbatch refuses: unrecognized option"
    source = "sbatch --help of Slurm 24.11.5, and Pyxis's README for --container-* options"

    def check(self, job: Job) -> Results:
        for mistake in job.file.mistakes:
            if mistake.text.startswith(_AUTO_RESUME):
                continue  # CW-J032
            yield Fail(message=_message(mistake), at=mistake.word, hint=_hint(mistake))


def _message(mistake: Mistake) -> str:
    if mistake.kind == "unknown":
        return f"sbatch has no option {mistake.text}"
    if mistake.kind == "ambiguous":
        names = ", ".join(f"--{name}" for name in sorted(mistake.candidates)[:6])
        return f"{mistake.text} is short for several options: {names}"
    if mistake.kind == "argument":
        return mistake.text
    return f"`{mistake.text[:40]}` is not an option"


def _hint(mistake: Mistake) -> str | None:
    name = mistake.text.removeprefix("--")
    if mistake.kind == "unknown" and name in _SRUN_ONLY:
        return f"{mistake.text} is an option of srun"
    if mistake.kind == "unknown" and len(name) > 1:
        near = did_you_mean(name, SBATCH.long)
        return near.replace("`", "`--", 1) if near else None
    if mistake.kind == "stray":
        return "a comment on an #SBATCH line begins with `#`; a value with spaces needs quotes"
    return None

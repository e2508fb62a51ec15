"""The log of a job that is requeued is appended to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clusterwright.jobs.job import is_training
from clusterwright.jobs.rule import Fail, Job, JobRule, Results
from clusterwright.jobs.shell import Command, Redirection

_RUNNERS = frozenset({"srun", "mpirun", "mpiexec", "bash", "sh"})
_LOG = re.compile(r"(?i)(?:log|out|err|stdout|stderr)(?:[._-][^/]*)?$|/logs?/")
_DATA = re.compile(r"\.(?:ya?ml|json|csv|toml|sh|py|cfg|conf|hosts?)$")
"""Files that a job writes anew on purpose."""
_VARIABLE = re.compile(r"\$\{?(\w+)")
_STABLE = frozenset({"HOME", "USER", "HOSTNAME", "PWD", "RANK", "NODE_RANK", "LOCAL_RANK"})
"""Variables that have the same value after a requeue, beside Slurm's."""
_APPEND = re.compile(r"--append|-[ip]*a[aip]*")


class OpenMode(JobRule):
    id = "CW-J030"
    severity = "warning"
    prevents = "a log that begins again at each requeue: the cause of the failure is gone"
    source = (
        "sbatch(1), --open-mode; slurm.conf(5), JobFileAppend=0 is the default: truncate, and "
        "JobRequeue=1: requeue"
    )

    def check(self, job: Job) -> Results:
        requeue = job.file.option("requeue", "no-requeue")
        if requeue is not None and requeue.name == "no-requeue":
            return
        mode = job.file.option("open-mode")
        # Without an option Slurm requeues a batch job when a node fails (JobRequeue=1).
        lasts = job.trains and job.long and job.file.many_nodes
        if mode is None:
            if requeue is None and not lasts:
                return
            yield Fail(
                message="the job is requeued, and its log is then overwritten",
                at=requeue or job.file.option("nodes"),
                hint="add `#SBATCH --open-mode=append`",
            )
        elif not mode.value.lower().startswith("a"):
            yield Fail(
                message=f"--open-mode={mode.value}: the log is overwritten at each requeue",
                at=mode,
                hint="--open-mode=append",
            )
        if not job.trains or (requeue is None and not lasts):
            return
        for command in job.file.commands:
            if _tee_truncates(command):
                yield Fail(
                    message="the job is requeued, and tee then overwrites the log",
                    at=command.words[0],
                    hint="tee --append",
                )
        for output in _truncating(job):
            yield Fail(
                message=f"the job is requeued, and `{output.sign}` then overwrites "
                f"{output.target.text}",
                at=output.target,
                hint=f"`{output.sign.replace('>&', '&>').replace('>|', '>').replace('>', '>>')}` "
                "appends",
            )


def _tee_truncates(command: Command) -> bool:
    """Whether it is a tee that does not append to a file whose name stays the same."""
    name, *rest = (word.text for word in command.words)
    files = [text for text in rest if not text.startswith(("-", "/dev/"))]
    appends = any(_APPEND.fullmatch(text) for text in rest)
    restarts = any("SLURM_RESTART_COUNT" in text for text in files)
    return name.rpartition("/")[2] == "tee" and bool(files) and not appends and not restarts


def _truncating(job: Job) -> Iterator[Redirection]:
    """Redirections of a log: of the training, of the script itself, of a group of commands."""
    for command in job.file.commands:
        trains = is_training(command.words)
        runs = command.name in _RUNNERS or [word.text for word in command.words] == ["exec"]
        for output in command.outputs:
            name = output.target.text
            if trains or (runs and _LOG.search(name)):
                yield from _judged(output)
    for output in job.file.script.outputs:
        if _LOG.search(output.target.text):
            yield from _judged(output)


def _judged(output: Redirection) -> Iterator[Redirection]:
    name = output.target.text
    if not output.truncates or name.startswith(("/dev/", "&")) or _DATA.search(name):
        return
    if name.isdigit() or name == "-":  # another descriptor
        return
    variables = _VARIABLE.findall(name)
    if "$(" in name or "`" in name or "SLURM_RESTART_COUNT" in name:
        return
    if all(one.startswith("SLURM_") or one in _STABLE for one in variables):
        yield output

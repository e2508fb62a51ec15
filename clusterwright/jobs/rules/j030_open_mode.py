"""The log of a job that is requeued is appended to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clusterwright.jobs.job import is_training
from clusterwright.jobs.options import SRUN, read_options
from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Word
from clusterwright.jobs.shell import Command, Redirection

_RUNNERS = frozenset({"srun", "mpirun", "mpiexec", "bash", "sh"})
_SCRIPT = re.compile(r"(?:^|/)[\w.-]*(?:train|finetun|fine_tun)[\w.-]*\.(?:sh|bash)$")
_TRAIN = re.compile(r"(?:^|/)train[\w-]*$")
"""A program, or a function of the script."""
_PYTHON = re.compile(r"(?:^|/)python[\d.]*$")
_LOG = re.compile(r"(?i)(?:^|[/._-])(?:log|out|err|stdout|stderr)(?:[._-][^/]*)?$|(?:^|/)logs?/")
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
    """Redirections of a log: of the training, of the script itself, of a group with a training."""
    for command in job.file.commands:
        trains = is_training(_program(command))
        runs = _may_train(command) or [word.text for word in command.words] == ["exec"]
        for output in command.outputs:
            name = output.target.text
            if trains or (runs and _LOG.search(name)):
                yield from _judged(output)
    for group in job.file.script.outputs:
        runs = group.commands is None or any(_may_train(inner) for inner in group.commands)
        if runs and _LOG.search(group.output.target.text):
            yield from _judged(group.output)


def _program(command: Command) -> Sequence[Word]:
    """The words of a command, of srun without its options."""
    return read_options(command.words[1:], SRUN)[2] if command.name == "srun" else command.words


def _may_train(command: Command) -> bool:
    """Whether a command is a training, or starts a script that may be one.

    That is a program, a function or a shell script with the name of a training; under srun,
    mpirun or a shell also a program of Python.
    """
    words = _program(command)
    if is_training(words):
        return True
    texts = [part for word in words for part in word.text.split()[:400]]
    if not texts or command.name not in _RUNNERS:
        return bool(texts) and bool(_SCRIPT.search(texts[0]) or _TRAIN.search(texts[0]))
    if _TRAIN.search(texts[0]) or any(_SCRIPT.search(text) for text in texts):
        return True
    python = next((at for at, text in enumerate(texts) if _PYTHON.search(text)), len(texts))
    return any(text.endswith(".py") for text in texts[python:])


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

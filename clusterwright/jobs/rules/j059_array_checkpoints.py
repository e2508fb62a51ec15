"""Each task of an array has its own checkpoints."""

from __future__ import annotations

import re
from collections.abc import Set

from clusterwright.jobs import array_task, values
from clusterwright.jobs.job import is_training
from clusterwright.jobs.lexer import lex
from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step
from clusterwright.jobs.rules.j040_checkpoints import output_arguments

_NOT_TRAINING = re.compile(
    r"(?:^|[/_.])(?:\w*eval\w*|infer\w*|generat\w*|score\w*|predict\w*|embed\w*|convert\w*)"
    r"(?:\.py)?$"
)
_PREFIX = r"(?:[\w.+-]*[-._])?"
_RUN_NAME = re.compile(
    _PREFIX + r"(?:name|id|version|run|experiment|exp|suffix|tag)", re.IGNORECASE
)
_OF_NO_RUN = re.compile(
    _PREFIX + r"(?:rdzv[-_]\w+|port|addr|rank|(?:tensorboard|log|logging|cache)[-_](?:dir|path)"
    r"|lr|learning[-_]rate|weight[-_]decay|dropout)",
    re.IGNORECASE,
)
"""Arguments that name no run: of the launcher, of logs, of the optimizer."""
_OF_NO_PROGRAM = re.compile(
    r"(?:NCCL|FI|OMP|CUDA|TORCH|TRITON)_\w+|(?:\w+_)?(?:PORT|ADDR|TMPDIR|TMP|TEMP"
    r"|CACHE(?:_(?:DIR|HOME|PATH))?|LOG(?:_(?:DIR|FILE|PATH))?)"
)
"""Exported variables that name no run."""
_LONGEST_NAME = 200
_OF_TASK = frozenset({array_task.TASK, "SLURM_JOB_ID", "SLURM_JOBID"})
"""What differs between tasks: each one is a job."""


class ArrayCheckpoints(JobRule):
    id = "CW-J059"
    severity = "warning"
    prevents = "tasks that overwrite each other's checkpoints, or resume from them"
    source = (
        "sbatch(1), --array: the tasks run the same script, at the same time without %1; "
        "--dependency=singleton"
    )

    def check(self, job: Job) -> Results:
        if not _at_once(job) or any("$" in source for source in job.container_mounts.values()):
            return
        tokens = lex(job.file.text).tokens
        names = array_task.dependents(tokens, job.file.script, _OF_TASK)
        tested = array_task.tested(tokens, names)
        if array_task.compared(tokens, job.file.script, names - _OF_TASK | {array_task.TASK}):
            names |= {one.name for one in job.file.script.assignments if not one.certain}
        if _has_settings(job, names):
            return
        for step in job.file.steps:
            if not step.command.certain or not _trains(step, names):
                continue
            line = step.word.line
            if any(one[0].line <= line <= one[-1].line for one in tested):
                continue
            for program in step.programs:
                for place, path in output_arguments(program.words, program.folder):
                    if place.dynamic or not path.startswith("/"):
                        continue
                    yield Fail(
                        message=f"all tasks of the array write their checkpoints to {path}",
                        at=place,
                        hint=f"{path.rstrip('/')}/$SLURM_ARRAY_TASK_ID",
                    )
                    return


def _at_once(job: Job) -> bool:
    """Whether the job has several tasks, which do not run one after another."""
    array = job.file.value("array") or ""
    # A `singleton` waits for those of its name, which all tasks have.
    alone = "singleton" in (job.file.value("dependency") or "").split(",")
    return (values.array_tasks(array) or 0) > 1 and values.array_at_once(array) != 1 and not alone


def _has_settings(job: Job, names: Set[str]) -> bool:
    """Whether exported variables or a sourced file may give each task a run of its own."""
    for one in job.file.environment:
        used = {one.name, *array_task.names_in(one.value.text)}
        if used & names and not _OF_NO_PROGRAM.fullmatch(one.name):
            return True
    return any(
        command.name in (".", "source", "eval") and array_task.names_in(word.text) & names
        for command in job.file.script.commands
        for word in command.words[1:]
    )


def _trains(step: Step, names: Set[str]) -> bool:
    """Whether a step trains, and no argument tells the tasks apart."""
    words = step.arguments
    if not is_training(words) or any(_NOT_TRAINING.search(word.text) for word in words):
        return False
    texts = ["", *(word.text for word in words)]
    for before, word in zip(texts, words, strict=False):
        if not word.dynamic:
            continue
        name, equals, _ = word.text.partition("=")
        option = (name if equals else before)[:_LONGEST_NAME]
        if _OF_NO_RUN.fullmatch(option):
            continue
        if _RUN_NAME.fullmatch(option) or array_task.names_in(word.text) & names:
            return False
    return True

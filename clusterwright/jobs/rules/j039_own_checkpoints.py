"""A run that is requeued goes on from its own checkpoints."""

from __future__ import annotations

import re
from posixpath import normpath

from clusterwright.jobs.job import argument, hides_arguments
from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step
from clusterwright.jobs.rules.j052_layout import program_words

_SAVED = ("--save", "--save-dir", "--save_dir", "--output-dir", "--output_dir", "--checkpoint-dir")
_PROGRAM = re.compile(r"(?:^|/)pretrain_\w+\.py$")


class OwnCheckpoints(JobRule):
    id = "CW-J039"
    severity = "warning"
    prevents = "a run that begins again after each failed node, and never ends"
    source = (
        "the package megatron-core 0.19.2, training/checkpointing.py: load_checkpoint reads "
        "--load, or --pretrained-checkpoint where that has none; --finetune starts at step 0; "
        "sbatch(1): a requeued script begins again, with SLURM_RESTART_COUNT"
    )

    def check(self, job: Job) -> Results:
        if job.file.option("requeue") is None:
            return
        yield from _deleted(job)
        for step in job.file.steps:
            words = program_words(step)
            save, load = argument(words, "--save"), argument(words, "--load")
            if save is None or argument(words, "--num-layers") is None or not _trains(step):
                continue
            if hides_arguments(job, words):
                continue  # It may state what to load.
            flags = {word.text: word for word in words}
            if load is None:
                yield Fail(
                    message=f"the job is requeued, and loads no checkpoint from {save.text}",
                    at=save,
                    hint=f"--load {save.text}",
                )
            elif normpath(load.text) != normpath(save.text):
                if load.dynamic or save.dynamic or "--pretrained-checkpoint" in flags:
                    continue
                yield Fail(
                    message=f"the job is requeued, and loads {load.text}, not what it wrote to "
                    f"{save.text}",
                    at=load,
                    hint=f"--load {save.text} --pretrained-checkpoint {load.text}",
                )
            elif "--finetune" in flags:
                yield Fail(
                    message="the job is requeued, and --finetune begins at step 0 each time",
                    at=flags["--finetune"],
                    hint="--pretrained-checkpoint with the first weights, without --finetune",
                )


def _deleted(job: Job) -> Results:
    """Checkpoints that the script deletes before its first step."""
    saved = {
        normpath(word.text)
        for step in job.file.steps
        for word in [argument(program_words(step), *_SAVED)]
        if word is not None and word.text.startswith("/")
    }
    first = min((step.word.line for step in job.file.steps), default=0)
    for command in job.file.script.commands:
        always = command.certain and command.after not in ("&&", "||")
        if command.name != "rm" or not always or command.words[0].line >= first:
            continue
        flags = "".join(w.text for w in command.words[1:] if w.text.startswith("-"))
        for word in command.words[1:]:
            path = normpath(word.text.rstrip("*"))
            if "r" in flags.lower() and (path in saved or any(_above(path, s) for s in saved)):
                yield Fail(
                    message="the job is requeued, and deletes the checkpoints in "
                    f"{word.text} when it starts again",
                    at=word,
                    hint='only at the first start: [ "${SLURM_RESTART_COUNT:-0}" = 0 ] && rm ...',
                )


def _above(path: str, below: str) -> bool:
    return path.startswith("/") and below.startswith(path.rstrip("/") + "/")


def _trains(step: Step) -> bool:
    """Whether the step trains: tools that convert checkpoints have the same options."""
    return step.launcher is not None or any(_PROGRAM.search(w.text) for w in step.arguments)

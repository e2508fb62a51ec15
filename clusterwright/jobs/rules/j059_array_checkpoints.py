"""Each task of an array has its own checkpoints."""

from __future__ import annotations

import re

from clusterwright.jobs import values
from clusterwright.jobs.job import is_training
from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step
from clusterwright.jobs.rules.j040_checkpoints import output_arguments

_NOT_TRAINING = re.compile(
    r"(?:^|[/_.])(?:\w*eval\w*|infer\w*|generat\w*|score\w*|predict\w*|embed\w*|convert\w*)"
    r"(?:\.py)?$"
)
_RUN_NAME = re.compile(r"-*(?:\w+[._])*(?:name|id|version|run|experiment|exp|suffix|tag)")


class ArrayCheckpoints(JobRule):
    id = "CW-J059"
    severity = "warning"
    prevents = "tasks that overwrite each other's checkpoints, or resume from them"
    source = "sbatch(1), --array: the tasks run the same script, at the same time without %1"

    def check(self, job: Job) -> Results:
        array = job.file.option("array")
        if array is None or (values.array_tasks(array.value) or 0) < 2:
            return
        if array.value.partition("%")[2] == "1":
            return  # One after another: a run in several jobs.
        if any("$" in source for source in job.container_mounts.values()):
            return
        for step in job.file.steps:
            if not step.command.certain or not _trains(step):
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


def _trains(step: Step) -> bool:
    """Whether a step trains, and no name of a run tells the tasks apart."""
    words = step.arguments
    if not is_training(words) or any(_NOT_TRAINING.search(word.text) for word in words):
        return False
    texts = [word.text for word in words]
    for index, word in enumerate(words):
        name, equals, _ = word.text.partition("=")
        before = texts[index - 1] if index else ""
        if word.dynamic and _RUN_NAME.fullmatch(name if equals else before):
            return False
    return True

"""Steps that wait for each other run at the same time."""

from __future__ import annotations

from clusterwright.jobs.rule import Command, Fail, Job, JobRule, Results, Step


class StepsAtOnce(JobRule):
    id = "CW-J055"
    severity = "warning"
    prevents = "a first step that waits for the next ones, which start when it has ended"
    source = (
        "srun(1): it returns when the step has ended; huggingface/accelerate#2265; Ray "
        "documentation, ray start: --block"
    )

    def check(self, job: Job) -> Results:
        yield from _blocking(job)
        before: Step | None = None
        for step in job.file.steps:
            launcher = step.launcher
            if step.runner != "srun" or launcher is None or not _placed(step):
                before = None
                continue
            if (
                before is not None
                and step.command.certain
                and _same(before, step)
                and _waits(before, step)
            ):
                yield Fail(
                    message=f"{launcher.name} starts here when the step of line "
                    f"{before.word.line} has ended; if they are one training, that one waits for "
                    "this one",
                    at=step,
                    hint="one step for all nodes: srun --ntasks-per-node=1 ..., or `&` after each "
                    "and `wait` after the last",
                )
                return
            before = step


def _blocking(job: Job) -> Results:
    """`ray start --block` ends with Ray: what follows does not start."""
    steps = [step for step in job.file.steps if step.runner == "srun"]
    for step in steps[:-1]:
        if not step.command.certain:
            continue  # The next step may be of another branch.
        if step.command.background or not any(_blocks(one) for one in step.programs):
            continue
        yield Fail(
            message="`ray start --block` ends when Ray does: the steps after it do not start",
            at=step,
            hint="`&` after this step",
        )
        return


def _blocks(program: Command) -> bool:
    """Whether a program is `ray start --block`, in the foreground."""
    texts = [word.text for word in program.words]
    return texts[:2] == ["ray", "start"] and "--block" in texts and program.before != "&"


def _placed(step: Step) -> bool:
    """Whether the step says where it runs, and may wait for others."""
    launcher = step.launcher
    if launcher is None or not step.places:
        return False
    if launcher.nodes is None:
        return "config-file" in launcher.options or launcher.nodes_word is not None
    return launcher.nodes > 1


def _waits(before: Step, step: Step) -> bool:
    """Whether the script, or the list in the background with both, waits for the first."""
    return before.command.background in (0, step.command.background)


def _same(one: Step, other: Step) -> bool:
    """Whether two steps run the same program at different places."""

    def program(step: Step) -> list[str]:
        return [word.text for word in step.launcher.script[:1]] if step.launcher else []

    return program(one) == program(other) and one.places != other.places

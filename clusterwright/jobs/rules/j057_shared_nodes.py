"""Steps at the same time on the same node share it."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step

_SHARES = ("overlap", "exact", "cpus-per-task", "cpus-per-gpu", "exclusive")


class SharedNodes(JobRule):
    id = "CW-J057"
    severity = "warning"
    prevents = "a step that waits for ever: step creation temporarily disabled, retrying"
    source = (
        "srun(1): without --exact a step has all CPUs of its nodes, and without --overlap no "
        "other has them meanwhile"
    )

    def check(self, job: Job) -> Results:
        steps = [step for step in job.file.steps if step.runner == "srun"]
        waits = [c.words[0].line for c in job.file.commands if c.name in ("wait", "kill")]
        for index, before in enumerate(steps):
            if not before.command.background or not before.command.certain:
                continue
            if any(name in before.options for name in _SHARES):
                continue
            for step in steps[index + 1 :]:
                between = any(before.word.line <= line <= step.word.line for line in waits)
                if between or not _same_node(before, step):
                    continue
                yield Fail(
                    message=f"the step of line {before.word.line} has all CPUs of its node: this "
                    "one waits until that ends",
                    at=step,
                    hint="srun --overlap",
                )
                return


def _same_node(before: Step, step: Step) -> bool:
    """Whether a later step needs a node that the earlier one has, and does not share it."""
    if any(name in step.options for name in _SHARES) or "relative" in step.options:
        return False
    one, other = before.options.get("nodelist"), step.options.get("nodelist")
    if one is not None and other is not None:
        return one.value == other.value and step.command.certain
    return other is None and "nodes" not in step.options and "ntasks" not in step.options

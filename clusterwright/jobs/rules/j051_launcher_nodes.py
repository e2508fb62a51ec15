"""The launcher runs on every node that it waits for."""

from __future__ import annotations

import re
from collections import Counter

from clusterwright.jobs.rule import Fail, Job, JobRule, Launcher, Results, Step

_NODES = re.compile(r"\+{0,2}(?:--)?trainer\.(num_nodes|nnodes)=(\d+)")
_REMOTE = ("ssh", "pdsh", "clush", "parallel-ssh", "pssh", "parallel", "mpirun", "xargs")


class LauncherNodes(JobRule):
    id = "CW-J051"
    severity = "error"
    prevents = "a job that waits at the rendezvous until its timeout, or leaves nodes idle"
    source = (
        "PyTorch documentation, torchrun, multinode; sbatch(1): the script runs on one node; "
        "Lightning, SLURMEnvironment.validate_settings; verl, trainer.nnodes of its configuration"
    )

    def check(self, job: Job) -> Results:
        nodes = job.nodes
        if nodes is None:
            return
        yield from _settings(job, nodes)
        waiting = _in_turn(job) | {0}
        for step, launcher in job.file.launchers:
            if launcher.name == "deepspeed":
                continue  # it starts the other nodes' processes itself, by a hostfile
            stated = launcher.nodes
            if step.runner == "":
                yield from _unlaunched(nodes, step, launcher, stated)
                continue
            if step.places and step.command.background not in waiting:
                continue  # One of several steps that run at the same time.
            own = step.options.get("nodes")
            running = int(own.value) if own is not None and own.value.isdigit() else nodes
            tasks = step.options.get("ntasks")
            if own is None and tasks is not None and tasks.value.isdigit():
                running = min(nodes, int(tasks.value))
            if stated is not None and stated != running:
                yield Fail(
                    message=f"{launcher.name} waits for {stated} nodes, and the step runs on "
                    f"{running}",
                    at=launcher.nodes_word,
                    requested=stated,
                    limit=running,
                    hint="--nnodes=$SLURM_NNODES",
                )


def _settings(job: Job, nodes: int) -> Results:
    """The nodes that Lightning, or verl on Ray, is told to use."""
    for step in job.file.steps:
        own = step.options.get("nodes")
        for word in step.arguments if step.runner == "srun" and step.launcher is None else ():
            match = _NODES.fullmatch(word.text)
            stated = int(match.group(2)) if match is not None else nodes
            lightning = match is not None and match.group(1) == "num_nodes"
            running = nodes
            if lightning and own is not None:
                running = int(own.value) if own.value.isdigit() else stated
            if stated != running and (lightning or stated > running):
                yield Fail(
                    message=f"{word.text}, and the {'step' if lightning else 'job'} has {running} "
                    "nodes",
                    at=word,
                    requested=stated,
                    limit=running,
                    hint=f"{word.text.partition('=')[0]}=$SLURM_NNODES",
                )


def _in_turn(job: Job) -> set[int]:
    """The lists in the background with several such steps, one after the other."""
    steps = [step for step, _ in job.file.launchers if step.command.certain and step.places]
    lists = Counter(step.command.background for step in steps)
    return {number for number, found in lists.items() if found > 1}


def _unlaunched(nodes: int, step: Step, launcher: Launcher, stated: int | None) -> Results:
    if nodes < 2 or step.command.words[0].text.rpartition("/")[2] in _REMOTE:
        return
    waits = stated is not None and stated > 1
    yield Fail(
        message=f"{launcher.name} runs on the first of {nodes} nodes only"
        + (f", and waits for {stated}" if waits else ""),
        at=launcher.word,
        severity=None if waits and step.command.certain else "warning",
        hint=f"srun --ntasks-per-node=1 {launcher.name} ...",
    )

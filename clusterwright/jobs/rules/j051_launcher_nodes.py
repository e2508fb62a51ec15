"""The launcher runs on every node that it waits for."""

from __future__ import annotations

import re
from collections import Counter

from clusterwright.jobs.rule import Fail, Job, JobRule, Launcher, Results, Step
from clusterwright.jobs.rules.j023_master_address import LOCAL, MEETING, OWN_NAME
from clusterwright.jobs.shell import shell_text

_NODES = re.compile(r"\+{0,2}(?:--)?trainer\.(num_nodes|nnodes)=(\d{1,9})")
_REMOTE = ("ssh", "pdsh", "clush", "parallel-ssh", "pssh", "parallel", "mpirun", "xargs")


class LauncherNodes(JobRule):
    id = "CW-J051"
    severity = "error"
    containers = True
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
                # It starts the other nodes' processes itself, by a hostfile.
                yield from _every_node(job, step, launcher)
                continue
            stated = launcher.nodes
            if step.runner == "":
                yield from _unlaunched(nodes, step, launcher, stated)
                continue
            if step.places and step.command.background not in waiting:
                continue  # One of several steps that run at the same time.
            running = job.step_nodes(step)
            if (
                running is None
                or not launcher.certain
                or (launcher.alone and not _meets(launcher))
            ):
                continue
            if stated is not None and stated != running:
                own = "the step runs on" if job.unit == "node" else f"the {job.unit}s are"
                yield Fail(
                    message=f"{launcher.name} waits for {stated} nodes, and {own} {running}",
                    at=launcher.nodes_word,
                    requested=stated,
                    limit=running,
                    hint="--nnodes=$SLURM_NNODES",
                )


def _every_node(job: Job, step: Step, launcher: Launcher) -> Results:
    """DeepSpeed's launcher on every node: each starts the processes of all, or of itself alone."""
    running = job.step_nodes(step) if step.runner == "srun" else None
    if running is None or running < 2 or step.places or not launcher.certain:
        return
    if shell_text(step.program) is not None or any("SLURM_" in w.text for w in step.program):
        return  # A shell may let one node go on, and each node may have work of its own.
    if "no-ssh" in launcher.options or "node-rank" in launcher.options:
        return  # Each launcher starts the processes of its own node.
    hosts = launcher.options.get("hostfile") or launcher.options.get("H")
    does = "starts the processes of all nodes" if hosts else "trains by itself"
    yield Fail(
        message=f"srun starts deepspeed on {running} nodes, and each one {does}",
        at=launcher.word,
        hint="srun torchrun ..., or deepspeed --no_ssh --node_rank $SLURM_NODEID on each node",
    )


def _meets(launcher: Launcher) -> bool:
    """Whether the launcher is told where the others are."""
    found = [launcher.options[name] for name in MEETING if name in launcher.options]
    return any(not LOCAL.fullmatch(w.text) and not OWN_NAME.search(w.text) for w in found)


def _settings(job: Job, nodes: int) -> Results:
    """The nodes that Lightning, or verl on Ray, is told to use."""
    for step in job.file.steps:
        if step.runner != "srun" or step.launcher is not None:
            continue
        certain = [one for one in step.programs if one.certain]
        for word in (word for one in certain for word in one.words):
            match = _NODES.fullmatch(word.text)
            if match is None:
                continue
            stated = int(match.group(2))
            lightning = match.group(1) == "num_nodes"
            running = job.step_nodes(step) if lightning else nodes
            if running is not None and stated != running and (lightning or stated > running):
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

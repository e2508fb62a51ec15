"""The scenario kill-at-every-step where ParallelCluster, not HyperPod, runs the program.

A compute node's instance is lost, and its fresh one waits before the custom action: there the
program is killed at each step that has something to do on such a node. ParallelCluster has no
fresh login node and no fresh head node. A login node that runs is taken as it is; the head node
waits inside an update that brings a user, and is killed at each step of that.

The first run of each comes by the custom action, which fetches the scripts; the others start the
program from the folder that it has left, as the action does at its end.
"""

from __future__ import annotations

import functools
import shlex
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from clusterwright_rehearsal.platforms.parallelcluster.context import ParallelClusterContext
from clusterwright_rehearsal.scenario_api.file_comparison import differences, files
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken

FOLDER = "/run/clusterwright/custom-action"
_NAME, _UID = "afterkill", 5998
_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfterkillAfterkillAfterkillAfterkill00 afterkill"


def run(context: ParallelClusterContext) -> None:
    """Check the promises of `scenarios/kill_at_every_step.py`."""
    victims = [context.compute[0], *context.nodes("login")[:1]]
    lost = victims[0].instance_id
    with context.promise("killed"):
        steps = {node.name: _steps(context, node) for node in victims}
        # After that run, which updates a login node to the latest version of the scripts.
        before = {node.name: files(node) for node in victims}
        _kill_fresh(context, victims, steps)
        counted = ", ".join(f"{len(steps[node.name])} on {node.name}" for node in victims)
        context.note(f"steps: {counted}")

    with context.promise("converges"):
        context.wait_running(victims[0], but=lost)
        fresh = context.node(victims[0].name)
        _expect_ready(context, fresh)
        context.wait_idle()

    with context.promise("same"):
        for node in (fresh, *victims[1:]):
            mine = files(node)
            different = differences(mine, before[node.name])
            context.expect(not different, f"{node} differs in {', '.join(different[:5])}")
            context.note(f"{node}: {len(mine)} files compared")

    # Before the update, which a login node applies when its action runs again.
    with context.promise("unchanged"):
        for node in (fresh, *victims[1:]):
            _expect_unchanged(context, node)

    controller = context.controller
    with context.promise("controller"):
        context.note(f"{_kill_in_an_update(context, controller)} steps")
        row = controller.must(f"getent passwd {_NAME}").split(":")
        context.expect(int(row[2]) == _UID, f"{_NAME} is {row[2]}")
        _expect_unchanged(context, controller)
        context.wait_idle()


def _expect_unchanged(context: ParallelClusterContext, node: Node) -> None:
    run = node.run_program()
    others = {s: w for s, w in run.statuses.items() if w not in ("unchanged", "skipped")}
    context.expect(run.exit_code == 0, f"{node}: {run.exit_code}: {run.last_line}")
    context.expect(not others, f"{node}: {others}")


def _kill_fresh(
    context: ParallelClusterContext, victims: list[Node], steps: dict[str, list[str]]
) -> None:
    """Kill on the first node, on its new instance, and on the others, at the same time."""
    context.hold_scripts(True)
    try:
        context.replace(victims[0])
        context.wait_for(functools.partial(_waiting, context, victims[0]), within_s=180)
        nodes = [context.node(victims[0].name), *victims[1:]]
        with ThreadPoolExecutor(len(nodes)) as pool:
            for missed in pool.map(lambda node: _unreached_steps(node, steps[node.name]), nodes):
                context.expect(not missed, f"the program did not reach {', '.join(missed)}")
    finally:
        context.hold_scripts(False)


def _kill_in_an_update(context: ParallelClusterContext, controller: Node) -> int:
    steps = _steps(context, controller)
    context.hold_scripts(True)
    with ThreadPoolExecutor(1) as pool:
        try:
            deployed = pool.submit(context.deploy, _add)
            context.wait_for(functools.partial(_waiting, context, controller), within_s=180)
            missed = _unreached_steps(controller, steps)
        finally:
            context.hold_scripts(False)
        deployed.result()
    context.expect(not missed, f"on {controller} the program did not reach {', '.join(missed)}")
    return len(steps)


def _steps(context: ParallelClusterContext, node: Node) -> list[str]:
    """Return the steps that apply to a node of this kind, from a run on this one."""
    run = node.run_program()
    context.expect(run.exit_code == 0, f"{node}: {run.exit_code}: {run.last_line}")
    return [step for step, status in run.statuses.items() if status != "skipped"]


def _unreached_steps(node: Node, steps: Sequence[str]) -> list[str]:
    """Kill the program at each step; return the steps that were not reached."""
    found = [] if node.kill_program_at(steps[0]) else [steps[0]]
    groups = shlex.split(node.must("jq -r '.[2:][]' /run/rehearsal/custom-action.json | xargs"))
    options = ["--configuration", "parallelcluster", "--inputs", FOLDER]
    options += [f"--group={word}" for word in groups]
    return found + node.kill_program_at_each(steps, folder=FOLDER, options=options)


def _expect_ready(context: ParallelClusterContext, node: Node) -> None:
    lines = context.logs(node)
    context.expect(lines, f"the log of {node} is empty")
    context.expect("is ready" in lines[-1], f"the log of {node} ends with {lines[-1]!r}")


def _waiting(context: ParallelClusterContext, node: Node) -> str | None:
    phase = context.facts(node.name)["phase"]
    if phase == "failed":
        raise Broken(f"{node} failed before its script")
    return None if phase == "held" else f"{node} is {phase}"


def _add(spec: dict[str, Any]) -> None:
    users = [user for user in spec["slurm"].get("users", []) if user["name"] != _NAME]
    spec["slurm"]["users"] = [*users, {"name": _NAME, "uid": _UID, "ssh_public_keys": [_KEY]}]

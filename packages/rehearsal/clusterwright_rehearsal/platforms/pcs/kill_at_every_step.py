"""The scenario kill-at-every-step where the agent of AWS PCS runs the program.

An instance is lost, and its fresh one waits before its lifecycle action: there the program is
killed at each step that has something to do on such a node. First a compute node, then the login
node that administers the cluster, because PCS has no controller of ours.

The first run of each comes by the lifecycle action, which fetches the scripts; the others start
the program from the folder that it has left, as the action does at its end.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api.file_comparison import differences, files
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken

FOLDER = "/run/clusterwright/lifecycle-action"
_NEED_SLURM = ("slurm_qos", "slurm_accounts", "managed_limits")
"""Steps that a service runs after slurmd has started."""


def run(context: PcsContext) -> None:
    """Check the promises of `scenarios/kill_at_every_step.py`."""
    worker, login = context.compute[0], context.controller
    steps = {node.name: _steps(context, node) for node in (worker, login)}
    before = {node.name: files(node) for node in (worker, login)}
    with context.promise("killed"):
        _kill_fresh(context, worker, steps[worker.name])
        context.note(f"{len(steps[worker.name])} steps on {worker}")

    with context.promise("converges"):
        _expect_ready(context, worker)
        context.wait_idle()

    with context.promise("controller"):
        _kill_fresh(context, login, steps[login.name])
        _expect_ready(context, login)
        context.wait_for(context.not_administered, within_s=60)
        context.wait_idle()
        context.note(f"{len(steps[login.name])} steps on {login}")

    with context.promise("same"):
        for node in (worker, login):
            mine = files(context.node(node.name))
            different = differences(mine, before[node.name])
            context.expect(not different, f"{node} differs in {', '.join(different[:5])}")
            context.note(f"{node}: {len(mine)} files compared")

    with context.promise("unchanged"):
        for node in (worker, login):
            again = context.node(node.name).run_program()
            others = {s: w for s, w in again.statuses.items() if w not in ("unchanged", "skipped")}
            context.expect(again.exit_code == 0, f"{node}: {again.exit_code}: {again.last_line}")
            context.expect(not others, f"{node}: {others}")


def _kill_fresh(context: PcsContext, node: Node, steps: Sequence[str]) -> None:
    """Lose the instance, and kill the program at each step on its fresh one."""
    lost = node.instance_id
    context.hold_scripts(True)
    try:
        context.replace(node)
        context.wait_for(functools.partial(_waiting, context, node, lost), within_s=180)
        fresh = context.node(node.name)
        options = ["--configuration", "pcs", "--inputs", FOLDER, f"--group={node.group}"]
        missed = [] if fresh.kill_program_at(steps[0]) else [steps[0]]
        missed += fresh.kill_program_at_each(steps, folder=FOLDER, options=options)
        context.expect(not missed, f"on {node} the program did not reach {', '.join(missed)}")
    finally:
        context.hold_scripts(False)
    context.wait_running(fresh, but=lost)


def _steps(context: PcsContext, node: Node) -> list[str]:
    """Return the steps that apply to a fresh node of this kind, from a run on this one."""
    run = node.run_program()
    context.expect(run.exit_code == 0, f"{node}: {run.exit_code}: {run.last_line}")
    return [
        step
        for step, status in run.statuses.items()
        if status != "skipped" and step not in _NEED_SLURM
    ]


def _expect_ready(context: PcsContext, node: Node) -> None:
    lines = context.logs(context.node(node.name))
    context.expect(lines, f"the log of {node} is empty")
    context.expect("is ready" in lines[-1], f"the log of {node} ends with {lines[-1]!r}")


def _waiting(context: PcsContext, node: Node, lost: str) -> str | None:
    facts = context.facts(node.name)
    if facts["instance_id"] == lost:
        return f"{node} is still {lost}"
    if facts["phase"] == "failed":
        raise Broken(f"{node} failed before its script")
    return None if facts["phase"] == "held" else f"{node} is {facts['phase']}"

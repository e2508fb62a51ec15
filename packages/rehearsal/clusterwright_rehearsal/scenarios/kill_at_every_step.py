"""The node program is killed at each of its steps, on every role, and converges.

A compute and a login node are replaced by new instances, whose lifecycle scripts wait. There the
program is started once for each step, and killed one step further each time; each run completes
the step at which the one before it was killed. Then HyperPod's own run begins with the first step.
The resulting nodes must equal the former ones, which were not disturbed. The controller follows
alone, because the others wait for it. HyperPod does not replace controllers on request, so
UpdateClusterSoftware is used. ParallelCluster has no new head or login nodes: see
`platforms/parallelcluster/kill_at_every_step.py`.
"""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor

from clusterwright_rehearsal.platforms.hyperpod.node import SCRIPTS
from clusterwright_rehearsal.platforms.parallelcluster import kill_at_every_step
from clusterwright_rehearsal.platforms.parallelcluster.context import ParallelClusterContext
from clusterwright_rehearsal.platforms.pcs import kill_at_every_step as kill_on_pcs
from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.file_comparison import differences
from clusterwright_rehearsal.scenario_api.file_comparison import files as _files
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken

ORDER = 60
SECONDS = 25
MODES = ("managed", "scripted", "parallelcluster", "pcs")

PROMISES = {
    "killed": "on compute and login nodes the program can be killed at each of its steps",
    "converges": "the run after the last kill completes the nodes",
    "controller": "after a kill at each step the controller starts too, and with it the cluster"
    "; on PCS the login node that administers it",
    "same": "each node has the same files as the undisturbed one before it",
    "unchanged": "a further run changes nothing",
}


def run(context: ScenarioContext) -> None:
    if isinstance(context, ParallelClusterContext):
        kill_at_every_step.run(context)
        return
    if isinstance(context, PcsContext):
        kill_on_pcs.run(context)
        return
    victims = [context.compute[0], *context.nodes("login")[:1]]
    before = {node.name: _files(node) for node in victims}
    with context.promise("killed"):
        steps = _kill_at_each(context, victims)
        context.note(f"{steps} steps on {', '.join(node.name for node in victims)}")

    with context.promise("converges"):
        _wait_ready(context, victims)
        context.wait_idle()

    controller = context.controller
    before[controller.name] = _files(controller)
    with context.promise("controller"):
        context.note(f"{_kill_at_each(context, [controller])} steps")
        _wait_ready(context, [controller])
        context.wait_for(lambda: _not_in_service(context), within_s=120)
        context.wait_idle()
    victims.append(controller)

    with context.promise("same"):
        for node in victims:
            mine = _files(node)
            different = differences(mine, before[node.name])
            context.expect(not different, f"{node} differs in {', '.join(different[:5])}")
            context.note(f"{node}: {len(mine)} files compared")

    with context.promise("unchanged"):
        for node in victims:
            run = node.run_program()
            others = {s: w for s, w in run.statuses.items() if w not in ("unchanged", "skipped")}
            context.expect(run.exit_code == 0, f"{node}: {run.exit_code}: {run.last_line}")
            context.expect(not others, f"{node}: {others}")


def _kill_at_each(context: ScenarioContext, nodes: list[Node]) -> int:
    """Replace nodes and kill their programs at each step; return the number of steps."""
    configuration = context.cluster.slurm.configuration
    context.hold_scripts(True)
    try:
        for node in nodes:
            if node.role == "controller":
                context.aws("sagemaker").update_cluster_software(
                    ClusterName=context.cluster.environment,
                    InstanceGroups=[{"InstanceGroupName": node.group}],
                )
            else:
                context.replace(node)
        for node in nodes:
            context.wait_for(functools.partial(_waiting, context, node), within_s=180)
        steps = _steps(nodes[0])
        with ThreadPoolExecutor(len(nodes)) as pool:
            missed = list(
                pool.map(lambda node: _unreached_steps(node, steps, configuration), nodes)
            )
    finally:
        context.hold_scripts(False)
    for node, names in zip(nodes, missed, strict=True):
        context.expect(not names, f"on {node} the program did not reach {', '.join(names)}")
    return len(steps)


def _unreached_steps(node: Node, steps: list[str], configuration: str) -> list[str]:
    """Kill the program at each step; return the steps that were not reached."""
    found = [] if node.kill_program_at(steps[0]) else [steps[0]]
    options = ["--configuration", configuration, "--inputs", SCRIPTS]
    return found + node.kill_program_at_each(steps, folder=SCRIPTS, options=options)


def _wait_ready(context: ScenarioContext, nodes: list[Node]) -> None:
    for node in nodes:
        context.wait_running(node)
        lines = context.logs(node)
        context.expect(lines, f"the log of {node} is empty")
        context.expect("is ready" in lines[-1], f"the log of {node} ends with {lines[-1]!r}")


def _waiting(context: ScenarioContext, node: Node) -> str | None:
    """None if the node is held, which only a new instance is."""
    phase = context.facts(node.name)["phase"]
    if phase == "failed":
        raise Broken(f"{node} failed before its script")
    return None if phase == "held" else f"{node} is {phase}"


def _not_in_service(context: ScenarioContext) -> str | None:
    cluster = context.aws("sagemaker").describe_cluster(ClusterName=context.cluster.environment)
    status = cluster["ClusterStatus"]
    return None if status == "InService" else f"the cluster is {status}"


def _steps(node: Node) -> list[str]:
    text = node.must(f"cd {SCRIPTS} && python3 -m clusterwright_node --list")
    return [line.split()[0] for line in text.splitlines() if line.strip()]

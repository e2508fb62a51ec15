"""Returns a cluster to service after a scenario that ended early.

A broken promise often leaves a node failed, lost or drained, or a fault in the emulated account.
Without recovery every later scenario would wait two minutes for an idle cluster and end unknown.
"""

from __future__ import annotations

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.hyperpod.driver import Settings
from clusterwright_rehearsal.scenario_api import faults, operator
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken

_NOTICED_S = 30.0
"""HyperPod detects a lost instance within seconds."""
_IDLE_S = 45.0
_REPLACED_S = 180.0
"""A replaced node boots and runs its scripts."""


def recover(context: ScenarioContext) -> tuple[list[str], str | None]:
    """Undo what a scenario left behind, and wait until every node is idle.

    Failed nodes are replaced, drained ones resumed; what is not idle after that is replaced too.
    Returns what was done, and the reason why the cluster is still not in service, or None.
    """
    done: list[str] = []
    try:
        _remove_faults(context)
        for node in context.nodes():
            _recover_node(context, node, done)
        if context.is_held:
            _accept(context, done)
        try:
            context.wait_idle(within_s=_REPLACED_S if done else _IDLE_S)
        except Broken:
            if not _replace_busy(context, done):
                raise
            context.wait_idle(within_s=_REPLACED_S)
    except (Broken, RehearsalError) as error:
        return done, str(error)
    return done, None


def _remove_faults(context: ScenarioContext) -> None:
    """Remove faults of the account, and restore the settings of the rehearsal."""
    context.allow_all()
    context.hold_scripts(False)
    context.set_detection(Settings.detection_s)
    context.worker.ask("databases", up=True)
    context.controller.must("rm -f /srv/emulation/lustre/*.down")


def _recover_node(context: ScenarioContext, node: Node, done: list[str]) -> None:
    def unnoticed() -> str | None:
        lost = not node.is_up and _status(context, node) == "Running"
        return f"{node} is not running" if lost else None

    context.wait_for(unnoticed, within_s=_NOTICED_S)
    if _status(context, node) == "Failure":
        if node.role == "controller":
            raise Broken(f"{node} has failed, and a controller cannot be replaced")
        context.replace(node)
        done.append(f"{node} was replaced")
    elif node.is_up and _status(context, node) == "Running":
        context.reconnect(node)
        faults.remove(node)
        if node.role == "compute":
            _resume(context, node, done)


def _resume(context: ScenarioContext, node: Node, done: list[str]) -> None:
    state = node.slurm_state()
    if any(word in state for word in ("drain", "down", "fail")):
        context.slurm(f"scontrol update nodename={node.host} state=resume")
        done.append(f"{node} ({state}) was resumed")


def _accept(context: ScenarioContext, done: list[str]) -> None:
    """Test the nodes that the hold keeps: it tests rejected ones again 30 minutes later."""
    held = [node for node in context.compute if "reserved" in node.slurm_state()]
    if held:
        operator.start_acceptance(context, [node.host for node in held])
        done += [f"acceptance of {node} was requested" for node in held]


def _replace_busy(context: ScenarioContext, done: list[str]) -> bool:
    """Replace compute nodes that Slurm cannot use; return whether there are any."""
    unusable = [node for node in context.compute if node.slurm_state() != "idle"]
    for node in unusable:
        context.replace(node)
        done.append(f"{node} was replaced")
    return bool(unusable)


def _status(context: ScenarioContext, node: Node) -> str:
    found = context.api_nodes().get(node.name, {}).get("InstanceStatus", {})
    return str(found.get("Status", "Pending"))

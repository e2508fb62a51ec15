"""No job starts on a node before it is accepted: new, rebooted or replaced.

First the service runs with `--hold`, as with `acceptance.hold`, and tests the nodes itself. Then
it runs once at each point, in a folder of its own with the records that a run of the acceptance
program would leave. Rehearsed specs need not have the key, and their nodes have no drop-in of
slurmd: the scenario drains a node as the drop-in does.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from clusterwright_rehearsal.scenario_api import operator
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.jobs import options_for
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenarios.acceptance import prepared

ORDER = 45
SECONDS = 55
NEEDS_COMPUTE = 2
MODES = ("managed", "scripted")

PROMISES = {
    "tested": "a replaced node takes the waiting job only after the controller has accepted it",
    "held": "nodes without an accepted test are reserved, and a user's job waits",
    "opened": "the accepted node takes the job, the others stay reserved",
    "announced": "a node that announces a boot is reserved before it is resumed: a job waits",
    "replaced": "the record of another instance does not open a node",
    "removed": "when every node is accepted, the reservation is gone",
}

_SERVICE = "clusterwright-state.service"
_FOLDER = "/run/rehearsal-hold"
_RESERVATION = "clusterwright_acceptance"
_NEW = "clusterwright acceptance: new"
_LATER, _EARLIER = "2999-01-01T00:00:00Z", "2000-01-01T00:00:00Z"


def run(context: ScenarioContext) -> None:
    nodes = context.compute
    first, second = nodes[0], nodes[1]
    context.controller.must(f"systemctl stop {_SERVICE}")
    with context.promise("tested"):
        _expect_tested(context, nodes, second)
    # Runs of the acceptance program count as tried: the records are the scenario's.
    _write(context, "hold.json", {"tried": {node.host: _LATER for node in nodes}})
    try:
        with context.promise("held"):
            context.wait_for(lambda: _not_held(context, nodes), within_s=60)
            job = _pinned(context, first)
            context.wait_for(lambda: _not_waiting(job), within_s=30)

        with context.promise("opened"):
            _accept(context, first)
            context.wait_for(lambda: _not_running(context, job), within_s=60)
            context.expect(job.hosts == [first.host], f"job {job.id} runs on {job.hosts}")
            context.expect(not _not_held(context, nodes[1:]), "the others are not reserved")
            job.cancel()

        with context.promise("announced"):
            _accept(context, second, at=_EARLIER)
            # Boots take longer than SlurmdTimeout: slurmctld has set the node DOWN by then.
            update = f"scontrol update nodename={second.host}"
            context.controller.must(
                f"{update} state=down reason='Not responding'"
                f" && {update} state=drain reason='{_NEW}'"
            )
            context.wait_for(lambda: _is_drained(context, second), within_s=60)
            job = _pinned(context, second)
            context.wait_for(lambda: _not_waiting(job), within_s=30)
            job.cancel()

        with context.promise("replaced"):
            _accept(context, second, instance_id="i-0000000000000000f")
            context.wait_for(lambda: _not_held(context, [second]), within_s=60)

        with context.promise("removed"):
            for node in nodes:
                _accept(context, node)
            context.wait_for(lambda: _still_there(context), within_s=60)
    finally:
        context.controller.run(f"scontrol delete reservation={_RESERVATION}")
        context.controller.run(f"rm -rf {_FOLDER}")
        for node in nodes:
            context.controller.run(f"scontrol update nodename={node.host} state=resume")
        context.controller.must(f"systemctl start {_SERVICE}")
        context.wait_idle()


def _expect_tested(context: ScenarioContext, nodes: list[Node], replaced: Node) -> None:
    """The service with the hold, from the announcement of a new instance to its first job."""
    with contextlib.ExitStack() as stack:
        for node in nodes:
            stack.enter_context(prepared(node))
        former = {"at": _EARLIER, "instance_id": "i-0000000000000000f"}
        _accept(context, replaced, folder=operator.FOLDER, **former)
        context.controller.must(
            f"scontrol update nodename={replaced.host} state=drain reason='{_NEW}'"
        )
        job = _pinned(context, replaced)
        stack.enter_context(_holding(context))
        context.wait_for(lambda: _not_started(job), within_s=120)
        operator.expect_accepted_first(context, job)
        job.cancel()
        context.wait_for(lambda: _reservation(context), within_s=90)


@contextlib.contextmanager
def _holding(context: ScenarioContext) -> Iterator[None]:
    """The running service has the option that `acceptance.hold` gives it."""
    folder = f"/run/systemd/system/{_SERVICE}.d"
    command = f"{_command(context)} --hold=quick --every-seconds=10"
    text = f"[Service]\nExecStart=\nExecStart={command}\n"
    context.controller.must(f"rm -f {operator.FOLDER}/hold.json; mkdir -p {folder}")
    context.controller.write(f"{folder}/hold.conf", text)
    try:
        context.controller.must(f"systemctl daemon-reload; systemctl start {_SERVICE}")
        yield
    finally:
        context.controller.must(
            f"systemctl stop {_SERVICE}; rm -rf {folder} {operator.FOLDER}/hold.json;"
            " systemctl daemon-reload"
        )


def _not_started(job: Job) -> str | None:
    shown = job.show()
    now = shown.get("JobState")
    return None if now == "RUNNING" else f"job {job.id} is {now} ({shown.get('Reason')})"


def _pinned(context: ScenarioContext, node: Node) -> Job:
    return context.submit("sleep 60", options=options_for(context, node))


def _accept(
    context: ScenarioContext, node: Node, at: str = _LATER, folder: str = _FOLDER, **changes: Any
) -> None:
    record = {"state": "accepted", "reason": "", "action": "none", "level": "quick", "since": at}
    _write(context, f"nodes/{node.host}.json", {**record, "tested_at": at, **changes}, folder)


def _write(
    context: ScenarioContext, name: str, content: dict[str, Any], folder: str = _FOLDER
) -> None:
    path = f"{folder}/{name}"
    context.controller.must(f"mkdir -p $(dirname {path}) && echo '{json.dumps(content)}' >{path}")


# slurmctld shows a changed state of nodes some seconds later, so the service looks repeatedly
# here, as it does every 2 seconds on a cluster.


def _not_held(context: ScenarioContext, nodes: list[Node]) -> str | None:
    _look(context)
    open_nodes = [node.host for node in nodes if "reserved" not in node.slurm_state()]
    return f"not reserved: {open_nodes}" if open_nodes else None


def _not_running(context: ScenarioContext, job: Job) -> str | None:
    _look(context)
    return None if job.state == "RUNNING" else f"job {job.id} is {job.state}"


def _is_drained(context: ScenarioContext, node: Node) -> str | None:
    """None if the node is resumed and reserved."""
    _look(context)
    shown = context.slurm(f"scontrol --oneliner show node {node.host}")
    drained = "DRAIN" in shown or "reserved" not in node.slurm_state()
    return f"{node.host}: {node.slurm_state()}" if drained else None


def _still_there(context: ScenarioContext) -> str | None:
    _look(context)
    return _reservation(context)


def _reservation(context: ScenarioContext) -> str | None:
    shown = context.slurm("scontrol --oneliner show reservation")
    return shown if _RESERVATION in shown else None


def _not_waiting(job: Job) -> str | None:
    """None if the job waits for the end of the reservation."""
    reason = str(job.show().get("Reason"))
    return None if "reserv" in reason.lower() else f"job {job.id} is {job.state} ({reason})"


def _look(context: ScenarioContext) -> None:
    """Run the service's program once, with the hold, without spares."""
    # A bucket that does not exist: the service's own records there are not the scenario's.
    options = ("--hold=quick", f"--acceptance={_FOLDER}", "--bucket=none", "--once")
    context.controller.must(" ".join([_command(context), *options]))


def _command(context: ScenarioContext) -> str:
    """The service's command, without spares and hold."""
    unit = context.controller.must(f"systemctl cat {_SERVICE}")
    command = next(
        line.partition("=")[2] for line in unit.splitlines() if line.startswith("ExecStart=/")
    )
    left_out = ("--spares=", "--keep-spares", "--hold=", "--every-seconds=")
    return " ".join(word for word in command.split() if not word.startswith(left_out))

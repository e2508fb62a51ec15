"""Acceptance is killed, a check hangs, a GPU is lost, and a node stops while it is tested.

The kill is that of the controller's service with all its processes (SIGKILL), which leaves the
jobs of the run in Slurm.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping

from clusterwright_rehearsal.scenario_api import faults, operator
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenarios.acceptance import (
    expect_accepted,
    expect_only,
    node_of,
    prepared,
)

ORDER = 44
SECONDS = 60
NEEDS_COMPUTE = 2
MODES = ("managed", "scripted", "parallelcluster", "pcs")

PROMISES = {
    "goes-on": "a run that was killed goes on: nodes with a result are not tested again",
    "hung": "a check that hangs is named with its program, and rejects its node",
    "one-gpu-less": "a GPU that is lost is found by its count, and the action is to replace",
    "lost": "a node that stops during the checks is rejected, the others are not",
    "again": "when it is back, every node is accepted",
}

_JOURNAL = f"{operator.FOLDER}/journal.json"


def run(context: ScenarioContext) -> None:
    bad, good = context.compute[-1], context.compute[0]
    faults.require_devices(context, "nvidia")
    with contextlib.ExitStack() as stack:
        for node in context.compute:
            stack.enter_context(prepared(node))
        with context.promise("goes-on"):
            faults.add(bad, "gpu-hang")
            run_id = operator.start_acceptance(context)
            kept = _wait_until_tested(context, run_id, good)
            _wait_until_checking(context, run_id, bad)
            context.controller.must(f"systemctl kill --signal=KILL {operator.SERVICE}")
            killed = _jobs(context)
            context.expect(
                list(killed.values()) == [bad.host], f"jobs of the killed run: {killed}"
            )
            context.controller.must(f"systemctl restart {operator.SERVICE}")
            # The killed run's job may note the hung check before it is cancelled; the job that
            # follows tests again.
            context.wait_for(lambda: _no_new_job(context, killed), within_s=60)
            _wait_until_checking(context, run_id, bad)
            _wait_until_hung(context, bad)
            faults.remove(bad, "gpu-hang")
            report = operator.acceptance_report(context, run_id)
            again = _result(context, run_id, good)
            context.expect(again == kept, f"{good.host} was tested again: {again}")
            verdict = node_of(report, good)["verdict"]
            context.expect(verdict == "accepted", f"{good.host} is {verdict}")

        with context.promise("hung"):
            one = node_of(report, bad)
            context.expect(one["verdict"] == "rejected", f"{one['verdict']}: {one['reason']}")
            context.expect("nvidia-smi did not end within" in one["reason"], one["reason"])
            context.note(f"{one['reason']}; action {one['action']}")

        with context.promise("one-gpu-less"):
            faults.add(bad, "gpu-lost", "0")
            report = operator.acceptance_report(context, operator.start_acceptance(context))
            faults.remove(bad, "gpu-lost")
            expect_only(context, report, bad, {"gpu-count"})
            one = node_of(report, bad)
            context.note(one["reason"])
            context.expect(one["action"] == "replace", f"action: {one['action']}")

        with context.promise("lost"):
            _lose_while_tested(context, bad, good)

        with context.promise("again"):
            context.wait_idle(or_held=True)
            if not context.cluster.on_hyperpod:
                stack.enter_context(prepared(bad))  # another instance
            expect_accepted(context)


def _lose_while_tested(context: ScenarioContext, bad: Node, good: Node) -> None:
    """On HyperPod the node comes back; other platforms replace its instance."""
    faults.add(bad, "gpu-hang")
    run_id = operator.start_acceptance(context)
    _wait_until_checking(context, run_id, bad)
    with _isolated(context, bad) if context.cluster.on_hyperpod else _replaced(context, bad):
        report = operator.acceptance_report(context, run_id, within_s=_noticed_s(context))
    faults.remove(bad, "gpu-hang")
    one = node_of(report, bad)
    context.expect(one["verdict"] == "rejected", f"{one['verdict']}: {one['reason']}")
    context.expect("stopped during the checks" in one["reason"], one["reason"])
    verdict = node_of(report, good)["verdict"]
    context.expect(verdict == "accepted", f"{good.host} is {verdict}")


def _noticed_s(context: ScenarioContext) -> float:
    """The scripted configuration has the spec's SlurmdTimeout, others a short one."""
    slurm = context.cluster.slurm
    return 90.0 + (slurm.timeouts.node_down_seconds if slurm.configuration == "scripted" else 0)


@contextlib.contextmanager
def _isolated(context: ScenarioContext, node: Node) -> Iterator[None]:
    context.set_detection(3600.0)
    context.isolate(node)
    try:
        yield
    finally:
        context.reconnect(node)
        context.set_detection(4.0)


@contextlib.contextmanager
def _replaced(context: ScenarioContext, node: Node) -> Iterator[None]:
    before = node.instance_id
    context.crash(node)
    try:
        yield
    finally:
        context.wait_running(node, but=before)


def _jobs(context: ScenarioContext) -> dict[str, str]:
    """Running jobs of acceptance: job → host."""
    text = context.slurm("squeue -h -t running -n clusterwright-acceptance -o '%i %N'")
    return dict(line.split() for line in text.splitlines())


def _no_new_job(context: ScenarioContext, killed: Mapping[str, str]) -> str | None:
    jobs = _jobs(context)
    return None if jobs and not jobs.keys() & killed.keys() else f"running jobs: {jobs}"


def _result(context: ScenarioContext, run_id: str, node: Node) -> str:
    """The file of the node's result; empty before it."""
    return context.controller.run(f"cat {operator.FOLDER}/runs/{run_id}/{node.host}.json").stdout


def _wait_until_tested(context: ScenarioContext, run_id: str, node: Node) -> str:
    context.wait_for(
        lambda: None if _result(context, run_id, node) else f"{node} has no result", within_s=30
    )
    return _result(context, run_id, node)


def _journal(node: Node) -> dict[str, object]:
    try:
        return dict(json.loads(node.run(f"cat {_JOURNAL}").stdout))
    except ValueError:
        return {}


def _wait_until_checking(context: ScenarioContext, run_id: str, node: Node) -> None:
    def not_yet() -> str | None:
        found = _journal(node)
        if (found.get("run"), found.get("running")) == (run_id, "gpu-count"):
            return None
        return f"{node}: run {found.get('run')}, check {found.get('running')}"

    context.wait_for(not_yet, within_s=30)


def _wait_until_hung(context: ScenarioContext, node: Node) -> None:
    def not_yet() -> str | None:
        found = _journal(node)
        rows = found.get("checks")
        checks = {row["id"]: row["verdict"] for row in (rows if isinstance(rows, list) else [])}
        ended = found.get("running") != "gpu-count" and checks.get("gpu-count") == "hung"
        return None if ended else f"{node}: {checks}, check {found.get('running')}"

    context.wait_for(not_yet, within_s=60)

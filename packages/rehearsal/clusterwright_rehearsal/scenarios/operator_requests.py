"""The controller publishes the state of the cluster and carries out operators' requests.

Operators have no connection to the cluster: both go through the bucket of the lifecycle scripts
(docs/designs/operating.md).
"""

from __future__ import annotations

from typing import Any

from clusterwright_rehearsal.scenario_api import command_line, operator
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 42
SECONDS = 70
MODES = ("managed", "scripted", "parallelcluster", "pcs")

PROMISES = {
    "published": "the published state has every compute node of Slurm, with its state",
    "drained": "a request drains a node, with the operator's reason; the answer says so",
    "diagnosed": "`clusterwright diagnose` names the drained node and what the job waits for",
    "job-seen": "a pending job is published with Slurm's reason",
    "resumed": "a request resumes the node, and the job runs",
    "refused": "expired requests, unknown nodes and unknown verbs are refused with the reason",
}

_REASON = "slow NVLink"


def run(context: ScenarioContext) -> None:
    node = context.compute[-1]
    try:
        with context.promise("published"):
            context.wait_for(lambda: _published_problem(context), within_s=120)

        with context.promise("drained"):
            answer = operator.answer(context, _send(context, "drain", [node.host]))
            context.expect(
                answer["done"] == [{"node": node.host, "result": "drained"}], f"answer: {answer}"
            )
            if context.cluster.on_hyperpod:
                shown = context.slurm(f"sinfo -h -n {node.host} -o '%T %E'").lower()
                context.expect("drain" in shown, f"sinfo: {shown}")
            else:
                shown = context.slurm("scontrol --oneliner show reservation").lower()
                context.expect(f"nodes={node.host} " in shown, f"reservations: {shown}")
            context.expect(f"{_REASON} (rehearsal)".lower() in shown, shown)

        with context.promise("job-seen"):
            job = context.submit("hostname", options=[f"--nodelist={node.host}"])
            operator.poll_now(context)
            context.wait_for(lambda: _pending_problem(context, job.id), within_s=120)

        with context.promise("diagnosed"):
            of_node = "drained-by-person" if context.cluster.on_hyperpod else "reserved-by-person"
            for words, wanted in (
                (("deploy",), []),
                (("node", node.host), [of_node]),
                (("job", job.id), ["pending-down-nodes"]),
            ):
                found = command_line.answer(context, ("diagnose",), *words, codes=(0, 1, 2))
                signatures = [finding["signature"] for finding in found["findings"]]
                context.expect(signatures == wanted, f"{' '.join(words)}: {found}")

        with context.promise("resumed"):
            request_id = _send(context, "resume", [node.host])
            operator.poll_now(context)
            answer = operator.answer(context, request_id)
            context.expect(
                answer["done"] == [{"node": node.host, "result": "resumed"}], f"answer: {answer}"
            )
            job.wait("COMPLETED", within_s=60)

        with context.promise("refused"):
            expected = {
                _send(context, "drain", [node.host], minutes=-30): "expired",
                _send(context, "drain", ["no-such-node"]): "no compute node",
                _send(context, "shutdown", [node.host]): "verb",
            }
            operator.poll_now(context)
            for request_id, word in expected.items():
                refused = operator.answer(context, request_id)["refused"]
                context.expect(word in refused[0]["reason"], f"expected {word}: {refused}")
            context.expect("drain" not in node.slurm_state(), f"{node} is {node.slurm_state()}")
    finally:
        context.controller.run(f"scontrol delete reservation=clusterwright_drain_{node.host}")
        context.controller.run(f"scontrol update nodename={node.host} state=resume")
        context.wait_idle()


def _published(context: ScenarioContext) -> dict[str, Any] | None:
    return operator.read_object(context, "state/scheduler.json")


def _published_problem(context: ScenarioContext) -> str | None:
    state = _published(context)
    if state is None:
        return f"nothing is published: {operator.journal(context)}"
    published = {entry["name"]: entry["states"] for entry in state["nodes"] or ()}
    missing = [node.host for node in context.compute if node.host not in published]
    if missing:
        return f"not published: {', '.join(missing)}"
    # ParallelCluster's nodes are CLOUD as well.
    wrong = [f"{name}: {words}" for name, words in published.items() if words[0] != "IDLE"]
    compute = {node.host for node in context.compute}
    return "; ".join(text for text in wrong if text.partition(":")[0] in compute) or None


def _pending_problem(context: ScenarioContext, number: str) -> str | None:
    state = _published(context)
    pending = {job["id"]: job["reason"] for job in (state or {}).get("pending") or ()}
    if number not in pending:
        return f"job {number} is not among the pending jobs {pending}"
    return None if pending[number] not in ("None", "") else f"job {number} has no reason"


def _send(context: ScenarioContext, verb: str, nodes: list[str], *, minutes: int = 10) -> str:
    return operator.send(context, verb, nodes, _REASON, minutes=minutes)

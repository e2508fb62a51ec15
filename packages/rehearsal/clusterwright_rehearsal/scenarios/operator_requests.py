"""The controller publishes the state of the cluster and carries out operators' requests.

Operators have no connection to the cluster: both go through the bucket of the lifecycle scripts
(docs/designs/operating.md). On the controller and login nodes the same commands work without it.
"""

from __future__ import annotations

import functools
import json
import shlex
from collections.abc import Sequence
from typing import Any

from clusterwright_rehearsal.scenario_api import command_line, operator
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 42
SECONDS = 120
MODES = ("managed", "scripted", "parallelcluster", "pcs")

PROMISES = {
    "published": "the published state has every compute node of Slurm, with its state",
    "drained": "a request drains a node, with the operator's reason; the answer says so",
    "diagnosed": "`clusterwright diagnose` names the drained node and what the job waits for",
    "job-seen": "a pending job is published with Slurm's reason",
    "resumed": "a request resumes the node, and the job runs",
    "refused": "expired requests, unknown nodes and unknown verbs are refused with the reason",
    "on-nodes": "on the controller and login nodes `clusterwright status`, `topology` and "
    "`capacity` answer root and users, with the account and every compute node of Slurm; `drift` "
    "finds no difference, and says what it did not compare",
    "edited-program": "a file of the node program that root edits on the controller or a login "
    "node is named there by `clusterwright drift`, and the controller's from the workstation, "
    "until it is as it was",
    "acts-on-nodes": "there root drains a node, with the reason in Slurm, and resumes it",
    "diagnoses-on-nodes": "there `clusterwright diagnose` names by the same tables the drained "
    "node, why a job failed, from its output, and what a log that is given says",
    "reboots-on-nodes": "`clusterwright node reboot` on the node that tests reboots a node and "
    "waits until it takes jobs; HyperPod's reboot is refused there",
    "accepts-on-nodes": "`clusterwright accept` on the node that tests waits for the report and "
    "writes it; root of the others reads the acceptance that is published",
    "users-on-nodes": "there a user who acts, a wrong name and what needs AWS are refused",
}

_REASON = "slow NVLink"
_USER = "nobody"
_REPORT = "/root/rehearsal-report"
_PROGRAM = "/opt/clusterwright/lib/clusterwright_state/spares.py"
_LOG = "/tmp/rehearsal-dmesg.txt"  # noqa: S108  of a node
_MESSAGE = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
_XID = "NVRM: Xid (PCI:0000:59:00): 79, pid=1, GPU has fallen off the bus."


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

        _on_nodes(context, node)
    finally:
        context.controller.run(f"scontrol delete reservation=clusterwright_drain_{node.host}")
        context.controller.run(f"scontrol update nodename={node.host} state=resume")
        context.wait_idle()


def _on_nodes(context: ScenarioContext, node: Node) -> None:
    """The same commands on the controller and on login nodes."""
    administrator = context.controller
    others = [each for each in context.nodes("login") if each.host != administrator.host]
    places = [administrator, *others]
    because = f"--because={shlex.quote(_REASON)}"
    with context.promise("on-nodes"):
        # The node of a job that has just ended may still be completing it.
        context.wait_idle()
        for place in places:
            for user in ("root", _USER):
                for command in ("status", "topology", "capacity"):
                    context.wait_for(
                        functools.partial(_missing, context, place, command, user), within_s=120
                    )
                    found = _local(context, place, command, user=user)
                    known = {context.cluster.account, *(("unknown",) if user == _USER else ())}
                    context.expect(found["account"] in known, f"{place}: {found['account']}")
                _drift(context, place, user)

    with context.promise("edited-program"):
        for place in places:
            _edits(context, place)

    with context.promise("acts-on-nodes"):
        _acts(context, node, places, because)

    with context.promise("diagnoses-on-nodes"):
        _diagnoses(context, node, places, because)

    with context.promise("reboots-on-nodes"):
        _reboots(context, node, f"node reboot {node.host} {because} --yes --wait=120")

    with context.promise("accepts-on-nodes"):
        words = f"accept --level=quick --nodes={node.host} --wait=120 --report={_REPORT}.json"
        report = _local(context, administrator, f"{words} --report={_REPORT}.xml")
        tested = {one["name"]: len(one["checks"]) for one in report["nodes"]}
        context.expect(report["status"] == "ended" and tested.get(node.host), f"{report}")
        written = json.loads(administrator.must(f"cat {_REPORT}.json"))
        context.expect(written == report, f"another report is written: {written}")
        cases = administrator.must(f"grep -c '<testcase ' {_REPORT}.xml; rm {_REPORT}.*")
        context.expect(int(cases) >= tested[node.host], f"{cases} cases in {_REPORT}.xml")
        operator.poll_now(context)
        for place in others:
            context.wait_for(
                functools.partial(_other_acceptance, context, place, node), within_s=60
            )
        context.wait_idle()

    with context.promise("users-on-nodes"):
        for place in places:
            for user, words, code, text in (
                (_USER, f"node drain {node.host} {because} --yes", 3, "needs root"),
                (_USER, "accept", 3, "needs root"),
                ("root", f"node drain no-such-node {because} --yes", 3, "no node no-such-node"),
                ("root", f"node drain {node.host} --yes", 3, "the reason is missing"),
                (_USER, "diagnose node", 3, "deploy, node NAME, or job ID"),
            ):
                done = place.run(f"clusterwright {words}", user=user)
                context.expect(
                    done.returncode == code and text in done.stderr,
                    f"{place}: {words}: {done.returncode}: {done.stderr[-300:]}",
                )
            found = _local(context, place, f"node replace {node.host} {because} --yes", codes=(1,))
            context.expect(found["nodes"][0]["outcome"] == "refused", f"{place}: {found}")
        for place in others:
            found = _local(context, place, "accept", codes=(2,))
            context.expect(found["status"] == "refused", f"{place}: {found}")
        context.expect("drain" not in node.slurm_state(), f"{node} is {node.slurm_state()}")


def _acts(context: ScenarioContext, node: Node, places: Sequence[Node], because: str) -> None:
    """A node is drained and resumed from each of the places."""
    for place in places:
        words = f"node drain {node.host} {because} --yes"
        found = _local(context, place, words, codes=(0,))
        context.expect(found["nodes"][0]["outcome"] == "done", f"{place}: {found}")
        on_hyperpod = context.cluster.on_hyperpod
        shown = context.slurm(
            f"sinfo -h -n {node.host} -o '%T %E'"
            if on_hyperpod
            else "scontrol --oneliner show reservation"
        )
        context.expect(f"{_REASON} (root)" in shown, f"{place}: {shown}")
        seen = _local(context, place, "status", codes=(1,))
        codes = [one["code"] for one in seen["findings"] if node.host in one["resources"]]
        context.expect(codes == ["node-drained"], f"{place}: {seen['findings']}")
        words = f"node resume {node.host} {because} --yes"
        found = _local(context, place, words, codes=(0,))
        context.expect(found["nodes"][0]["outcome"] == "done", f"{place}: {found}")
        # A resumed node does not respond until slurmctld's next ping.
        context.wait_idle()


def _drift(context: ScenarioContext, place: Node, user: str) -> None:
    """Nothing differs once nodes have Slurm's files; what only AWS knows is not compared."""
    context.wait_for(functools.partial(_difference, context, place, user), within_s=120)
    found = _local(context, place, "drift", user=user, codes=(2,))
    parts = "; ".join(one["what"] for one in found["not_compared"])
    context.note(f"{place.host}: drift ({user}) does not compare {parts}")


def _edits(context: ScenarioContext, place: Node) -> None:
    """An edited file of the node program is named; the version is the deployed one."""
    place.must(f"cp -p {_PROGRAM} /root/program.before && echo '# edited' >> {_PROGRAM}")
    try:
        for user in ("root", _USER):
            found = _local(context, place, "drift", user=user, codes=(1,))
            named = [(one["kind"], one["path"]) for one in found["differences"]]
            context.expect(named == [("node-program", _PROGRAM)], f"{place} ({user}): {found}")
        if place.host == context.controller.host:
            operator.poll_now(context)
            context.wait_for(functools.partial(_unpublished_edit, context), within_s=60)
            found = command_line.answer(context, ("drift",), codes=(1,))
            named = [
                (one["path"], one["deployed"] != one["file"])
                for one in found["differences"]
                if one["kind"] == "node-program"
            ]
            context.expect(named == [(_PROGRAM, True)], f"from the workstation: {found}")
    finally:
        place.must(f"mv /root/program.before {_PROGRAM}")
    _drift(context, place, "root")


def _unpublished_edit(context: ScenarioContext) -> str | None:
    program = ((_published(context) or {}).get("configuration") or {}).get("program") or {}
    paths = [one["path"] for one in program.get("changes", ())]
    return None if paths == [_PROGRAM] else f"published of the node program: {program}"


def _difference(context: ScenarioContext, place: Node, user: str) -> str | None:
    differences = _local(context, place, "drift", user=user, codes=(1, 2))["differences"]
    return f"{place}: drift ({user}): {differences}" if differences else None


def _diagnoses(context: ScenarioContext, node: Node, places: Sequence[Node], because: str) -> None:
    job = context.submit(f"echo {shlex.quote(_MESSAGE)} >&2; exit 1")
    job.wait("FAILED", within_s=60)
    context.wait_for(functools.partial(_output_problem, context, job.id), within_s=60)
    drained = "drained-by-person" if context.cluster.on_hyperpod else "reserved-by-person"
    for place in places:
        _local(context, place, f"node drain {node.host} {because} --yes", codes=(0,))
        place.must(f"echo {shlex.quote(_XID)} > {_LOG}")
        for user, words, wanted in (
            ("root", f"node {node.host}", drained),
            (_USER, f"node {node.host}", drained),
            ("root", f"job {job.id}", "gpu-memory"),
            ("root", f"node {node.host} --log={_LOG}", "xid-replace"),
        ):
            found = _local(context, place, f"diagnose {words}", user=user, codes=(1,))
            signatures = [one["signature"] for one in found["findings"]]
            context.expect(wanted in signatures, f"{place}: {words} ({user}): {found}")
            context.note(f"{place.host}: diagnose {words} ({user}): {', '.join(signatures)}")
        place.must(f"rm {_LOG}")
        _local(context, place, f"node resume {node.host} {because} --yes", codes=(0,))
        context.wait_idle()


def _output_problem(context: ScenarioContext, number: str) -> str | None:
    """None if accounting names the job's output, as slurmctld does until it forgets the job."""
    known = context.slurm(f"scontrol --oneliner show job {number}")
    asked = context.controller.run(
        f"sacct --noheader --parsable2 --allocations --expand-patterns --format=StdOut -j {number}"
    )
    if "accounting storage is disabled" in asked.stderr:
        return None
    named = asked.stdout.strip()
    return None if named and f"StdOut={named}" in known else f"sacct: {asked}: {known}"


def _local(
    context: ScenarioContext,
    place: Node,
    words: str,
    *,
    user: str = "root",
    codes: Sequence[int] = (0, 1, 2),
) -> dict[str, Any]:
    """The JSON of a command on a node."""
    done = place.run(f"clusterwright {words} --format=json", user=user, timeout_s=240)
    context.expect(
        done.returncode in codes,
        f"{place}: {words} ({user}): exit code {done.returncode}: "
        f"{(done.stderr or done.stdout)[-500:]}",
    )
    found: dict[str, Any] = json.loads(done.stdout)
    context.expect(found["exit_code"] == done.returncode, f"{words}: {found['exit_code']}")
    return found


def _reboots(context: ScenarioContext, node: Node, words: str) -> None:
    if context.cluster.on_hyperpod:
        (row,) = _local(context, context.controller, words, codes=(1,))["nodes"]
        context.expect("clusterwright node reboot FILE" in row["reason"], f"{row}")
        return
    before = node.instance_id, _booted(node)
    (row,) = _local(context, context.controller, words, codes=(0,))["nodes"]
    context.expect(row["outcome"] == "done", f"{row}")
    context.wait_idle()
    after = node.instance_id, _booted(node)
    context.expect(after[0] == before[0] and after[1] != before[1], f"{before}, then {after}")
    context.note(row["reason"])


def _booted(node: Node) -> str:
    """When the machine's systemd started; all machines share the boot of this host."""
    return node.must("systemctl show --property=UserspaceTimestampMonotonic --value").strip()


def _other_acceptance(context: ScenarioContext, place: Node, node: Node) -> str | None:
    """None if root of a node reads the acceptance that the node that tests has."""
    here, there = (_accepted(context, each, node) for each in (context.controller, place))
    return None if here == there else f"{node.host} is accepted {here}, for {place} {there}"


def _accepted(context: ScenarioContext, place: Node, node: Node) -> str:
    found = _local(context, place, "status")
    parts = [one for one in found["unknown"] if one["what"] == "the acceptance of nodes"]
    context.expect(not parts, f"{place}: {parts}")
    return str(next(one["accepted"] for one in found["nodes"] if one["name"] == node.host))


def _missing(context: ScenarioContext, place: Node, command: str, user: str) -> str | None:
    """None if an answer has every compute node; `capacity` has those that are idle."""
    found = _local(context, place, command, user=user)
    if found["command"] == "capacity":
        names = {name for group in found["spares"] for name in group["idle"]}
    else:
        names = {each["name"] for each in found["nodes"]}
    missing = sorted({node.host for node in context.compute} - names)
    if not missing:
        return None
    rows = [row for row in _local(context, place, "status")["nodes"] if row["name"] in missing]
    return f"{place}: {command} ({user}) lacks {', '.join(missing)}: {rows}"


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

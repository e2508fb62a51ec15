"""What a node's acceptance says, as findings."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from clusterwright_acceptance import comparison, outcome, registry

from clusterwright.diagnosis import acceptance, engine, scheduler
from clusterwright.diagnosis.model import Evidence, Finding, Target
from clusterwright.diagnosis.signatures import SIGNATURES
from tests.diagnosis.acceptance_reasons import Reason, every
from tests.diagnosis.made import CONTEXT, NOW, item

REASONS = every()
CHECKS = {check.id for check in registry.checks()} | {comparison.ID}
FILE = "configs/prod.yaml"
COMMANDS = {
    "replace": f"clusterwright node replace {FILE} w-1 --because ",
    "reboot": f"clusterwright node reboot {FILE} w-1 --because ",
    "check": f"clusterwright accept {FILE} --nodes w-1 --level full",
    "report": f"clusterwright drift {FILE}",
}
EXACT = {
    "xid: 79 on 0000:b9:00: GPU has fallen off the bus": "xid-replace",
    "xid: 62 on 0000:b9:00: the GPU needs a reset": "xid-reboot",
    "xid: on 0000:b9:00: GPU has fallen off the bus": "gpu-lost",
}


def found(*others: Evidence, **records: dict[str, Any]) -> tuple[Finding, ...]:
    nodes = {name.replace("_", "-"): record for name, record in records.items()}
    evidence = scheduler.of_document({"acceptance": nodes}, Target(), NOW)
    return engine.findings([*evidence, *others], CONTEXT)


def rejected(reason: str, action: str = "replace") -> dict[str, Any]:
    return {"state": "rejected", "reason": reason, "action": action}


def test_every_check_has_a_reason_here() -> None:
    assert {reason.check for reason in REASONS} == CHECKS
    assert set(acceptance.EXPLAINED_BY) | {check for check, _ in acceptance.MORE_EXACT} <= CHECKS


def test_signatures_that_say_the_same_exist() -> None:
    known = {signature.id for signature in SIGNATURES}
    for ids in (*acceptance.EXPLAINED_BY.values(), *acceptance.MORE_EXACT.values()):
        assert ids <= known
    actions = {action for _, action in acceptance.MORE_EXACT}
    assert actions | set(COMMANDS) == set(outcome.ACTIONS) - {"none"}


@pytest.mark.parametrize("reason", REASONS, ids=lambda one: f"{one.check}-{one.action}")
def test_reason_of_a_check_is_the_cause(reason: Reason) -> None:
    (finding,) = found(w_1=reason.record)
    said = str(reason.record["reason"])
    assert finding.signature == EXACT.get(said, f"acceptance-{reason.action}")
    assert finding.confidence == "certain"
    assert finding.next[0].startswith(COMMANDS[reason.action])
    assert finding.evidence[0].text == f"acceptance rejected: {said}"
    if said not in EXACT:
        advice = " (what to do: change software or configuration)"
        end = advice if reason.action == "report" else ""
        assert finding.cause == f"acceptance rejected the node: {said}{end}"


@pytest.mark.parametrize(
    ("reason", "action", "signature"),
    [
        ("gpu-health: GPU 3 is throttled by its hardware", "replace", "acceptance-replace"),
        ("locked-memory: ulimit -l allows 0.0625 GiB", "report", "acceptance-report"),
        ("gemm: GPU 3: 4 wrong sums: silent corruption", "replace", "acceptance-replace"),
        ("the node stopped during the checks", "reboot", "acceptance-reboot"),
        ("mounts: /fsx cannot be written: exit code 1: mkdir: timed out", "reboot", "acceptance-reboot"),
        # More exact, and neither is mended by a reboot.
        ("mounts: /fsx cannot be written: No space left on device", "reboot", "disk-full"),
        ("gpu-count: nvidia-smi: Unable to determine the device handle for GPU0", "replace", "gpu-lost"),
        # The record's action is not that of the code alone: the second time of the same Xid.
        ("xid: 62 on 0000:b9:00: the GPU needs a reset; 2 reboots", "replace", "acceptance-replace"),
    ],
)  # fmt: skip
def test_words_of_a_reason_name_no_other_cause(reason: str, action: str, signature: str) -> None:
    (finding,) = found(w_1=rejected(reason, action))
    assert finding.signature == signature


def test_record_without_an_action_is_tested_again() -> None:
    (finding,) = found(w_1={"state": "rejected", "reason": "cpus: 3 of 4 cores are online"})
    assert finding.cause == "acceptance rejected the node: cpus: 3 of 4 cores are online"
    assert finding.next == (f"clusterwright accept {FILE} --nodes w-1",)


def test_common_reason_is_one_finding_with_all_nodes() -> None:
    record = rejected("locked-memory: ulimit -l allows 0.06 GiB", "report")
    (finding,) = found(w_1=record, w_2=record)
    assert finding.resources == ("w-1", "w-2")
    assert finding.next[1] == f"clusterwright accept {FILE} --nodes w-1,w-2"
    gpus = rejected("gpu-count: 7 GPUs, ml.p5.48xlarge has 8")
    assert [one.resources for one in found(w_1=gpus, w_2=gpus)] == [("w-1",), ("w-2",)]


def test_unknown_state_is_tested_again() -> None:
    record = {"state": "unknown", "reason": "gemm: torch-python is not on this node"}
    (finding,) = found(w_1={**record, "action": "none"})
    assert finding.cause == (
        "acceptance does not know whether the node is good: gemm: torch-python is not on this node"
    )
    assert (finding.confidence, finding.signature) == ("possible", "acceptance-unknown")
    assert finding.next == (f"clusterwright accept {FILE} --nodes w-1",)
    assert found(w_1={"state": "accepted"}, w_2={"state": "new"}, w_3="x") == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reason", "line", "signature"),
    [
        ("gpu-count: 7 GPUs, ml.p5.48xlarge has 8", "NVRM: Xid (PCI:0000:b9:00): 79, GPU has fallen "
         "off the bus.", "xid-replace"),
        ("xid: 79 on 0000:b9:00: GPU has fallen off the bus", "NVRM: Xid (PCI:0000:b9:00): 79, GPU "
         "has fallen off the bus.", "xid-replace"),
        ("efa-devices: 31 EFA devices, ml.p5.48xlarge has 32", "efa 0000:4f:00.0: reset failed",
         "efa-device"),
    ],
)  # fmt: skip
def test_exact_cause_of_a_log_is_kept_in_place_of_the_verdict(
    reason: str, line: str, signature: str
) -> None:
    log = item("log", line, node="w-1")
    (finding,) = found(log, w_1=rejected(reason, "replace"))
    assert finding.signature == signature
    assert {one.kind for one in finding.evidence} == {"log", "acceptance"}
    elsewhere = found(item("log", line, node="w-2"), w_1=rejected(reason, "replace"))
    assert len(elsewhere) == 2


def test_other_cause_of_the_same_node_does_not_hide_the_verdict() -> None:
    full = item("log", "No space left on device", node="w-1")
    causes = {one.signature for one in found(full, w_1=rejected("gemm: GPU 3: 4 wrong sums"))}
    assert causes == {"disk-full", "acceptance-replace"}


def test_verdict_does_not_explain_the_end_of_a_job() -> None:
    fields = {"nodes": "w-1", "start": "2026-11-23T07:00:00+00:00", "ended_by": "slurm"}
    job = Evidence(
        "job", "s", "job 9", NOW, "NODE_FAIL exit 0:0", job="9", failed=True, fields=fields
    )
    record = {**rejected("gemm: GPU 3: 4 wrong sums"), "since": NOW.isoformat()}
    assert len(found(job, w_1=record)) == 2
    later = {**record, "since": (NOW + dt.timedelta(hours=3)).isoformat()}
    assert len(found(job, w_1=later)) == 2

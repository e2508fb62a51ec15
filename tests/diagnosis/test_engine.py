"""From evidence to findings: merging, consequences, ranks, commands, unknown causes."""

from __future__ import annotations

import dataclasses
import datetime as dt
import random

import pytest

from tests.diagnosis.made import NOW, findings, item, of_log

XID = "NVRM: Xid (PCI:0000:b9:00): 79, pid=1, GPU has fallen off the bus."
TIMEOUT = "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)"


def test_same_cause_on_two_nodes_is_one_finding_unless_it_is_hardware() -> None:
    full = [item("log", "No space left on device", node=n, id=n) for n in ("w-1", "w-2")]
    (finding,) = findings(*full)
    assert finding.resources == ("w-1", "w-2")
    lost = [item("log", XID, node=n, id=n) for n in ("w-1", "w-2")]
    assert [f.resources for f in findings(*lost)] == [("w-1",), ("w-2",)]


def test_consequence_becomes_evidence_of_its_cause() -> None:
    (finding,) = findings(
        item("log", XID, node="w-1"), item("scheduler-node", "Not responding", node="w-1")
    )
    assert finding.signature == "xid-replace"
    assert [e.text for e in finding.evidence] == [XID, "Not responding"]


def test_what_a_program_calls_a_cause_is_no_other_cause() -> None:
    for cause, repeated in (
        ("LustreError: ost_write to node 10.0.1.5@tcp failed: rc = -28", "[Errno 28] No space"),
        ("chronyd[900]: System clock wrong by 34.2 seconds", "munge: Rewound credential"),
        (
            "NCCL INFO Using network Socket",
            "nccl_net_ofi_init:1483 NCCL WARN NET/OFI aws-ofi-nccl initialization failed",
        ),
    ):
        lines = [item("log", text, job="7", id=text) for text in (repeated, cause)]
        (finding,) = findings(*lines)
        assert {e.text for e in finding.evidence} == {cause, repeated}, finding
    elsewhere = [item("log", "LustreError: rc = -28", node="w-1", id="1")]
    found = findings(*elsewhere, item("log", "No space left on device", node="w-2", id="2"))
    assert [f.signature for f in found] == ["lustre-full", "disk-full"]


def test_verdict_of_the_driver_is_no_other_cause_of_the_same_device() -> None:
    def found(device: str, node: str = "w-1") -> list[str]:
        error = "NVRM: Xid (PCI:0000:64:00): 140, pid=0, name=, ECC unrecovered error"
        verdict = f"NVRM: Xid (PCI:{device}): 154, GPU recovery action changed from 0x0 (None) to "
        lines = ((verdict + "0x2 (Node Reboot Required)", node), (error, "w-1"))
        made = [item("log", text, node=n, id=text) for text, n in lines]
        return [finding.cause[:12] for finding in findings(*made)]

    assert found("0000:64:00") == ["GPU: Xid 140"]
    assert found("0000:75:00") == ["GPU: Xid 140", "GPU: Xid 154"]
    assert found("0000:64:00", "w-2") == ["GPU: Xid 140", "GPU: Xid 154"]


def test_consequence_on_another_node_is_a_finding_of_its_own() -> None:
    found = findings(
        item("log", XID, node="w-1"), item("scheduler-node", "Not responding", node="w-2")
    )
    assert [f.signature for f in found] == ["xid-replace", "not-responding"]


def test_cause_after_the_end_of_a_job_does_not_explain_it() -> None:
    end = {"nodes": "w-1", "start": "2026-11-23T07:00:00+00:00", "ended_by": "slurm"}
    job = dataclasses.replace(
        item("job", "NODE_FAIL exit 0:0", job="9", failed=True, fields=end), time=NOW
    )
    for hours, signatures in ((0, ["xid-replace"]), (2, ["xid-replace", "job-node-fail"])):
        later = NOW + dt.timedelta(hours=hours)
        line = dataclasses.replace(item("log", XID, node="w-1"), time=later)
        assert [f.signature for f in findings(line, job)] == signatures


def test_stack_failure_does_not_explain_a_node() -> None:
    found = findings(
        item("stack-event", "RequestLimitExceeded", stack="prod-network", failed=True),
        item("scheduler-node", "Not responding", node="w-1", failed=True),
    )
    assert {f.signature for f in found} == {"throttled", "not-responding"}


def test_failure_without_a_signature_is_an_unknown_cause_with_its_text() -> None:
    (finding,) = findings(
        item("stack-event", "Frobnication failed", stack="prod-x", resource="A", failed=True)
    )
    assert (finding.cause, finding.confidence) == (
        "unknown cause: A: Frobnication failed",
        "possible",
    )
    assert finding.next == (
        "aws cloudformation describe-stack-events --stack-name prod-x --region us-east-1",
    )
    assert findings(item("log", "Frobnication failed")) == ()


def test_commands_quote_what_logs_say_and_name_the_nodes() -> None:
    (finding,) = findings(item("log", XID, node="w-1; rm -rf /"))
    assert finding.next[0] == (
        "clusterwright node replace configs/prod.yaml 'w-1; rm -rf /' --because 'GPU: Xid 79 on "
        "0000:b9:00: GPU has fallen off the bus'"
    )


def test_session_of_a_role_is_simulated_as_its_role() -> None:
    (finding,) = findings(
        item(
            "stack-event",
            "User: arn:aws:sts::111122223333:assumed-role/exec/s is not authorized to perform: "
            "ec2:CreateVpc on resource: *",
            failed=True,
        )
    )
    assert "--policy-source-arn arn:aws:iam::111122223333:role/exec " in finding.next[0]


def test_order_of_evidence_does_not_change_the_findings() -> None:
    lines = (*of_log(f"{XID}\n{TIMEOUT}"), item("scheduler-node", "Low RealMemory", node="w-3"))
    expected = findings(*lines)
    shuffled = list(lines)
    random.Random(1).shuffle(shuffled)
    assert findings(*shuffled) == expected == findings(*lines, *lines)


def test_at_most_twelve_statements_are_quoted() -> None:
    many = [item("log", "No space left on device", node=f"w-{n}", id=str(n)) for n in range(40)]
    (finding,) = findings(*many)
    assert (len(finding.evidence), len(finding.resources)) == (12, 40)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("FATAL:   Couldn't look up: user: unknown userid 551", "is not known on the node"),
        # Its level says too little about a daemon of Kubernetes, and a compiler's word is none.
        (
            'E1227 18:18:50.766203   94 client.go:83] "ListAndWatch ended for device plugin" '
            'err="rpc error: code = Unavailable desc = EOF"',
            "kubelet: a device plug-in on the node ended",
        ),
        ("error: objtool: function name is deprecated", "a kernel module cannot be built"),
    ],
)
def test_last_error_of_a_log_is_of_the_kind_that_its_words_tell(text: str, words: str) -> None:
    (found,) = findings(*of_log(text))
    assert words in found.cause
    assert found.signature == "statement"
    assert not findings(*of_log(text + "\nit goes on" * 9))


def test_error_at_the_end_of_a_log_is_an_unknown_cause() -> None:
    (finding,) = findings(*of_log("starting\nfrobnicator: error: gizmo 7 is out of phase\n"))
    assert (finding.cause, finding.confidence) == (
        "unknown cause: frobnicator: error: gizmo 7 is out of phase",
        "possible",
    )
    assert findings(*of_log("x: error: retry 1\nstep 1\nstep 2\nstep 3\n")) == ()
    assert findings(*of_log("error: Configured MailProg is invalid")) == ()


def test_last_error_of_a_failed_job_is_reported_in_place_of_its_exit_code() -> None:
    log = of_log("frob: ERROR: gizmo missing\na\nb\nc\nd\n", job="9")
    job = item("job", "FAILED exit 1:0", job="9", failed=True)
    (finding,) = findings(*log, job)
    assert finding.cause == (
        "frob: something that the program needs does not exist: gizmo missing"
    )
    (finding,) = findings(*of_log("gizmo ends\n", job="9"), job)
    assert finding.signature == "job-exit"


@pytest.mark.parametrize(("level", "count"), [("info", 0), ("debug", 0), ("error", 1)])
def test_log_that_ends_with_what_a_program_calls_information(level: str, count: int) -> None:
    text = (
        f'containerd[9]: level={level} msg="loading x" error="modprobe: FATAL: Module frob is odd"'
    )
    assert len(findings(*of_log(text))) == count

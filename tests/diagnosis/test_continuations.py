"""Wrapped errors of AWS's SDK for Go and panics of Go as one line of evidence."""

from __future__ import annotations

from clusterwright.diagnosis.continuations import HEAD, Panics
from tests.diagnosis.made import findings, of_log

PANIC = (
    "panic: runtime error: index out of range [0] with length 0",
    "",
    "goroutine 1 [running]:",
    "runtime.gopanic({0x1b2c3d, 0xc0003794a0})",
    "\t/usr/local/go/src/runtime/panic.go:770 +0x132",
    "sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).nominate(0xc0003794a0, {0xc000579c30, 0x1})",
    "\t/workspace/pkg/scheduler/scheduler.go:413 +0x2e5",
)


def read(*lines: str) -> list[tuple[str, int]]:
    panics = Panics()
    return [one for number, line in enumerate(lines, 1) for one in panics.read(line, number)]


def test_panic_has_the_package_of_its_first_frame_outside_the_runtime() -> None:
    said = "runtime error: index out of range [0] with length 0"
    assert read("starting", *PANIC) == [(f"{HEAD}{said} in sigs.k8s.io/kueue/pkg/scheduler", 2)]


def test_labels_of_a_terminal_before_lines_are_no_part() -> None:
    labelled = [f"│ aws-node {line}" for line in PANIC]
    assert [number for _, number in read(*labelled)] == [1]


def test_a_panic_without_frames_is_left_to_other_signatures() -> None:
    assert read("panic: error getting instance data", "step 12", "goroutine leak check ok") == []


def test_crash_of_a_known_program_is_named() -> None:
    (found,) = findings(*of_log("\n".join(PANIC)))
    assert found.signature == "go-panic"
    assert found.cause.startswith("Kueue crashed (panic): runtime error: index out of range")


def test_unknown_program_is_named_by_its_package() -> None:
    text = "\n".join(PANIC).replace("sigs.k8s.io/kueue/pkg/scheduler", "github.com/acme/gizmo/run")
    (found,) = findings(*of_log(text))
    assert found.cause.startswith("a program (acme/gizmo/run) crashed")


def test_error_behind_an_error_of_the_sdk_is_one_finding_with_it() -> None:
    text = (
        "E0404 1 driver.go:120] could not create volume in EC2: WebIdentityErr: failed to retrieve "
        "credentials\n"
        "caused by: AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity\n"
        "\tstatus code: 403, request id: 2550e4a3-f66a-4a6c-8080-47a7787e8bd3"
    )
    (found,) = findings(*of_log(text))
    assert found.signature == "pod-role"
    assert [e.id for e in found.evidence] == ["stream:1"]


def test_status_of_a_request_without_a_cause_stays_a_line() -> None:
    text = "something else\n        status code: 400, request id: 1\ncaused by: nothing"
    assert [line.text for line in of_log(text)] == [
        "something else",
        "status code: 400, request id: 1 caused by: nothing",
    ]

"""Wrapped errors of AWS's SDK for Go as one line of evidence."""

from __future__ import annotations

from tests.diagnosis.made import findings, of_log


def test_error_behind_an_error_of_the_sdk_is_one_finding_with_it() -> None:
    text = (
        "E0404 1 driver.go:120] could not create volume in EC2: WebIdentityErr: failed to "
        "retrieve "
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


def test_status_of_xla_that_another_one_has_is_one_line_with_it() -> None:
    text = (
        "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: custom call 'xla.gpu.all_reduce' "
        "failed:\n"
        "external/xla/xla/service/gpu/nccl_utils.cc:133: NCCL operation ncclGetUniqueId(&id) "
        "failed: Unable to load NCCL library.\n"
        "external/xla/xla/other.cc:1: this is a line of its own"
    )
    lines = of_log(text)
    assert len(lines) == 2
    assert lines[0].text.endswith("Unable to load NCCL library.")


def test_versions_of_the_driver_that_differ_are_one_finding() -> None:
    lines = (
        "kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.161.07",
        "kernel: NVRM: this kernel module has the version 535.161.07.  Please",
        "kernel: NVRM: make sure that this kernel module and all NVIDIA driver",
        "kernel: NVRM: components have the same version.",
    )
    for text in ("\n".join(lines), "\n".join(lines[1:])):
        (found,) = findings(*of_log(text))
        assert found.signature == "driver"
        assert [e.id for e in found.evidence] == ["stream:1"]
    assert [e.text for e in of_log(f"another line\n{lines[3]}")] == ["another line", lines[3]]

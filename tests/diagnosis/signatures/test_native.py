"""Signatures of the family `native`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of

CASES = (
    ("06-11-2023 20:19:09:497 [pid=1 tid=1] ERROR  cufio-drv:716 nvidia-fs.ko driver not loaded",
     "gpudirect-storage"),
    ("28-10-2024 17:38:08:134 [pid=8 tid=8] ERROR  0:140 unable to load,  liburcu-bp.so.6",
     "gpudirect-storage"),
    ("NET/OFI Couldn't set FI_OPT_EFA_SENDRECV_IN_ORDER. RC: -92, ERROR: Protocol not available",
     "libfabric-option"),
    ("rc_iface.c:492  UCX  ERROR ibv_create_srq() failed: Operation not supported", "ucx-device"),
    ("pml_ucx.c:291  Error: Failed to create UCP worker", "ucx-device"),
    ("python3: prov/efa/src/rdm/efa_rdm_pke.c:152: f: Assertion `p->next == NULL' failed.",
     "assertion"),
    ("Client error: aws-c-s3: AWS_ERROR_S3_REQUEST_HAS_COMPLETED, Request has completed",
     "s3-runtime"),
    ("sshd: no hostkeys available -- exiting.", "sshd-keys"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "signature"), CASES)
def test_message_has_its_signature(text: str, signature: str) -> None:
    assert signature_of("log", text) == (signature,)


@pytest.mark.parametrize(
    "text",
    [
        "09-06-2025 01:51:11:418 [pid=7 tid=7] NOTICE  cufio-drv:830 running in compatible mode",
        "rc_mlx5 is used on mlx5_0, as UCX found ibv_create_srq() to work",
        "ssh-keygen: generating new host keys: RSA ECDSA ED25519",
        "libfabric: FI_OPT_CUDA_API_PERMITTED set to 0",
    ],
)
def test_normal_lines_have_no_finding(text: str) -> None:
    assert findings(*of_log(text)) == ()


ABORTED = (
    "Aborted (core dumped)",
    "/x/slurm_script: line 12: 4242 Aborted                 (core dumped) python3 train.py",
)


@pytest.mark.parametrize("end", ABORTED)
def test_assertion_names_the_function_not_the_program_and_explains_its_end(end: str) -> None:
    text = f"python3: void gloo::Pair::handleReadDone(): Assertion `nread > 0' failed.\n{end}"
    (found,) = findings(*of_log(text))
    assert found.cause == (
        "a program ended at a check that failed in void gloo::Pair::handleReadDone(): nread > 0"
    )


@pytest.mark.parametrize("line", ABORTED)
def test_abort_is_no_segmentation_fault(line: str) -> None:
    (found,) = findings(*of_log(line))
    assert "SIGABRT" in found.cause

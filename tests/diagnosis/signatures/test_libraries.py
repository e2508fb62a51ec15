"""Signatures of the family `libraries`, in other words than the hold-out's, and what is near them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import signature_of

CASES = (
    (
        "ImportError: /opt/venv/amp_C.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c1010",
        "library-builds",
    ),
    ("RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", "library-builds"),
    (
        "Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.2.4.",
        "library-builds",
    ),
    ("/opt/libnccl-net.so: undefined symbol: ncclNetSymbol", "nccl-versions"),
    (
        "RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain.",
        "kernel-image",
    ),
    ("/usr/bin/ld: cannot find -laio: No such file or directory", "compiling"),
    ("main.c:5:10: fatal error: Python.h: No such file or directory", "compiling"),
    ("download failed: s3://prod/a.tar to - Connection was closed", "data-object"),
    ("zipfile.BadZipFile: File is not a zip file", "data-archive"),
    ("pyarrow.lib.ArrowInvalid: Parquet magic bytes not found in footer.", "data-archive"),
    (
        "/src/aten/src/ATen/native/cuda/Loss.cu:240: nll_loss: block: [0,0,0], thread: [3,0,0] Assertion `t >= 0 && t < n_classes` failed.",
        "device-assertion",
    ),
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        "kernel-image",
    ),
    ("RuntimeError: Error building extension 'cpu_adam'", "extension-build"),
)


@pytest.mark.parametrize(("text", "signature"), CASES)
def test_message_has_its_signature(text: str, signature: str) -> None:
    assert signature_of("log", text) == (signature,)


@pytest.mark.parametrize(
    "text",
    [
        "download: s3://prod/a.tar to ./a.tar",
        "aws s3 cp s3://prod/a.tar - exit 0",
        "torch 2.8.0+cu128, cuDNN version 91002",
        "compiling the extension fused_adam",
    ],
)
def test_normal_messages_have_no_signature(text: str) -> None:
    assert signature_of("log", text) == ("unknown",)

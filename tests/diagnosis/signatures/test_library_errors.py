"""Signatures of the family `library_errors`, in other words than the hold-out's."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, item, signature_of

READING = "safetensors_rust.SafetensorError: Error while deserializing header: "
CASES = (
    (f"{READING}invalid JSON in header: expected value at line 1 column 1", "safetensors"),
    (
        "Exception: data did not match any variant of untagged enum ModelWrapper at line 5 "
        "column 3",
        "tokenizer-format",
    ),
    (
        "ValueError: Hostfile contains multiple entries for a-1, unable to proceed with launching",
        "deepspeed-hosts",
    ),
    ("ValueError: Hostname 'a-9' not found in hostfile", "deepspeed-hosts"),
    ("ValueError: No slot '8' specified on host 'a-1'", "deepspeed-hosts"),
    (
        "RuntimeError: Using hostfile at /job/hostfile but host=a-1 was not reachable via ssh.",
        "deepspeed-ssh",
    ),
    ("RuntimeError: launcher 'pdsh' not installed.", "deepspeed-launcher"),
    ("InvalidCxxCompiler: No working C++ compiler found in torch._inductor", "no-compiler"),
    ("torch._inductor.exc.TritonMissing: Cannot find a working triton installation", "no-triton"),
    (
        "Found Quadro M6000 which is too old to be supported by the triton GPU compiler",
        "gpu-too-old",
    ),
    (
        "XlaRuntimeError: INVALID_ARGUMENT: All buffers must have the same element type and count",
        "xla-buffers",
    ),
    ("FATAL:   while mounting image: failed to find loop device", "loop-devices"),
)


@pytest.mark.parametrize(("text", "signature"), CASES)
def test_message_has_its_signature(text: str, signature: str) -> None:
    assert signature_of("log", text) == (signature,)


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("HeaderTooSmall", "not complete"),
        ("incomplete metadata, file not fully covered", "not complete"),
        ("HeaderTooLarge", "no file of safetensors"),
        ('TensorNotFound("lm_head.weight")', "lacks a tensor"),
        ("I/O error: Input/output error (os error 5)", "error of the file system"),
    ],
)
def test_error_of_safetensors_by_its_list(said: str, meaning: str) -> None:
    (found,) = findings(item("log", READING + said))
    assert meaning in found.cause


@pytest.mark.parametrize(
    "text",
    [
        "using hostfile at /job/hostfile",
        "loop device /dev/loop0 attached",
        "model.safetensors: 100%",
    ],
)
def test_normal_messages_have_no_signature(text: str) -> None:
    assert signature_of("log", text) == ("unknown",)

"""Errors of CUDA and statuses of Neuron's runtime."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.accelerator_errors import CUDA, NEURON, cuda, neuron


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("cudaErrorIllegalAddress", "memory that is not its own"),
        ("an illegal memory access was encountered", "memory that is not its own"),
        ("CUDA_ERROR_INVALID_DEVICE", "no GPU of this number"),
        ("invalid device ordinal", "no GPU of this number"),
        ("invalid device function", "another GPU or another CUDA version"),
        ("too many resources requested for launch", "more registers"),
        ("invalid argument", "an error of the program"),
        ("initialization error", "cannot be initialised"),
        ("peer access is not supported between these two devices", "peer access"),
        ("uncorrectable NVLink error detected during the execution", "NVLink"),
        ("operation not permitted when stream is capturing", "CUDA graph"),
        ("OS call failed or operation not supported on this OS", "driver"),
        ("unknown error", "bad state"),
    ],
)
def test_error_of_cuda_has_a_meaning(reason: str, words: str) -> None:
    assert words in (cuda({"reason": reason}) or "")


def test_other_words_have_no_meaning_and_none_is_given_twice() -> None:
    assert cuda({"reason": "frobnicated"}) is None
    assert len({text for _, text in CUDA}) >= len(CUDA) - 1


def test_status_of_neuron_is_known_by_name_and_number() -> None:
    by_name = neuron({"status_name": "EXEC_NC_BUSY"})
    assert by_name == neuron({"status_number": "1005"})
    assert "in use by another process" in (by_name or "")
    assert neuron({"status_number": "77"}) is None
    assert neuron({"status_name": "NEW"}) is None
    assert len({number for number, _ in NEURON.values()}) == len(NEURON)


def test_error_of_a_statement_that_pins_memory_is_of_the_host() -> None:
    code = "buffer = torch.empty(size, dtype=torch.uint8, pin_memory=True)"
    assert "page-locked" in (cuda({"reason": "invalid argument", "code": code}) or "")
    other = cuda({"reason": "an illegal memory access was encountered", "code": code}) or ""
    assert "page-locked" not in other

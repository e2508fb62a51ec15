"""What AMD's runtime prints before it aborts a program."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log

_FAULT = "Memory access fault by GPU node-4 (Agent handle: 0x1) on address 0x2. Reason: {}."


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("41%|##|HW Exception by GPU node-9 (Agent handle: 0x1) reason :GPU Hang", "it hung"),
        ("HW Exception by GPU node-9 (Agent handle: 0x1) reason :ECC", "memory is faulty"),
        (
            _FAULT.format("Page not present or supervisor privilege"),
            "memory that it does not have",
        ),
        (_FAULT.format("DRAM ECC failure"), "memory is faulty"),
        (_FAULT.format("Unknown"), "it failed"),
        (
            "Memory critical error by agent node-4 (Agent handle: 0x1) on address 0x2. Reason: "
            "Memory in use.",
            "freed memory",
        ),
        (
            ":0:rocdevice.cpp:2875: Callback: Queue 0x1 Aborting with error : "
            "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: The agent attempted to execute an illegal",
            "built for another GPU",
        ),
    ],
)
def test_reason_says_what_is_wrong(line: str, words: str) -> None:
    (found,) = findings(*of_log(f"{line}\nAborted (core dumped)"))
    assert found.signature == "amd-gpu"
    assert words in found.cause

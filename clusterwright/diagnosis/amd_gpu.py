"""What AMD's runtime for GPUs (ROCr) prints before it aborts a program.

Source: ROCm/ROCR-Runtime, core/runtime/runtime.cpp (VMFaultHandler, HwExceptionHandler) and
hsa.cpp (hsa_status_string), read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.signature import Values

_REASONS: Final = (
    (r"ECC", "its memory is faulty (ECC)"),
    (
        r"Hang|hang recovery",
        "it hung and was reset, so that all programs on it ended: a fault of the driver, of a "
        "kernel of the program, or of the GPU",
    ),
    (
        r"Page not present|read-only|marked NX|Host access only|APERTURE|MEMORY_FAULT",
        "a kernel of the program used memory that it does not have, as after a fault of the "
        "program or of a library built for another GPU",
    ),
    (r"Memory in use", "the program freed memory that a kernel still uses"),
    (r"ILLEGAL_INSTRUCTION|INVALID_ISA", "a kernel was built for another GPU"),
    (r"OUT_OF_RESOURCES|OUT_OF_REGISTERS", "its memory or another resource is used up"),
    (r"EXCEPTION|ERROR_FATAL", "a kernel ended with an exception of the hardware"),
    (r"INVALID_CODE_OBJECT", "a library has no kernels for this GPU"),
)

PATTERNS: Final = (
    r"(?P<kind>HW Exception|Memory access fault) by GPU node-(?P<gpu>\d+)[^\n]{0,120}?"
    r"[Rr]eason ?: ?(?P<reason>[^\n.]{2,80})",
    r"(?P<kind>Memory critical error) by agent node-(?P<gpu>\d+)[^\n]{0,120}?Reason: "
    r"(?P<reason>[^\n.]{2,80})",
    r"(?:inactivated due to async error|Aborting with error ?):\s*(?P<reason>HSA_STATUS_ERROR\w*)",
)


def cause(values: Values) -> str:
    """What is wrong by a message, and the GPU that it names."""
    reason = values["reason"].strip()
    said = next((text for words, text in _REASONS if re.search(words, reason)), "it failed")
    gpu = f" (node {values['gpu']} of the runtime)" if values.get("gpu") else ""
    kind = f"{values['kind']}: " if values.get("kind") else ""
    return f"GPU of AMD{gpu}: {said}: {kind}{reason}"

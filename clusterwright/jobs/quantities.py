"""Quantities of Kubernetes: 8, 1.5Gi, 500m, 1e3.

Source: Kubernetes API reference, Quantity: the grammar and the suffixes of its serialization.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

_QUANTITY: Final = re.compile(
    r"([+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30}))"
    r"(?:([KMGTPE])i|([numkMGTPE])|[eE]([+-]?\d{1,2}))?"
)
_POWERS: Final = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = "KMGTPE"


def parse_quantity(text: str) -> Decimal | None:
    """Return the amount, of memory in bytes; None for a text that is no quantity."""
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return None
    number, binary, decimal, exponent = match.groups()
    if binary:
        return Decimal(number) * Decimal(1024) ** Decimal(_BINARY.index(binary) + 1)
    power = _POWERS[decimal] if decimal else int(exponent or 0)
    return Decimal(number).scaleb(power)

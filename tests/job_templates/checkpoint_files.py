"""Files of checkpoints that the tests of conversion write."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

SHAPES = {"embedding": [8, 4], "norm": [4]}


def safetensors(path: Path, shapes: dict[str, list[int]]) -> None:
    """Write a file of 16-bit zeros."""
    entries: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, shape in shapes.items():
        size = 2
        for length in shape:
            size *= length
        entries[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    header = json.dumps(entries).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(end))

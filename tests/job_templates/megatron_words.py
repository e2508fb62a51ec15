"""Arguments of Megatron-LM in a rendered batch script."""

from __future__ import annotations

import re


def arguments_of(text: str) -> dict[str, str]:
    """Values by argument; each is there once."""
    step = text.partition('pretrain_gpt.py" \\\n')[2].partition("STEP_PID")[0]
    found = re.findall(r"^  (--[a-z0-9-]+)(?:=(\S+))?", step, re.MULTILINE)
    assert len(found) == len(dict(found))
    return dict(found)

"""Run a small PyTorch program on the node's GPUs, in the Python that has PyTorch."""

from __future__ import annotations

import json
from typing import Any

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected


def run(probe: Probe, expected: Expected, source: str, seconds: float) -> dict[str, Any]:
    """The object in the last line that the program prints.

    `source` runs with the number of GPUs as its argument. A program that needs a GPU that is not
    there ends with an error.

    Raises
    ------
    Missing
        No Python with PyTorch is on the node; `programs.torch-python` names one.
    Hung, Unreadable
        As in `running`.
    """
    python = running.program(probe, expected, "torch-python")
    if not running.run(probe, [python, "-c", "import torch"], 60.0).ok:
        raise running.Missing(f"{python} has no PyTorch")
    count = expected.type.accelerator_count or 1
    text = running.output(probe, [python, "-c", source, str(count)], seconds)
    lines = text.strip().splitlines()
    try:
        found = json.loads(lines[-1])
    except (ValueError, IndexError) as error:
        raise running.Unreadable("the PyTorch program printed no result") from error
    if not isinstance(found, dict):
        raise running.Unreadable("the PyTorch program printed no result")
    return found

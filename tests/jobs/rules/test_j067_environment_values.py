"""CW-J067: Variables of the environment have values that the programs accept."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


def test_other_values() -> None:
    run = "\nsrun torchrun train.py\n"
    found = fails("CW-J067", HEAD + "export PYTORCH_CUDA_ALLOC_CONF=expandable_segment:True" + run)
    assert (found.severity, found.hint) == ("error", "did you mean `expandable_segments`?")
    assert fails("CW-J067", HEAD + "export NCCL_DEBUG=DEBUG" + run).severity == "warning"


@pytest.mark.parametrize(
    "text",
    [
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        "NCCL_DEBUG=$LEVEL",
    ],
)
def test_values(text: str) -> None:
    passes("CW-J067", HEAD + f"export {text}\nsrun torchrun train.py\n")

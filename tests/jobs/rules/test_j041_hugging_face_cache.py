"""CW-J041: The Hugging Face cache is on Lustre or NVMe."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "export HF_HOME=$HOME/hf",
        "export HF_DATASETS_CACHE=/tmp/hf",
        "export TRANSFORMERS_CACHE=~/c",
        "huggingface-cli download meta-llama/Llama-3.1-8B",
    ],
)
def test_elsewhere(text: str) -> None:
    assert "/fsx" in (fails("CW-J041", HEAD + text + "\n").hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "export HF_HOME=/fsx/hf\nhf download a/b",
        "export HF_HOME=/scratch/hf",
        "srun torchrun train.py",
        "hf download a/b --local-dir /fsx/b",
        'export HF_HOME="${HF_HOME:-/fsx/hf}"',
    ],
)
def test_lustre_or_nvme(text: str) -> None:
    passes("CW-J041", HEAD + text + "\n")

"""CW-J048: Serving does not use Text Generation Inference, which is archived."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "srun --container-image=ghcr.io#huggingface/text-generation-inference:3.0 a",
        "docker run ghcr.io/huggingface/text-generation-inference:3.0",
        "srun text-generation-launcher",
    ],
)
def test_archived(text: str) -> None:
    found = fails("CW-J048", HEAD + text + "\n")
    assert "2026-03-21" in found.message
    assert "vLLM" in (found.hint or "")


def test_vllm() -> None:
    passes("CW-J048", HEAD + "srun --container-image=/fsx/vllm.sqsh vllm serve /fsx/m\n")

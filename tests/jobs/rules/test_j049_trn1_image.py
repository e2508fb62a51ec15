"""CW-J049: Images for Trn1 are pinned at Neuron 2.28 or older."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


def job(tag: str, partition: str = "trn") -> str:
    image = f"763104351884.dkr.ecr.us-east-1.amazonaws.com#pytorch-training-neuronx:{tag}"
    return (
        f"#!/bin/bash\n#SBATCH -p {partition}\nsrun --container-image={image} torchrun train.py\n"
    )


@pytest.mark.parametrize("tag", ["2.9.0-neuronx-py312-sdk2.30.0-ubuntu24.04", "latest"])
def test_newer_or_not_pinned(tag: str) -> None:
    assert "2.28" in (fails("CW-J049", job(tag)).hint or "")


def test_pinned_or_no_trn1() -> None:
    passes("CW-J049", job("2.9.0-neuronx-py311-sdk2.28.0-ubuntu22.04"))
    passes("CW-J049", job("latest", "cpu"))
    passes("CW-J049", "#!/bin/bash\n#SBATCH -p trn\nsrun torchrun train.py\n")

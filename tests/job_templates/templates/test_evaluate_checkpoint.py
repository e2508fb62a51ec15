"""evaluate-checkpoint: the node, the arguments, and where it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from tests.job_templates.made import IMAGE, SPEC, findings, made_cluster, rendered


def text(cluster: Any = None, **given: str) -> str:
    return rendered(
        "evaluate-checkpoint", cluster, **({"checkpoints": "/fsx/checkpoints/run-hf"} | given)
    )


def test_one_node() -> None:
    found = text(tasks="mmlu", num_fewshot="5")
    assert "#SBATCH --nodes=1\n" in found
    assert "#SBATCH --gpus-per-node=8\n" in found
    assert "export HF_HOME=/fsx/huggingface\n" in found
    assert "HF_HUB_OFFLINE" not in found
    end = found.rpartition("srun ")[2]
    assert "--tasks=mmlu \\\n  --marker=conversion.json \\\n" in end
    assert "--num-fewshot=5 \\\n  --parallelize \\\n  /fsx/checkpoints/run-hf\n" in end
    assert findings(found) == []


def test_offline() -> None:
    assert "export HF_DATASETS_OFFLINE=1\n" in text(offline="yes")
    network = SPEC["network"] | {"egress": "closed"}
    assert "export HF_HUB_OFFLINE=1\n" in text(made_cluster(network=network))


def test_a_container_on_one_device() -> None:
    found = text(image=IMAGE, parallelize="no", limit="100")
    assert '--container-image="$IMAGE"' in found
    assert "--parallelize \\\n" not in found
    assert "  --limit=100 \\\n" in found
    assert findings(found) == []


def test_refused() -> None:
    with pytest.raises(RefusedError, match="no FSx for Lustre file system"):
        text(made_cluster(storage={}))
    with pytest.raises(SettingError, match="this job has one process"):
        text(nodes="2")
    trainium = [group for group in SPEC["compute"] if group["name"] != "hopper"]
    slurm = SPEC["slurm"] | {"partitions": SPEC["slurm"]["partitions"][1:]}
    with pytest.raises(RefusedError, match="needs NVIDIA GPUs"):
        text(made_cluster(compute=trainium, slurm=slurm))

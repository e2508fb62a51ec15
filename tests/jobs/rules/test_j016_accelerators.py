"""CW-J016: The nodes have the accelerators that the job requests."""

from __future__ import annotations

import pytest

from tests.jobs.made import SPEC, fails, passes
from tests.support import parallelcluster_specs


@pytest.mark.parametrize(
    "line",
    [
        "--gres=gpu:16",
        "--gpus-per-node=h100:9",
        "--gpus=999",
        "--gres=gpu:1 -p cpu",
        "--gpus-per-task=2 --ntasks-per-node=8",
    ],
)
def test_more_than_the_node_has(line: str) -> None:
    assert fails("CW-J016", f"#!/bin/bash\n#SBATCH {line}\n").limit is not None


@pytest.mark.parametrize(
    "line", ["--gres=gpu:8", "--gpus-per-node=8", "-N2 -G 16", "--gpus-per-task=1 -n 8", "-N1"]
)
def test_what_the_node_has(line: str) -> None:
    passes("CW-J016", f"#!/bin/bash\n#SBATCH {line}\n")


def test_a_type_that_slurm_conf_does_not_have() -> None:
    """The generated slurm.conf has no types; ParallelCluster's has those of EC2."""
    text = "#!/bin/bash\n#SBATCH --gres=gpu:{}8\nsrun python train.py\n"
    found = fails("CW-J016", text.format("h100:"))
    assert found.message == (
        "accelerators of the type h100 are requested, and slurm.conf has no types of them"
    )
    passes("CW-J016", text.format(""))
    found = fails("CW-J016", text.format("h200:"), parallelcluster_specs.SMALL)
    assert found.message.endswith("slurm.conf has the type h100")
    passes("CW-J016", text.format("h100:"), parallelcluster_specs.SMALL)
    managed = {**SPEC, "slurm": {}}
    passes("CW-J016", text.format("h100:"), managed)


@pytest.mark.parametrize(
    ("instance_type", "kind"),
    [
        ("p4d.24xlarge", "a100"),
        ("p4de.24xlarge", "a100"),
        ("p5.48xlarge", "h100"),
        ("p5en.48xlarge", "h200"),
        ("g7e.48xlarge", "rtxproserver6000"),
    ],
)
def test_parallelcluster_has_the_names_of_ec2(instance_type: str, kind: str) -> None:
    """In lower case and without spaces; the catalogue tells GPUs apart that EC2 names alike."""
    small = parallelcluster_specs.SMALL
    group = {**small["compute"][2], "instance_type": instance_type}
    spec = {**small, "compute": [*small["compute"][:2], group]}
    text = "#!/bin/bash\n#SBATCH --gres=gpu:{}:8\nsrun python train.py\n"
    passes("CW-J016", text.format(kind), spec)
    found = fails("CW-J016", text.format("a100-40gb"), spec)
    assert found.message.endswith(f"slurm.conf has the type {kind}")


@pytest.mark.parametrize(
    ("instance_type", "head", "requested"),
    [
        ("trn2.48xlarge", "m5.4xlarge", "neuron:trainium2:16"),
        ("p6e-gb200.36xlarge", "m7g.4xlarge", "gpu:gb:4"),
    ],
)
def test_a_name_that_ec2_does_not_state_is_not_judged(
    instance_type: str, head: str, requested: str
) -> None:
    small = parallelcluster_specs.SMALL
    types = (head, head, instance_type)
    pairs = zip(small["compute"], types, strict=True)
    spec = {**small, "compute": [{**group, "instance_type": one} for group, one in pairs]}
    passes("CW-J016", f"#!/bin/bash\n#SBATCH --gres={requested}\n", spec)

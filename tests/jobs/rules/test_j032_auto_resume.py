"""CW-J032: --auto-resume is used on HyperPod, and with srun."""

from __future__ import annotations

from tests.jobs.made import HEAD, SPEC, fails, passes

OTHER = {k: v for k, v in SPEC.items() if k not in ("slurm", "storage")}
OTHER |= {"platform": "parallelcluster", "compute": OTHER["compute"][1:2]}
OTHER["compute"] = [
    {"name": "head", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
    {"name": "hopper", "role": "compute", "instance_type": "p5.48xlarge", "count": 8},
]


def test_on_sbatch() -> None:
    text = "#!/bin/bash\n#SBATCH --auto-resume=1\nsrun a\n"
    assert fails("CW-J032", text).severity == "warning"
    assert fails("CW-J032", text, OTHER).severity == "error"


def test_on_another_platform() -> None:
    found = fails("CW-J032", HEAD + "srun --auto-resume=1 torchrun train.py\n", OTHER)
    assert "HyperPod's" in found.message


def test_on_srun() -> None:
    passes("CW-J032", HEAD + "srun -l --auto-resume=1 torchrun train.py\n")
    passes("CW-J032", HEAD + "srun a\n", OTHER)

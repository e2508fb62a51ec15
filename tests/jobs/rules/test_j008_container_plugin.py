"""CW-J008: Jobs use containers only where the nodes have Pyxis."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, SPEC, fails, passes

WITHOUT = {**SPEC, "slurm": {**SPEC["slurm"], "containers": {"pyxis": False}}}
CONTAINER = "srun --container-image=/fsx/a.sqsh python train.py\n"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + CONTAINER,
        HEAD + "srun --no-container-mount-home --container-name=a python train.py\n",
        HEAD + "#SBATCH --container-image=/fsx/a.sqsh\nsrun python train.py\n",
    ],
)
def test_an_option_of_pyxis_without_pyxis(text: str) -> None:
    found = fails("CW-J008", text, WITHOUT)
    assert found.message.endswith("is an option of Pyxis, which the spec does not install")
    passes("CW-J008", text, SPEC)


@pytest.mark.parametrize(
    "line", ["srun --container=/fsx/bundle a", "srun python train.py --container-image=a"]
)
def test_other_options(line: str) -> None:
    """`--container` is an option of Slurm, for bundles of the Open Container Initiative."""
    passes("CW-J008", HEAD + line + "\n", WITHOUT)

"""CW-J026: Batch scripts set up conda before they activate an environment."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

ACTIVATE = "conda activate train\nsrun python train.py\n"


@pytest.mark.parametrize("lines", [ACTIVATE, ACTIVATE + "source ~/.bashrc\n"])
def test_a_function_that_is_not_defined(lines: str) -> None:
    found = fails("CW-J026", HEAD + lines)
    assert found.message.startswith("`conda activate` needs a shell function")


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "source /fsx/miniconda3/etc/profile.d/conda.sh\n" + ACTIVATE,
        HEAD + 'eval "$(conda shell.bash hook)"\n' + ACTIVATE,
        HEAD + 'eval "$(/fsx/conda/bin/conda shell.bash hook)"\n' + ACTIVATE,
        HEAD + "source ~/.bashrc\n" + ACTIVATE,
        HEAD + "module load anaconda3\n" + ACTIVATE,
        HEAD.replace("#!/bin/bash", "#!/bin/bash -l") + ACTIVATE,
        HEAD + "source /fsx/miniconda3/bin/activate train\nsrun python train.py\n",
        HEAD + "conda run --name train python train.py\n",
    ],
)
def test_other_scripts(text: str) -> None:
    passes("CW-J026", text)

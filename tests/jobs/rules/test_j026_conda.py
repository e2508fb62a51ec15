"""CW-J026: Batch scripts set up conda before they activate an environment."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

ACTIVATE = "conda activate train\nsrun python train.py\n"


@pytest.mark.parametrize(
    "lines",
    [
        ACTIVATE,
        ACTIVATE + "source ~/.bashrc\n",
        "# conda.sh is sourced by users\n" + ACTIVATE,
        "srun -l bash -c 'conda activate train && python train.py'\n",
        'eval "$(ssh-agent -s)"\n' + ACTIVATE,
        "conda activate train && source /fsx/env/setup.sh\n",
    ],
)
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
        HEAD.replace("#!/bin/bash", "#!/bin/bash --login") + ACTIVATE,
        HEAD.replace("#!/bin/bash", "#!/usr/bin/env -S bash -l") + ACTIVATE,
        HEAD.replace("#!/bin/bash", "#!/bin/zsh -l") + ACTIVATE,
        HEAD.replace("#!/bin/bash", "#!/bin/zsh") + ACTIVATE,
        HEAD + "source /opt/conda/etc/profile.d/conda.sh && " + ACTIVATE,
        HEAD + "set_up() { . /opt/conda/etc/profile.d/conda.sh; conda activate $1; }\nset_up a\n",
        HEAD + "start() { conda activate a; }\nsource /opt/conda/etc/profile.d/conda.sh\nstart\n",
        HEAD + "eval \"$('/opt/conda/bin/conda' 'shell.bash' 'hook' 2> /dev/null)\"\n" + ACTIVATE,
        HEAD + "set_up=\"$('/opt/conda/bin/conda' 'shell.bash' 'hook')\"\n"
        'eval "$set_up"\n' + ACTIVATE,
        HEAD + ". /opt/mamba/etc/profile.d/mamba.sh\nmamba activate train\n",
        HEAD + "source /fsx/env/setup.sh\n" + ACTIVATE,
        HEAD + "module add conda\n" + ACTIVATE,
        HEAD + "ml purge\nml anaconda3\n" + ACTIVATE,
        HEAD + "spack load miniconda3\n" + ACTIVATE,
        HEAD + "srun bash -lc 'conda activate train && python train.py'\n",
        HEAD + "srun bash -c '. /opt/conda/etc/profile.d/conda.sh && conda activate train'\n",
        HEAD + "source /fsx/miniconda3/bin/activate train\nsrun python train.py\n",
        HEAD + "conda run --name train python train.py\n",
    ],
)
def test_other_scripts(text: str) -> None:
    passes("CW-J026", text)

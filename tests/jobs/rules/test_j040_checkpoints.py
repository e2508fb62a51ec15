"""CW-J040: Checkpoints and outputs are on Lustre or NVMe."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("srun torchrun train.py --save /home/me/c", "home directories"),
        ("srun torchrun train.py --output_dir=~/out", "home directories"),
        ("srun torchrun train.py --checkpoint.folder /tmp/c", "root disk"),
        ("srun python n.py exp_manager.exp_dir=/lustre/e", "no file system"),
        ("CHECKPOINT_PATH=$HOME/c\nsrun a", "home directories"),
        ("cd /tmp\nsrun torchrun train.py --save out", "/tmp/out is on the root disk"),
        ("cd $HOME/run && torchrun train.py --output_dir=out", "home directories"),
        ("cd /home/me\nsrun python n.py exp_manager.exp_dir=e", "/home/me/e"),
        ("A=( --save /home/c )\nsrun torchrun train.py ${A[@]}", "home directories"),
        ("srun bash -c 'cd /tmp && python train.py --output_dir out'", "/tmp/out is on"),
        ("srun bash -c 'cp -r /a /b; python train.py --output_dir /tmp/out'", "/tmp/out is on"),
    ],
)
def test_elsewhere(text: str, message: str) -> None:
    found = fails("CW-J040", HEAD + text + "\n")
    assert message in found.message
    assert found.hint == "write below /fsx/checkpoints"


def test_read_only_bucket() -> None:
    found = fails("CW-J040", HEAD + "srun torchrun train.py --save /results/c\n")
    assert found.severity == "error"


@pytest.mark.parametrize(
    "text",
    [
        "srun torchrun train.py --save /fsx/c",
        "srun torchrun train.py --output_dir /scratch/c",
        "srun torchrun train.py --save $WHERE/c",
        "srun torchrun train.py --save out",
        "cd /fsx/run\nsrun torchrun train.py --save out",
        "cd /tmp\ncd /fsx\nsrun torchrun train.py --output_dir=out",
        "cd /tmp\nsrun --container-image=/fsx/a.sqsh torchrun train.py --save out",
        "cd /tmp\nsrun torchrun train.py --save $WHERE/c",
        "cd /tmp\nsrun bash -c 'cd /fsx/run && python train.py --output_dir ckpt'",
        "cd /tmp\nsrun bash -c 'cd /fsx/run && torchrun train.py --output_dir ckpt'",
        "cd /tmp\nsrun --chdir=/fsx/run python train.py --output_dir ckpt",
        "srun bash -c 'tool --save; cp /home/me/a /fsx/a'",
        "srun torchrun train.py --load /home/c",
        "srun --container-image=/fsx/a.sqsh --container-mounts=/fsx:/data t.py --save /data/c",
        "srun --container-image=/fsx/a.sqsh torchrun train.py --save /workspace/c",
    ],
)
def test_lustre_nvme_or_not_known(text: str) -> None:
    passes("CW-J040", HEAD + text + "\n")


def test_mount_of_a_container() -> None:
    text = (
        "srun --container-image=/fsx/a.sqsh --container-mounts=/home:/data t.py --save /data/c\n"
    )
    fails("CW-J040", HEAD + text)


FUNCTION = "save_to() {{\n  srun torchrun train.py --output_dir $1\n}}\n{}\n"


def test_a_path_that_a_function_is_given() -> None:
    found = fails("CW-J040", HEAD + FUNCTION.format("save_to $HOME/runs"))
    assert found.message.startswith("${HOME}/runs is on")
    passes("CW-J040", HEAD + FUNCTION.format("save_to /fsx/runs"))
    passes("CW-J040", HEAD + FUNCTION.format("# save_to $HOME/runs"))

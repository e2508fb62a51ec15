"""CW-J042: `enroot import` unpacks on NVMe or Lustre."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes

IMPORT = "enroot import -o /fsx/a.sqsh docker://nvcr.io#nvidia/pytorch:25.01-py3\n"


def test_not_set() -> None:
    assert fails("CW-J042", f"#!/bin/bash\n#SBATCH -p cpu\n{IMPORT}").severity == "warning"
    # The node program sets them on nodes with scratch disks.
    assert fails("CW-J042", f"#!/bin/bash\n#SBATCH -p gpu\n{IMPORT}").severity == "info"


def test_on_the_root_disk() -> None:
    text = "export ENROOT_CACHE_PATH=/tmp/c ENROOT_TEMP_PATH=/scratch/t\n"
    assert "root disk" in fails("CW-J042", "#!/bin/bash\n" + text + IMPORT).message


def test_nvme() -> None:
    text = "export ENROOT_CACHE_PATH=/scratch/c\nexport ENROOT_TEMP_PATH=/scratch/t\n"
    passes("CW-J042", "#!/bin/bash\n" + text + IMPORT)
    passes("CW-J042", "#!/bin/bash\nsrun enroot start a\n")


PATHS = "export ENROOT_CACHE_PATH=/scratch/c ENROOT_TEMP_PATH=/scratch/t\n"
IMAGE = "docker://nvcr.io#nvidia/pytorch:25.01-py3"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (f"cd /tmp\nenroot import {IMAGE}", "/tmp, which is on the root disk"),
        (f"cd /var/lib && enroot import -o a.sqsh {IMAGE}", "/var/lib/a.sqsh"),
        (f"cd\nenroot import {IMAGE}", "~, which is on the home directories"),
        (f"cd $HOME/images || exit 1\nsrun -N1 enroot import {IMAGE}", "/images"),
        (f"cd /fsx\ncd /tmp\ncd x\nenroot import {IMAGE}", "/tmp/x"),
        (f"(cd /tmp && enroot import {IMAGE})", "/tmp"),
        (f"pushd /tmp\nenroot import --output=a.sqsh {IMAGE}", "/tmp/a.sqsh"),
        (f"cd /tmp; bash -c 'enroot import {IMAGE}'", "/tmp"),
        (f"bash -c 'cd /opt; enroot import {IMAGE}'", "/opt"),
        (f"enroot import -o /root/a.sqsh {IMAGE}", "/root/a.sqsh"),
        (f"mv /tmp/a.sqsh /fsx/\nenroot import -o /tmp/a.sqsh {IMAGE}", "/tmp/a.sqsh"),
        (f"enroot import -o /tmp/a.sqsh {IMAGE}\nmv /tmp/a.sqsh ~/images/", "/tmp/a.sqsh"),
        (f"enroot import -o /tmp/a.sqsh {IMAGE}\nmv /tmp/b.sqsh /fsx/", "/tmp/a.sqsh"),
        (f"enroot import -o /tmp/a.sqsh {IMAGE}\ncp /fsx/b /tmp/a.sqsh", "/tmp/a.sqsh"),
    ],
)
def test_the_image_is_on_a_small_disk(text: str, where: str) -> None:
    assert where in fails("CW-J042", f"#!/bin/bash\n{PATHS}{text}\n").message


@pytest.mark.parametrize(
    "text",
    [
        f"cd /fsx/images\nenroot import {IMAGE}",
        f"cd /tmp\ncd /scratch\nenroot import {IMAGE}",
        f"(cd /tmp && ls)\nenroot import {IMAGE}",
        f"cd /tmp\ncd -\nenroot import {IMAGE}",
        f"if true; then cd /tmp; fi\nenroot import {IMAGE}",
        f'cd "$SLURM_SUBMIT_DIR"\nenroot import {IMAGE}',
        f"cd /tmp\nenroot import -o /fsx/a.sqsh {IMAGE}",
        f"pushd /tmp\npopd\nenroot import {IMAGE}",
        f"enroot import -o /tmp/a.sqsh {IMAGE}; mv /tmp/a.sqsh /fsx/images/a.sqsh",
        f"cd /tmp && enroot import -o a.sqsh {IMAGE} && mv -f a.sqsh /fsx/images/",
        f"cd /tmp\nenroot import {IMAGE}\nmv *.sqsh /fsx/images/",
        f"enroot import -o /tmp/a.sqsh {IMAGE}\nrsync -a /tmp/a.sqsh /fsx/images/",
        f"enroot import -o /tmp/a.sqsh {IMAGE}\ncp -t /fsx/images /tmp/a.sqsh",
        f"enroot import -o /tmp/a.sqsh {IMAGE}\nsrun -N1 bash -c 'cp /tmp/a.sqsh /fsx/i/'",
    ],
)
def test_the_image_is_elsewhere_or_not_known(text: str) -> None:
    passes("CW-J042", f"#!/bin/bash\n{PATHS}{text}\n")


def test_the_folder_of_the_job() -> None:
    text = f"#!/bin/bash\n#SBATCH --chdir=/tmp\n{PATHS}enroot import {IMAGE}\n"
    assert "/tmp" in fails("CW-J042", text).message

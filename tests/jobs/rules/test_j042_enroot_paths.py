"""CW-J042: `enroot import` unpacks on NVMe or Lustre."""

from __future__ import annotations

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

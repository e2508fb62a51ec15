"""The wheel of the local AWS has every module and data file of the package, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from tools.lint.files import ROOT, repository_files

PACKAGE = ROOT / "packages" / "localaws"


def test_wheel_contains_only_the_package_and_its_data(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", os.fspath(tmp_path)],
        cwd=PACKAGE,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    packed = {name for name in names if ".dist-info/" not in name}
    package = PACKAGE / "clusterwright_localaws"
    expected = {
        path.relative_to(PACKAGE).as_posix()
        for path in repository_files()
        if path.is_relative_to(package)
    }
    assert packed == expected
    assert "clusterwright_localaws/worlds/generous.yaml" in packed
    assert "clusterwright_localaws/core/tolerated.json" in packed

"""Packages of Debian and Ubuntu, unpacked below `.clusterwright/` and not installed.

Their services would listen on ports of the machine. apt checks the signatures.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.setup.command import run
from tools.setup.errors import SetupError
from tools.setup.lock import only_one


def can_install() -> bool:
    """Return whether packages can be fetched here: as root, which updates apt's lists."""
    return (
        sys.platform == "linux"
        and os.geteuid() == 0
        and shutil.which("apt-get") is not None
        and shutil.which("dpkg-deb") is not None
    )


def bring_up_to_date(
    home: Path, packages: Sequence[Sequence[str]], is_current: Callable[[], bool]
) -> bool:
    """Fetch and unpack packages into `home` unless `is_current`; return whether it did.

    Parameters
    ----------
    packages:
        Each is a package, or several of which the first that the index has is taken: releases
        differ in the package that has a program.

    Raises
    ------
    SetupError
        A package cannot be fetched or unpacked.
    """
    home.parent.mkdir(exist_ok=True)
    with only_one(home.parent / f"{home.name}.lock"):
        if is_current():
            return False
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        run(["apt-get", "update", "-q"], doing="reading Debian's package lists")
        for names in packages:
            package = _download(home, names)
            run(["dpkg-deb", "--extract", package, home], doing=f"unpacking {package.name}")
            package.unlink()
    return True


def _download(home: Path, names: Sequence[str]) -> Path:
    for name in names:
        try:
            run(["apt-get", "download", "-q", name], doing=f"downloading {name}", cwd=home)
        except SetupError:
            if name == names[-1]:
                raise
        found = sorted(home.glob(f"{name}_*.deb"))
        if found:
            return found[0]
    raise SetupError(f"downloading {names[-1]}: no package was written", "run it again")

"""promtool, Prometheus' own test tool, from Debian's and Ubuntu's packages.

`python -m tools.setup.promtool` unpacks the package into `.clusterwright/promtool/` where the
machine has no promtool. The package is not installed: its service would listen on port 9090 of
the machine. apt checks its signature. Only the tests need it, so `make test` fetches it and
`make setup` does not.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from tools.setup.command import run
from tools.setup.errors import SetupError
from tools.setup.lock import only_one
from tools.setup.paths import ROOT
from tools.setup.progress import bring_up

PACKAGES = ("promtool", "prometheus")
HOME = ROOT / ".clusterwright" / "promtool"
UNPACKED = HOME / "usr" / "bin" / "promtool"


def can_install() -> bool:
    """Return whether the package can be fetched here: as root, which updates apt's lists."""
    return (
        sys.platform == "linux"
        and os.geteuid() == 0
        and shutil.which("apt-get") is not None
        and shutil.which("dpkg-deb") is not None
    )


def program() -> Path:
    """Return the machine's promtool, else the path of the unpacked one."""
    found = shutil.which("promtool")
    return UNPACKED if found is None else Path(found)


def is_current() -> bool:
    """Return whether there is a promtool."""
    return program().is_file()


def bring_up_to_date() -> bool:
    """Fetch and unpack the package if there is no promtool; return whether it was fetched.

    Raises SetupError on failure.
    """
    HOME.parent.mkdir(exist_ok=True)
    with only_one(HOME.parent / "promtool.lock"):
        if is_current():
            return False
        shutil.rmtree(HOME, ignore_errors=True)
        HOME.mkdir()
        run(["apt-get", "update", "-q"], doing="reading Debian's package lists")
        package = _download()
        run(["dpkg-deb", "--extract", package, HOME], doing=f"unpacking {package.name}")
        package.unlink()
    return True


def _download() -> Path:
    """Return the package that has promtool: newer releases have one for it alone."""
    for name in PACKAGES:
        try:
            run(["apt-get", "download", "-q", name], doing=f"downloading {name}", cwd=HOME)
        except SetupError:
            if name == PACKAGES[-1]:
                raise
        found = sorted(HOME.glob(f"{name}_*.deb"))
        if found:
            return found[0]
    raise SetupError(f"downloading {PACKAGES[-1]}: no package was written", "run it again")


def main() -> int:
    """Fetch promtool if needed; 0 if there is one or none can be fetched here, 1 on failure."""
    if is_current() or not can_install():
        return 0
    return bring_up("promtool", bring_up_to_date)


if __name__ == "__main__":
    sys.exit(main())

"""promtool, Prometheus' own test tool, from Debian's and Ubuntu's packages.

`python -m tools.setup.promtool` unpacks the package into `.clusterwright/promtool/` where the
machine has no promtool. Only the tests need it, so `make test` fetches it and `make setup` does
not.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tools.setup import unpacked_packages
from tools.setup.paths import ROOT
from tools.setup.progress import bring_up
from tools.setup.unpacked_packages import can_install

# Newer releases have a package for it alone.
PACKAGES = (("promtool", "prometheus"),)
HOME = ROOT / ".clusterwright" / "promtool"
UNPACKED = HOME / "usr" / "bin" / "promtool"


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
    return unpacked_packages.bring_up_to_date(HOME, PACKAGES, is_current)


def main() -> int:
    """Fetch promtool if needed; 0 if there is one or none can be fetched here, 1 on failure."""
    if is_current() or not can_install():
        return 0
    return bring_up("promtool", bring_up_to_date)


if __name__ == "__main__":
    sys.exit(main())

"""Step 8: the Debian packages that emulated nodes need, where they can be installed.

They are installed for root on Debian, Ubuntu and derivatives; elsewhere the rehearsal names the
missing ones. Without them everything except emulated nodes works, so a failure here is a warning;
the next set-up tries again.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from tools.setup.command import run
from tools.setup.errors import SetupError

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")

# Program -> its package, on Debian and on Ubuntu.
PROGRAMS = {
    "systemd-nspawn": "systemd-container",
    "mmdebstrap": "mmdebstrap",
    "ip": "iproute2",
    "nsenter": "util-linux",
    "mount": "mount",
}
_KEYRING_PACKAGE = "debian-archive-keyring"
_APT = {"DEBIAN_FRONTEND": "noninteractive"}


def inputs() -> list[bytes]:
    # The user may have become root since the last run.
    return [b"root" if can_install() else b"not root", *(name.encode() for name in _packages())]


def outputs() -> list[Path]:
    if not can_install():
        return []
    return [KEYRING, *(Path(shutil.which(name) or f"/usr/bin/{name}") for name in PROGRAMS)]


def install() -> None:
    """Install what is missing; a failure is a warning."""
    missing = missing_packages()
    if not missing or not can_install():
        return
    print(f" (installing Debian's {', '.join(missing)})", end="", file=sys.stderr, flush=True)
    try:
        run(
            ["apt-get", "update", "-q"],
            doing="reading Debian's package lists",
            environment=_APT,
        )
        run(
            ["apt-get", "install", "-q", "-y", "--no-install-recommends", *missing],
            doing=f"installing {', '.join(missing)}",
            environment=_APT,
        )
    except SetupError as error:
        print(
            f"\nwarning: {error.message}; `clusterwright rehearse` will have no nodes until "
            f"`apt-get install {' '.join(missing)}` works",
            file=sys.stderr,
        )


def missing_packages() -> list[str]:
    """Return the packages whose program or file is missing, sorted."""
    found = {package for name, package in PROGRAMS.items() if shutil.which(name) is None}
    if not KEYRING.exists():
        found.add(_KEYRING_PACKAGE)
    return sorted(found)


def can_install() -> bool:
    """Return whether packages can be installed here without a prompt."""
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def _packages() -> list[str]:
    return sorted({*PROGRAMS.values(), _KEYRING_PACKAGE})

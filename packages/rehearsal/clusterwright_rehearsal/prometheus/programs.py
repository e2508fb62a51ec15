"""Where the programs of Prometheus and Alertmanager are on this machine."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from clusterwright_rehearsal.cdk import CHECKOUT

PROMETHEUS: Final = "prometheus"
ALERTMANAGER: Final = "prometheus-alertmanager"
"""The name of Debian's and Ubuntu's package and program."""

UNPACKED: Final = CHECKOUT / ".clusterwright" / "prometheus"
"""Where `python -m tools.setup.prometheus` unpacks the packages."""

INSTALL: Final = (
    f"apt-get install {PROMETHEUS} {ALERTMANAGER}, or in a checkout as root "
    "`python -m tools.setup.prometheus`, which installs no service"
)


def find(program: str) -> Path | None:
    """The path of a program: on PATH, else unpacked in the checkout; None if there is none."""
    found = shutil.which(program)
    if found is not None:
        return Path(found)
    unpacked = UNPACKED / "usr" / "bin" / program
    return unpacked if unpacked.is_file() else None


def command(program: str) -> list[str]:
    """The words that start a program; empty if there is none.

    Alertmanager reads its templates from /usr/share. Those of an unpacked package are mounted
    there in a mount namespace of the program's own, so that nothing changes on the machine.
    """
    path = find(program)
    if path is None:
        return []
    if not path.is_relative_to(UNPACKED):
        return [str(path)]
    overlay = f"lowerdir={UNPACKED / 'usr' / 'share'}:/usr/share"
    mount = 'mount -t overlay -o "$1" overlay /usr/share && shift && exec "$@"'
    return [
        *("unshare", "--mount", "--propagation=private", "--"),
        *("/bin/sh", "-c", mount, "sh", overlay, str(path)),
    ]


def missing() -> list[str]:
    """The programs that this machine lacks."""
    return [name for name in (PROMETHEUS, ALERTMANAGER) if find(name) is None]

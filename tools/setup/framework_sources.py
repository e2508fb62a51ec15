"""Sources of the frameworks whose arguments job files have, from their pinned wheels.

`python -m tools.setup.framework_sources` unpacks them into `.clusterwright/framework-sources/`,
with the hashes in requirements/framework-sources*.txt, where the pins have changed. They are read,
not imported, and what they depend on is not fetched. Only a test needs them, which fetches them.
"""

from __future__ import annotations

import hashlib
import shutil
import sys

from tools.setup.lock import only_one
from tools.setup.packages import read_committed, uv_pip
from tools.setup.paths import ROOT
from tools.setup.progress import bring_up

HOME = ROOT / ".clusterwright" / "framework-sources"
UNPACKED = HOME / "packages"
UNPACKED_OF_NEURON = HOME / "neuron"
"""Another release of torchtitan, which cannot lie in the same folder."""
PINS = {
    UNPACKED: ROOT / "requirements" / "framework-sources.txt",
    UNPACKED_OF_NEURON: ROOT / "requirements" / "framework-sources-neuron.txt",
}
_STAMP = HOME / "built-from"
# Sources are the same in each wheel: one that every index has.
_WHEELS = ("--python-version", "3.12", "--python-platform", "x86_64-manylinux_2_28")


def is_current() -> bool:
    """Return whether the sources are those of the pins."""
    return _STAMP.is_file() and _STAMP.read_text() == _digest()


def bring_up_to_date() -> bool:
    """Fetch and unpack the sources if they are not current; return whether they were fetched.

    Raises SetupError on failure.
    """
    HOME.parent.mkdir(exist_ok=True)
    with only_one(HOME.parent / "framework-sources.lock"):
        if is_current():
            return False
        shutil.rmtree(HOME, ignore_errors=True)
        HOME.mkdir()
        for folder, requirements in PINS.items():
            uv_pip(
                "install",
                *("--require-hashes", "--no-deps", "--only-binary=:all:", *_WHEELS),
                *("--target", folder, "-r", requirements),
                doing="fetching the sources of training frameworks",
            )
        _STAMP.write_text(_digest())
    return True


def main() -> int:
    """Fetch the sources if needed; 0 if they are current, 1 on failure."""
    return bring_up("sources of training frameworks", bring_up_to_date)


def _digest() -> str:
    pins = [read_committed(path) for path in PINS.values()]
    return hashlib.sha256(b"".join(pins)).hexdigest()


if __name__ == "__main__":
    sys.exit(main())

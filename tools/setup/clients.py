"""Environments of the third-party clients that the tests use.

`python -m tools.setup.clients` builds those whose requirement file has changed, in parallel.
Each client has its own environment: their dependencies conflict (`aws-parallelcluster` needs
CDK v1, `sagemaker-hyperpod` another pytest). Only the tests need them, so `make test` builds
them and `make setup` does not.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.setup.command import run
from tools.setup.index import UvIndex, uv_index
from tools.setup.lock import only_one
from tools.setup.packages import read_committed
from tools.setup.paths import BIN, PYTHON, ROOT
from tools.setup.progress import bring_up

# Name of the environment -> its program.
CLIENTS = {"aws-cli": "aws", "hyp": "hyp", "mlperf": "python", "pcluster": "pcluster"}

_HOME = ROOT / ".clusterwright" / "clients"


def program(client: str) -> Path:
    """Return the path of a client's program, whether built or not."""
    return _folder(client) / "bin" / CLIENTS[client]


def bring_up_to_date(clients: Sequence[str] = tuple(CLIENTS)) -> list[str]:
    """Build what is missing or has changed requirements; return the names of what was built.

    Raises SetupError when one cannot be built; the others are still finished.
    """
    _HOME.parent.mkdir(exist_ok=True)
    with only_one(_HOME.parent / "clients.lock"):
        outdated = [client for client in clients if not is_current(client)]
        if outdated:
            index = uv_index(PYTHON, os.environ)
            with ThreadPoolExecutor(len(outdated)) as pool:
                for done in [pool.submit(_build, client, index) for client in outdated]:
                    done.result()
    return outdated


def is_current(client: str) -> bool:
    """Return whether the environment is complete and matches the requirement file."""
    stamp = _stamp(client)
    return stamp.is_file() and stamp.read_text() == _digest(client) and program(client).is_file()


def main() -> int:
    """Build what is not current; 0 when everything is current, 1 on failure."""
    return bring_up("test clients", bring_up_to_date)


def _build(client: str, index: UvIndex) -> None:
    folder = _folder(client)
    shutil.rmtree(folder, ignore_errors=True)
    doing = f"building the environment of {client}"
    uv = BIN / "uv"
    run([uv, "venv", "--quiet", "--python", PYTHON, folder], doing=doing)
    run(
        [
            uv,
            "pip",
            "sync",
            "--quiet",
            "--require-hashes",
            *index.options,
            _requirements(client),
        ],
        doing=doing,
        environment={"VIRTUAL_ENV": os.fspath(folder), **index.environment},
    )
    # Written last: an interrupted build has no stamp, and is rebuilt.
    _stamp(client).write_text(_digest(client))


def _digest(client: str) -> str:
    found = hashlib.sha256(read_committed(_requirements(client)))
    # Scripts in an environment hold its absolute path and its Python.
    found.update(os.fsencode(_folder(client)) + sys.version.encode())
    return found.hexdigest()


def _requirements(client: str) -> Path:
    return ROOT / "requirements" / "clients" / f"{client}.txt"


def _folder(client: str) -> Path:
    return _HOME / client


def _stamp(client: str) -> Path:
    return _folder(client) / "built-from"


if __name__ == "__main__":
    sys.exit(main())

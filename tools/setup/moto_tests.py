"""moto's own tests, from the source distribution of the pinned moto.

`python -m tools.setup.moto_tests` downloads it with the hash in requirements/dev.txt, and unpacks
its `tests/` into `.clusterwright/moto-tests/`, where the pinned moto or the requirements of its
tests have changed. Only our tests need it, so `make test` fetches it and `make setup` does not.
Its other files stay packed: the installed moto is the one that is tested.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tarfile
from pathlib import Path

from tools.setup.command import run
from tools.setup.errors import SetupError
from tools.setup.lock import only_one
from tools.setup.packages import read_committed, uv_pip
from tools.setup.paths import DEV_REQUIREMENTS, PYTHON, ROOT, VENV
from tools.setup.progress import bring_up

REQUIREMENTS = ROOT / "requirements" / "moto-tests.txt"
HOME = ROOT / ".clusterwright" / "moto-tests"
# The folder that has `tests`, and the packages that they import beside those of `.venv/`.
UNPACKED = HOME / "moto"
PACKAGES = HOME / "packages"
_STAMP = HOME / "built-from"
# The pin with its hashes, on continued lines.
_PIN = re.compile(rb"^moto==\S+(?: \\\n    --hash=\S+)+$", re.MULTILINE)


def is_current() -> bool:
    """Return whether the tests are those of the pinned moto."""
    return _STAMP.is_file() and _STAMP.read_text() == _digest() and (UNPACKED / "tests").is_dir()


def bring_up_to_date() -> bool:
    """Fetch and unpack the tests if they are not current; return whether they were fetched.

    Raises SetupError on failure.
    """
    HOME.parent.mkdir(exist_ok=True)
    with only_one(HOME.parent / "moto-tests.lock"):
        if is_current():
            return False
        shutil.rmtree(HOME, ignore_errors=True)
        HOME.mkdir()
        _install_packages()
        archive = _download()
        _unpack(archive)
        archive.unlink()
        _STAMP.write_text(_digest())
    return True


def main() -> int:
    """Fetch moto's tests if needed; 0 if they are current, 1 on failure."""
    return bring_up("moto's own tests", bring_up_to_date)


def _install_packages() -> None:
    uv_pip(
        "install",
        *("--require-hashes", "--no-deps", "--target", PACKAGES, "-r", REQUIREMENTS),
        doing="installing what moto's tests import",
    )


def _download() -> Path:
    """Return the source distribution; pip compares its hash before it opens it."""
    pinned = HOME / "moto.txt"
    pinned.write_bytes(_pin())
    has_pip = any(VENV.glob("lib/python*/site-packages/pip"))
    run(
        [
            PYTHON if has_pip else sys.executable,
            *("-m", "pip", "download", "--quiet", "--require-hashes", "--no-deps"),
            *("--no-binary=moto", "--no-build-isolation"),
            *("--dest", str(HOME), "-r", str(pinned)),
        ],
        doing="downloading moto's source distribution",
        environment={"PYTHONPATH": os.fspath(PACKAGES)},
    )
    found = sorted(HOME.glob("moto-*.tar.gz"))
    if not found:
        raise SetupError(
            "downloading moto's source distribution: no file was written",
            "use a package index that has it (PIP_INDEX_URL), then run `make test` again",
        )
    return found[0]


def _unpack(archive: Path) -> None:
    """Unpack the files of the folder `tests` of the archive's only folder.

    Python has filters of `extractall` from 3.11.4 on; Debian 12 has 3.11.2.
    """
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            _, _, rest = member.name.partition("/")
            content = packed.extractfile(member) if member.isfile() else None
            if content is None or not rest.startswith("tests/") or ".." in Path(rest).parts:
                continue
            path = UNPACKED / rest
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read())
    if not (UNPACKED / "tests").is_dir():
        raise SetupError(
            f"{archive.name} has no folder tests",
            "its releases had one until now: look into the archive",
        )


def _pin() -> bytes:
    found = _PIN.search(read_committed(DEV_REQUIREMENTS))
    if found is None:
        raise SetupError(
            f"{DEV_REQUIREMENTS.relative_to(ROOT)} does not pin moto with hashes",
            "`make lock` writes it",
        )
    return found[0] + b"\n"


def _digest() -> str:
    found = hashlib.sha256(_pin() + read_committed(REQUIREMENTS))
    found.update(sys.version.encode())
    return found.hexdigest()


if __name__ == "__main__":
    sys.exit(main())

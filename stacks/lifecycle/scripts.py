"""The lifecycle scripts as they are uploaded, and their digest."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from clusterwright import files as file_access
from clusterwright.cluster_spec import custom_steps

FOLDER = Path(__file__).resolve().parents[2] / "lifecycle_scripts"

EXCLUDED = ("__pycache__", "*.pyc", ".*")
"""Files that Python and editors create; not part of the scripts."""

MANIFEST = "manifest.sha256"
"""The digests of the files, in the format of sha256sum, for nodes of ParallelCluster and PCS.
`deployment.json` is not in it: it is known only at deployment. On PCS neither is `jobs.json`: its
numbers of nodes would change the digest, with which PCS replaces login nodes."""

DIGEST_LENGTH = 16
"""Hexadecimal digits: 64 bits are enough to distinguish the versions of one folder."""


DIAGNOSIS = FOLDER.parent / "clusterwright" / "diagnosis"
"""What judges failures: the same on the controller and login nodes as on a workstation."""

_OWN = frozenset((FOLDER, DIAGNOSIS))

SITE_STEPS = "site_steps"
"""The folder of custom steps, beside the node program."""


def site_files(paths: Iterable[str]) -> dict[str, str]:
    """Custom steps as files of the folder: texts by name.

    Raises
    ------
    InvalidStepError
        A file cannot be read, or is not a step.
    """
    steps = (custom_steps.read(path) for path in paths)
    return {f"{SITE_STEPS}/{step.name}.py": step.text for step in steps}


def diagnosis_files() -> dict[str, str]:
    """`DIAGNOSIS` as files of the folder: texts by name.

    The package around it is empty there: a new version of Clusterwright alone changes no scripts.
    """
    package = DIAGNOSIS.parent.name
    texts = {
        f"{package}/{DIAGNOSIS.name}/{name}": content.decode()
        for name, content in contents_of(DIAGNOSIS).items()
    }
    return {f"{package}/__init__.py": "", **texts}


def scripts_digest(
    files: Mapping[str, Any], folder: Path = FOLDER, texts: Mapping[str, str] | None = None
) -> str:
    """A digest of every script, of `files` (name to JSON value) and of `texts` (name to text), the
    same on every machine.

    It depends on paths and contents, not on times, owners and modes, which S3 does not store.
    """
    digest = hashlib.sha256()
    contents = contents_of(folder)
    for name, value in files.items():
        contents[name] = canonical(value).encode()
    for name, text in (texts or {}).items():
        contents[name] = text.encode()
    for name in sorted(contents):
        digest.update(f"{name}\0{len(contents[name])}\0".encode())
        digest.update(contents[name])
    return digest.hexdigest()[:DIGEST_LENGTH]


def manifest(texts: Mapping[str, str], folder: Path = FOLDER) -> str:
    """The manifest of the scripts in `folder` and of `texts` (name to text), as text."""
    contents = contents_of(folder)
    contents |= {name: text.encode() for name, text in texts.items()}
    return "".join(
        f"{hashlib.sha256(content).hexdigest()}  {name}\n"
        for name, content in sorted(contents.items())
    )


def copy_to(target: Path, texts: Mapping[str, str], folder: Path = FOLDER) -> None:
    """Copy the scripts of `folder` to a new folder, and write `texts` (name to text) there."""
    for path in script_files(folder):
        copy = target / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        file_access.copy(path, copy)
    write_to(target, texts)


def write_to(target: Path, texts: Mapping[str, str]) -> None:
    """Write `texts` (name to text) in a folder."""
    for name, text in texts.items():
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")


def contents_of(folder: Path) -> dict[str, bytes]:
    """The scripts in a folder by their path."""
    return dict(_own_contents(folder) if folder in _OWN else _contents(folder))


@functools.cache
def _own_contents(folder: Path) -> Mapping[str, bytes]:
    """`_contents` of a folder of Clusterwright itself: it does not change while it runs."""
    return _contents(folder)


def _contents(folder: Path) -> dict[str, bytes]:
    read = file_access.read_all(script_files(folder))
    return {path.relative_to(folder).as_posix(): content for path, content in read.items()}


def sha256(text: str) -> str:
    """The SHA-256 digest of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def canonical(value: Any) -> str:
    """JSON with sorted keys, so that equal values have equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def script_files(folder: Path) -> Iterator[Path]:
    """The files that are uploaded for the nodes, without those of editors and Python."""
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        # In place: os.walk does not look into the others.
        folders[:] = filter(_uploaded, folders)
        found += (Path(parent, name) for name in names if _uploaded(name))
    return filter(Path.is_file, sorted(found))


def _uploaded(name: str) -> bool:
    return not name.startswith(".") and name != "__pycache__" and not name.endswith(".pyc")

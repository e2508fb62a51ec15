"""Synthesis of the templates of one version by `app.py` of its checkout.

It runs in a separate process with the code of that checkout, so that changes of the stacks count
as well as changes of the spec. The templates are cached by the content of every file that the
process can read, because a synthesis takes two seconds.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from clusterwright import files
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.review.assembly import Assembly, StackTemplate
from clusterwright.review.base_version import BaseNotFound, tracked_files

APP: Final = ("app.py", "cdk.json", "stacks")
"""Files at the top of a checkout that can be synthesised."""

TIMEOUT_SECONDS: Final = 300
KEPT_ENTRIES: Final = 40
_UNREAD: Final = frozenset({".git", ".venv", "node_modules", "cdk.out", "__pycache__"})
_UNREAD_TOPS: Final = ("tests/", "docs/", "benchmarks/", "demo/", "site/", ".github/")
_FORMAT: Final = 2
_LARGEST_ENTRY_BYTES: Final = 100_000_000
_LARGEST_INPUT_BYTES: Final = 10_000_000_000
"""Only digests of the checkout's files are taken, so a large file costs time and no memory."""


class NotSynthesised(Exception):
    """The synthesis failed; `invalid` where the spec is the cause."""

    def __init__(self, message: str, hint: str, *, invalid: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.invalid = invalid


@dataclass(frozen=True)
class Source:
    """A checkout with an `app.py`, and the spec to synthesise.

    `reads` are the files that the spec consists of.
    """

    root: Path
    config: Path
    reads: tuple[Path, ...] = ()


def checkout_of(path: Path) -> Path | None:
    """The checkout that contains a spec, else the checkout of this program."""
    for folder in path.resolve().parents:
        if is_app(folder):
            return folder
    own = Path(__file__).resolve().parents[2]
    return own if is_app(own) else None


def files_of(spec: LoadedSpec) -> tuple[Path, ...]:
    """The files of a spec: its layers, and every file that a value names."""
    folder = Path(spec.file).resolve().parent
    found = {Path(document.file).resolve() for document in spec.layers.documents}
    found |= {Path(document.file).resolve() for document in spec.layers.origin.values()}
    for text in _texts(spec.layers.data):
        for path in (folder / text, Path.cwd() / text):
            if len(text) < 1000 and "\0" not in text and path.is_file():
                found.add(path.resolve())
    return tuple(sorted(found))


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def is_app(folder: Path) -> bool:
    """Whether a folder is a checkout whose stacks can be synthesised."""
    return all((folder / name).exists() for name in APP)


def synthesise(
    source: Source, *, pseudo_parameters: Mapping[str, str], cache: Path | None
) -> Assembly:
    """The assembly of a spec, from the cache where no input has changed.

    Parameters
    ----------
    pseudo_parameters:
        Of the deployment (`assembly.pseudo_parameters`).

    Raises
    ------
    NotSynthesised
        The CDK is not installed, or the app failed.
    """
    entry = None
    if cache is not None:
        entry = cache / f"{_digest(source)}.json"
        found = _cached(entry)
        if found is not None:
            return Assembly(_stacks(found), pseudo_parameters)
    written = _run(source)
    if entry is not None:
        _keep(entry, written)
    return Assembly(_stacks(written), pseudo_parameters)


def cache_folder(environment: Mapping[str, str]) -> Path | None:
    """Folder of the cache; None without a home directory."""
    own = environment.get("CLUSTERWRIGHT_CACHE")
    if own is not None:
        return Path(own) / "synthesis" if own else None
    cache = environment.get("XDG_CACHE_HOME")
    home = environment.get("HOME")
    if cache:
        return Path(cache) / "clusterwright" / "synthesis"
    return Path(home) / ".cache" / "clusterwright" / "synthesis" if home else None


def _run(source: Source) -> dict[str, Any]:
    if importlib.util.find_spec("aws_cdk") is None:
        raise NotSynthesised(
            "the CDK, which synthesises the templates, is not installed",
            "pip install 'clusterwright[cdk]', or run it from a checkout after `make setup`",
        )
    with tempfile.TemporaryDirectory(prefix="clusterwright-synthesis-") as folder:
        output = Path(folder) / "cdk.out"
        try:
            done = subprocess.run(
                [sys.executable, "app.py"],
                cwd=source.root,
                env=_environment(source, output),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NotSynthesised(
                f"app.py did not finish within {TIMEOUT_SECONDS} s",
                "run it manually to see the cause",
            ) from None
        # An older version without these switches exits with 1 after writing everything.
        if not (output / "manifest.json").is_file():
            raise NotSynthesised(
                f"app.py exited with {done.returncode}: {_errors(done.stderr)}",
                "run `cdk synth` with the same spec to see all of it",
                invalid=done.returncode == 3,
            )
        return _read(output)


def _environment(source: Source, output: Path) -> dict[str, str]:
    kept = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("CDK_", "CLUSTERWRIGHT_")) and k != "CONTEXT_OVERFLOW_LOCATION_ENV"
    }
    config = source.config
    if config.is_relative_to(source.root):
        config = config.relative_to(source.root)
    return kept | {
        "CDK_OUTDIR": os.fspath(output),
        # Their findings are not read: `check` has those of the rules, and CI synthesises with all.
        "CDK_VALIDATION": "false",
        "CLUSTERWRIGHT_CHECKS": "false",
        "CLUSTERWRIGHT_NAG": "false",
        "CLUSTERWRIGHT_CONFIG": os.fspath(config),
        "PYTHONPATH": os.fspath(source.root),
        "NO_COLOR": "1",
        # A tree in a temporary folder is read only once.
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _read(output: Path) -> dict[str, Any]:
    manifest = json.loads((output / "manifest.json").read_text(encoding="utf-8"))
    artefacts = manifest.get("artifacts", {})
    stacks = {}
    for name, artefact in artefacts.items():
        if artefact.get("type") != "aws:cloudformation:stack":
            continue
        properties = artefact.get("properties", {})
        template = output / properties["templateFile"]
        stacks[str(properties.get("stackName", name))] = {
            "template": json.loads(template.read_text(encoding="utf-8")),
            "after": [
                d
                for d in artefact.get("dependencies", ())
                if artefacts.get(d, {}).get("type") == "aws:cloudformation:stack"
            ],
            "protected": bool(properties.get("terminationProtection", False)),
        }
    return stacks


def _stacks(written: Mapping[str, Any]) -> dict[str, StackTemplate]:
    return {
        name: StackTemplate(
            name, stack["template"], {}, frozenset(stack["after"]), stack["protected"]
        )
        for name, stack in written.items()
    }


def _errors(text: str) -> str:
    """The error lines in the output of Node, jsii and Python."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"error[:\[]|\w*(Error|Exception)\b", line)]
    return " / ".join(errors[-3:] or lines[-3:])[:1000] or "no message"


# --- the cache ------------------------------------------------------------------------------


def _digest(source: Source) -> str:
    """Digest of every input of the app: its checkout, the spec and the libraries."""
    digest = hashlib.sha256(f"{_FORMAT} {platform.python_version()}".encode())
    for name in ("aws-cdk-lib", "constructs", "cdk-nag", "pydantic", "ruamel.yaml", "jsii"):
        digest.update(f"{name}={_version(name)}\n".encode())
    inside = source.config.is_relative_to(source.root)
    named = source.config.relative_to(source.root) if inside else source.config.name
    digest.update(f"config={named}\n".encode())
    for name, path in _files(source):
        content = f"{name}\0{files.sha256(path, _LARGEST_INPUT_BYTES)}\0"
        digest.update(content.encode(errors="surrogateescape"))
    return digest.hexdigest()


def _files(source: Source) -> Iterable[tuple[str, Path]]:
    try:
        names = tracked_files(source.root) if (source.root / ".git").exists() else None
    except BaseNotFound:
        names = None
    if names is None:
        names = _walked(source.root)
    for name in names:
        path = source.root / name
        if not name.startswith(_UNREAD_TOPS) and path.is_file():
            yield name, path
    for path in source.reads:
        yield path.name, path


def _walked(root: Path) -> list[str]:
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _UNREAD)
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]  # noqa: PTH118
    return sorted(found)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _cached(entry: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(files.read_bytes(entry, _LARGEST_ENTRY_BYTES))
        os.utime(entry)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _keep(entry: Path, written: Mapping[str, Any]) -> None:
    """Write the cache entry; errors are ignored, because the cache is optional."""
    try:
        entry.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        files.write_atomically(entry, json.dumps(written))
        entries = sorted(entry.parent.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for old in entries[:-KEPT_ENTRIES]:
            old.unlink(missing_ok=True)
    except OSError:
        return

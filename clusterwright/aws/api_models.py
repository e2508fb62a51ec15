"""Reduced botocore API models, with only the operations in use, cached between runs.

To create a client, botocore reads the complete model of a service: EC2's is 5 MB of JSON, of which
a fiftieth is needed. Here it is reduced to the operations of `operations.py`, with every shape
reachable from them and from errors, and without documentation; the rest is unchanged. The result
is in the user's cache folder, and is used only if its checksum is correct, and if botocore and its
files are those from which it was created. A run without a cache entry creates it.

With custom models of the user (`AWS_DATA_PATH`, `~/.aws/models`), botocore reads models unchanged.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from clusterwright.aws import user_cache
from clusterwright.aws.operations import ALL, OPERATIONS

KINDS: Final = ("service-2", "endpoint-rule-set-1", "paginators-1")
_FORMAT: Final = 1


def read_models_small(session: Any, folder: Path | None) -> Any:
    """Make a botocore session read reduced models; call it before the first client is created.

    Parameters
    ----------
    folder:
        Folder of the reduced models; if None, models are not reduced, because that takes longer
        than it saves.

    Returns
    -------
    The loader of complete models; if it replaces the session's (`data_loader`), a client has all
    operations of its service.
    """
    from botocore.loaders import JSONFileLoader, Loader

    class DictLoader(JSONFileLoader):  # type: ignore[misc]
        """Parse JSON without botocore's ordered dictionaries: a dict keeps its order since Python
        3.7, is created in C, and takes half the memory.
        """

        def _load_file(self, full_path: str, open_method: Any) -> Any:
            try:
                with open_method(full_path, "rb") as file:
                    return json.loads(file.read())
            except FileNotFoundError:
                return None  # botocore tries the compressed name next

    whole = session.get_component("data_loader")
    if type(whole) is not Loader or type(whole.file_loader) is not JSONFileLoader:
        return whole  # a folder of another user is not used
    whole.file_loader = DictLoader()
    own = [path for path in whole.search_paths if path != Loader.BUILTIN_DATA_PATH]
    if folder is not None and not any(Path(path).is_dir() for path in own):
        session.register_component("data_loader", SmallModels(whole, folder))
    return whole


class SmallModels:
    """A botocore loader with reduced models of the services of `operations.py`."""

    def __init__(self, whole: Any, folder: Path) -> None:
        import botocore

        self._whole = whole
        self._folder = folder / f"botocore-{botocore.__version__}"
        self._read: dict[str, Mapping[str, Any] | None] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)

    def load_service_model(
        self, service_name: str, type_name: str, api_version: str | None = None
    ) -> Any:
        """The signature of botocore's loader."""
        if service_name in OPERATIONS and type_name in KINDS:
            if service_name not in self._read:
                self._read[service_name] = self._models(service_name)
            found = self._read[service_name]
            if found is not None and api_version in (None, found["api_version"]):
                cut = found["models"][type_name]
                if cut is not None:
                    return cut
        return self._whole.load_service_model(service_name, type_name, api_version)

    def _models(self, service: str) -> Mapping[str, Any] | None:
        try:
            made_from = _made_from(Path(self._whole.BUILTIN_DATA_PATH) / service, service)
        except OSError:
            return None  # botocore may not be in files, or may lack the service
        path = self._folder / f"{service}.json"
        kept = _unpacked(user_cache.read(path))
        if kept is not None and kept.get("made_from") == made_from:
            return kept
        cut = {
            "made_from": made_from,
            "api_version": self._whole.determine_latest_version(service, KINDS[0]),
            "models": {kind: self._cut(service, kind) for kind in KINDS},
        }
        user_cache.keep(path, _packed(cut))
        return cut

    def _cut(self, service: str, kind: str) -> Mapping[str, Any] | None:
        from botocore.exceptions import DataNotFoundError, UnknownServiceError

        try:
            whole = self._whole.load_service_model(service, kind)
        except (DataNotFoundError, UnknownServiceError):
            return None  # use botocore's loader, which reports the error
        if kind == "service-2":
            wanted = [name for name in whole["operations"] if asks(service, name)]
            return cut_service(whole, wanted)
        if kind == "paginators-1":
            pages = whole["pagination"]
            return {**whole, "pagination": {k: v for k, v in pages.items() if asks(service, k)}}
        return dict(whole)


def asks(service: str, operation: str) -> bool:
    """Return whether the table has an operation of a service."""
    known = OPERATIONS.get(service, ())
    return operation in known or ALL in known


def cut_service(model: Mapping[str, Any], wanted: Iterable[str]) -> dict[str, Any]:
    """Return a service's model with some of its operations, and every shape reachable from them.

    All errors are kept, because any response may contain any of them.
    """
    shapes = model["shapes"]
    operations = {name: model["operations"][name] for name in wanted}
    todo = [name for name, shape in shapes.items() if shape.get("exception")]
    todo += [name for operation in operations.values() for name in _named(operation)]
    kept: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in kept:
            kept.add(name)
            todo += _named(shapes[name])
    return {
        **{name: part for name, part in model.items() if name != "documentation"},
        "operations": {name: _without_words(value) for name, value in operations.items()},
        # In the original order, which decides between errors with the same code.
        "shapes": {name: _without_words(shapes[name]) for name in shapes if name in kept},
    }


def _named(value: Any) -> list[str]:
    """Yield the shapes that an operation or a shape refers to."""
    if isinstance(value, list):
        return [name for part in value for name in _named(part)]
    if not isinstance(value, dict):
        return []
    own = [value["shape"]] if isinstance(value.get("shape"), str) else []
    return own + [name for part in value.values() for name in _named(part)]


def _without_words(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_words(part) for part in value]
    if not isinstance(value, dict):
        return value
    # A member with this name is a dict, and stays.
    return {
        name: _without_words(part)
        for name, part in value.items()
        if name != "documentation" or not isinstance(part, str)
    }


def _made_from(data: Path, service: str) -> list[Any]:
    """Return what a reduced model depends on: the versions in botocore, and the files of the
    newest.
    """
    versions = sorted(entry.name for entry in os.scandir(data) if entry.is_dir())
    files = []
    with os.scandir(data / versions[-1]) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            status = entry.stat()
            files.append([entry.name, status.st_size, status.st_mtime_ns])
    return [_FORMAT, versions, files, list(OPERATIONS[service])]


def _packed(content: Mapping[str, Any]) -> bytes:
    body = json.dumps(content, separators=(",", ":")).encode()
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _unpacked(packed: bytes | None) -> dict[str, Any] | None:
    if packed is None:
        return None
    checksum, _, body = packed.partition(b"\n")
    if checksum != hashlib.sha256(body).hexdigest().encode():
        return None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None

"""A file of a spec: text, data, and the position of each key and value."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from clusterwright import files
from clusterwright.cluster_spec.problems import Path, Position, Problem, SpecErrors
from clusterwright.cluster_spec.yaml_reader import Reader

MAXIMUM_FILE_BYTES = 1_000_000
"""A cluster of a thousand nodes is 200 lines; a file larger than this is not a spec."""


@dataclass
class Document:
    """Plain data of one file, with the position of each key and value by path.

    `problems` holds what is wrong with single values; they are left out of `data`, so that the
    rest of the file can still be examined.
    """

    file: str
    data: dict[str, Any]
    lines: list[str]
    problems: list[Problem] = field(default_factory=list)
    values: dict[Path, Position] = field(default_factory=dict)
    keys: dict[Path, Position] = field(default_factory=dict)
    skipped: list[Path] = field(default_factory=list)
    """Values that were not read; one problem may be the reason of several."""
    incomplete: list[Path] = field(default_factory=list)
    """Mappings that lack keys because of a problem."""

    def position(self, path: Path, *, on_key: bool = False) -> Position | None:
        """Return the position of `path`, or of its nearest ancestor in this file."""
        first, second = (self.keys, self.values) if on_key else (self.values, self.keys)
        for end in range(len(path), -1, -1):
            here = path[:end]
            # A missing value is shown at the key of its parent.
            if end < len(path):
                first, second = self.keys, self.values
            position = first.get(here) or second.get(here)
            if position is not None:
                return position
        return None


def read_document(path: str | os.PathLike[str]) -> Document:
    """Read and parse one file.

    Raises
    ------
    SpecErrors
        The file cannot be read, is not YAML, or is not a mapping. Repeated keys, anchors and tags
        are in the document's `problems`.
    """
    return parse_document(_read_text(FilePath(path)), os.fspath(path))


def parse_document(text: str, file: str) -> Document:
    """Parse the text of one file; `file` is the name that errors show. Raises SpecErrors."""
    reader = Reader(text, file)
    data = reader.read()
    if isinstance(data, dict):
        return Document(
            file,
            data,
            reader.lines,
            reader.problems,
            reader.values,
            reader.keys,
            reader.skipped,
            reader.incomplete,
        )
    raise SpecErrors(reader.problems or [_no_mapping(data, reader.values.get(()), file)])


def _no_mapping(data: Any, position: Position | None, file: str) -> Problem:
    position = position or Position(file, 1, 1)
    if data is None:
        return Problem(
            "the file is empty",
            hint="`clusterwright init --platform hyperpod-slurm` writes one to start from",
            position=position,
        )
    return Problem(f"expected a mapping of keys to values, got {kind_of(data)}", position=position)


def kind_of(value: object) -> str:
    """Return the name of a value's YAML type for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    return {
        dict: "a mapping",
        list: "a list",
        str: "a string",
        int: "an integer",
        float: "a number",
    }.get(type(value), type(value).__name__)


def _read_text(path: FilePath) -> str:
    try:
        if path.is_dir():
            raise SpecErrors(
                [
                    Problem(
                        f"{path} is a directory, not a file",
                        hint="name a file, such as configs/dev.yaml",
                    )
                ]
            )
        size = path.stat().st_size
        if size > MAXIMUM_FILE_BYTES:
            raise SpecErrors(
                [
                    Problem(
                        f"{path} has {size:,} bytes; the maximum for a spec is "
                        f"{MAXIMUM_FILE_BYTES:,}",
                        hint="is this the right file?",
                    )
                ]
            )
        raw = files.read_bytes(path, MAXIMUM_FILE_BYTES)
    except files.FileTooLargeError:  # a device or a pipe, which has no size
        raise SpecErrors([Problem(f"{path} has more than {MAXIMUM_FILE_BYTES:,} bytes")]) from None
    except FileNotFoundError:
        raise SpecErrors([Problem(f"{path} does not exist", hint=_nearby(path))]) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SpecErrors([Problem(f"{path} cannot be read: {reason}")]) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        problem = Problem(
            "the file is not UTF-8 text",
            hint="save it as UTF-8; is this the right file?",
            position=Position(str(path), line, 1),
        )
        raise SpecErrors([problem]) from None


def _nearby(path: FilePath) -> str | None:
    from clusterwright.cluster_spec.suggest import closest

    try:
        names = [p.name for p in path.parent.iterdir() if p.suffix in (".yaml", ".yml")]
    except OSError:
        return f"{path.parent} does not exist either"
    near = closest(path.name, names, count=1)
    if near:
        return f"did you mean {path.parent / near[0]}?"
    return f"{path.parent} contains: {', '.join(sorted(names))}" if names else None

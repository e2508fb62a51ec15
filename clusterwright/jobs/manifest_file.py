"""Reader of manifests: YAML documents with positions, and the pods that they describe.

Nothing is resolved on a cluster: what an operator or a chart adds to a pod is not seen. A value
with `$` or `{{` is filled in by another program, so it is not judged.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from clusterwright.cluster_spec.problems import Position

MAXIMUM_DEPTH: Final = 60
"""Levels in which pods are searched; a CronJob's pod is at the sixth."""

_FILLED_IN: Final = re.compile(r"\$|\{\{")
_COUNTS: Final = ("replicas", "parallelism", "size")
"""Keys of numbers of pods: of most kinds, of a Job, of a LeaderWorkerSet."""


class ManifestError(ValueError):
    """The file is not YAML."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, eq=False)
class Item:
    """A value of a manifest, with its position; equal only to itself."""

    node: Any

    def get(self, *keys: str) -> Item | None:
        """Return the value at nested keys; None if one is absent."""
        here = self
        for key in keys:
            found = next((value for name, value in here.entries() if name.text == key), None)
            if found is None:
                return None
            here = found
        return here

    def entries(self) -> Iterator[tuple[Item, Item]]:
        """Yield the keys and values of a mapping; nothing for another value."""
        if isinstance(self.node, MappingNode):
            for key, value in self.node.value:
                yield Item(key), Item(value)

    def members(self) -> Iterator[Item]:
        """Yield the members of a sequence; nothing for another value."""
        if isinstance(self.node, SequenceNode):
            for value in self.node.value:
                yield Item(value)

    @property
    def text(self) -> str | None:
        """The text of a scalar; None for another value, or if a program fills it in."""
        if not isinstance(self.node, ScalarNode) or _FILLED_IN.search(self.node.value):
            return None
        return str(self.node.value)

    @property
    def number(self) -> int | None:
        """A whole number, such as of devices; None for any other text."""
        text = self.text
        return int(text) if text is not None and re.fullmatch(r"\d{1,9}", text) else None

    @property
    def line(self) -> int:
        """Line of the first character, counted from 1."""
        return int(self.node.start_mark.line) + 1

    @property
    def column(self) -> int:
        """Column of the first character, counted from 1."""
        return int(self.node.start_mark.column) + 1

    @property
    def length(self) -> int:
        """Characters on the first line."""
        first, last = self.node.start_mark, self.node.end_mark
        return max(1, last.column - first.column) if first.line == last.line else 1


def text_at(item: Item, *keys: str) -> str | None:
    """Return the text at nested keys; None if absent, or filled in by a program."""
    found = item.get(*keys)
    return found.text if found is not None else None


@dataclass(frozen=True, eq=False)
class Container:
    """A container of a pod."""

    item: Item

    @cached_property
    def requests(self) -> dict[str, Item]:
        """Requested resources by name; a limit alone is a request of the same amount."""
        found: dict[str, Item] = {}
        for kind in ("limits", "requests"):
            resources = self.item.get("resources", kind)
            for name, amount in resources.entries() if resources is not None else ():
                if name.text is not None:
                    found[name.text] = amount
        return found

    @property
    def is_privileged(self) -> bool:
        """Whether the container has all devices of its node."""
        return text_at(self.item, "securityContext", "privileged") == "true"

    @property
    def mount_paths(self) -> frozenset[str]:
        """Paths of its mounts, without a final slash."""
        mounts = self.item.get("volumeMounts")
        found = (text_at(one, "mountPath") for one in (mounts.members() if mounts else ()))
        return frozenset(path.rstrip("/") for path in found if path is not None)


@dataclass(frozen=True, eq=False)
class Pod:
    """A pod template; `count` is the number of its pods, None if the file does not say it."""

    document: Item
    item: Item
    count: int | None

    @property
    def kind(self) -> str:
        """Kind of the object, such as PyTorchJob; empty if absent."""
        return text_at(self.document, "kind") or ""

    @cached_property
    def containers(self) -> tuple[Container, ...]:
        """The containers that run at the same time."""
        found = self.item.get("containers")
        return tuple(Container(one) for one in (found.members() if found else ()))

    @cached_property
    def devices(self) -> dict[str, tuple[int, Item]]:
        """Whole numbers of requested extended resources by name, and where they are."""
        found: dict[str, tuple[int, Item]] = {}
        for container in self.containers:
            for name, amount in container.requests.items():
                if "/" in name and amount.number:
                    number, first = found.get(name, (0, amount))
                    found[name] = (number + amount.number, first)
        return found

    @property
    def asks_elsewhere(self) -> bool:
        """Whether requests are in dynamic resource claims, or filled in by a program."""
        if self.item.get("resourceClaims") is not None:
            return True
        amounts = (one for c in self.containers for one in c.requests.values())
        return any(amount.text is None for amount in amounts)


@dataclass(frozen=True)
class ManifestFile:
    """A file of manifests that was read."""

    name: str
    text: str
    documents: tuple[Item, ...]

    @cached_property
    def pods(self) -> tuple[Pod, ...]:
        """Every pod template, in the order of the file."""
        seen: set[int] = set()
        return tuple(pod for one in self.documents for pod in _pods(one, one, 1, 0, seen))

    def position(self, line: int, column: int = 1, length: int = 1) -> Position:
        """The position for a finding."""
        lines = self.text.split("\n")
        shown = lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else ""
        return Position(self.name, line, column, max(1, length), shown)


def read_manifests(text: str, name: str) -> ManifestFile:
    """Return the documents of a file.

    Raises
    ------
    ManifestError
        The text is not YAML, such as a chart's template.
    """
    try:
        documents = [Item(node) for node in YAML(typ="safe", pure=True).compose_all(text)]
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        raise ManifestError(str(error.problem or error.context), line) from None
    except (YAMLError, RecursionError, ValueError) as error:
        raise ManifestError(str(error).partition("\n")[0] or "not readable", 1) from None
    return ManifestFile(name, text, tuple(d for d in documents if isinstance(d.node, MappingNode)))


def _pods(
    document: Item, here: Item, count: int | None, depth: int, seen: set[int]
) -> Iterator[Pod]:
    """Pod templates below a value: mappings with a sequence `containers` of mappings.

    A value that is named by several aliases is read once, because aliases of aliases multiply.
    """
    if depth > MAXIMUM_DEPTH or id(here.node) in seen:
        return
    seen.add(id(here.node))
    containers = here.get("containers")
    if containers is not None and any(True for one in containers.members() for _ in one.entries()):
        yield Pod(document, here, count)
        return
    numbers = [item.number for key in _COUNTS if (item := here.get(key)) is not None]
    known = [number for number in numbers if number is not None]
    inner = count * math.prod(known) if count is not None and len(known) == len(numbers) else None
    for _, value in here.entries():
        yield from _pods(document, value, inner, depth + 1, seen)
    for value in here.members():
        yield from _pods(document, value, inner, depth + 1, seen)

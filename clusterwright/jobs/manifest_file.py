"""Reader of manifests: YAML documents with positions, and the pods that they describe.

Nothing is resolved on a cluster: what an operator or a chart adds to a pod is not seen. A value
with `$` or `{{` is filled in by another program, so it is not judged.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from clusterwright.cluster_spec.problems import Position

MAXIMUM_DEPTH: Final = 60
"""Levels in which pods, merged values and Lists are read; a CronJob's pod is at the sixth."""

_FILLED_IN: Final = re.compile(r"\$|\{\{")
_MERGE: Final = "tag:yaml.org,2002:merge"
_NULL: Final = "tag:yaml.org,2002:null"


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
        """Return the value at nested keys; None if one is absent or null."""
        here = self
        for key in keys:
            found = next((value for name, value in here.entries() if name.text == key), None)
            if found is None or found.node.tag == _NULL:
                return None
            here = found
        return here

    def entries(self) -> Iterator[tuple[Item, Item]]:
        """Yield the keys and values of a mapping; nothing for another value.

        Merge keys (`<<: *base`) bring the entries that the mapping itself does not have.
        """
        if not isinstance(self.node, MappingNode):
            return
        names: set[str] = set()
        for mapping in _with_merged(self.node, MAXIMUM_DEPTH, set()):
            own = [(key, value) for key, value in mapping.value if key.tag != _MERGE]
            for key, value in own:
                if not isinstance(key, ScalarNode) or key.value not in names:
                    yield Item(key), Item(value)
            names.update(key.value for key, _ in own if isinstance(key, ScalarNode))

    @property
    def is_sequence(self) -> bool:
        """Whether the value is a sequence, which may be empty."""
        return isinstance(self.node, SequenceNode)

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
    def written(self) -> str:
        """The text of a scalar as it stands, also if a program fills it in; empty for others."""
        return str(self.node.value) if isinstance(self.node, ScalarNode) else ""

    @property
    def is_null(self) -> bool:
        """Whether the value is null, which stands for an absent one."""
        return bool(self.node.tag == _NULL)

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


def _with_merged(node: Any, depth: int, seen: set[int]) -> Iterator[Any]:
    """A mapping and those that it merges, the first to be preferred."""
    if isinstance(node, SequenceNode):
        for one in node.value:
            if isinstance(one, MappingNode):
                yield from _with_merged(one, depth, seen)
    elif isinstance(node, MappingNode) and depth and id(node) not in seen:
        seen.add(id(node))
        yield node
        for key, value in node.value:
            if key.tag == _MERGE:
                yield from _with_merged(value, depth - 1, seen)


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
    def words(self) -> tuple[Item, ...]:
        """The words of its command and arguments."""
        parts = (self.item.get("command"), self.item.get("args"))
        return tuple(word for part in parts if part is not None for word in part.members())

    @property
    def environment(self) -> tuple[tuple[Item, Item | None], ...]:
        """Names of its variables, and the values that the manifest states."""
        env = self.item.get("env")
        found = ((one.get("name"), one.get("value")) for one in (env.members() if env else ()))
        return tuple((name, value) for name, value in found if name is not None)

    @property
    def runs_on(self) -> bool:
        """Whether an init container runs beside the containers (a sidecar)."""
        return text_at(self.item, "restartPolicy") == "Always"

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
    """A pod template.

    Attributes
    ----------
    document:
        The object, such as a Job; an item of a List is an object.
    count:
        Number of its pods, of a LeaderWorkerSet in each group; None if the file does not say it.
    """

    document: Item
    item: Item
    count: int | None

    @property
    def kind(self) -> str:
        """Kind of the object, such as PyTorchJob; empty if absent."""
        return text_at(self.document, "kind") or ""

    @cached_property
    def containers(self) -> tuple[Container, ...]:
        """The containers that run at the same time: with init containers that run on."""
        found = self.item.get("containers")
        own = tuple(Container(one) for one in (found.members() if found else ()))
        return own + tuple(one for one in self.init_containers if one.runs_on)

    @cached_property
    def init_containers(self) -> tuple[Container, ...]:
        """The containers that run before the others, one after the other."""
        found = self.item.get("initContainers")
        return tuple(Container(one) for one in (found.members() if found else ()))

    @cached_property
    def all_containers(self) -> tuple[Container, ...]:
        """Containers and init containers, each once."""
        return tuple(dict.fromkeys((*self.containers, *self.init_containers)))

    @property
    def volumes(self) -> tuple[Item, ...]:
        """The volumes of the pod."""
        found = self.item.get("volumes")
        return tuple(found.members() if found is not None else ())

    @property
    def is_patch(self) -> bool:
        """Whether a container lacks its image: a patch of Kustomize, so more may be elsewhere."""
        return any(container.item.get("image") is None for container in self.all_containers)

    @cached_property
    def running(self) -> dict[str, tuple[int, Item]]:
        """Extended resources of the containers that run at the same time, as in `devices`."""
        return _sum(self.containers)

    @cached_property
    def devices(self) -> dict[str, tuple[int, Item]]:
        """Whole numbers of extended resources by name that the pod needs, and where they are.

        The most at any time: an init container has its own and those of the ones before it that
        run on (Kubernetes documentation, Sidecar Containers, Resource sharing within containers).
        """
        found = dict(self.running)
        before: list[Container] = []
        for container in self.init_containers:
            for name, (number, at) in _sum([container, *before]).items():
                if number > found.get(name, (0, at))[0]:
                    found[name] = (number, at)
            if container.runs_on:
                before.append(container)
        return found

    @property
    def asks_elsewhere(self) -> bool:
        """Whether requests are in dynamic resource claims, or filled in by a program."""
        if self.item.get("resourceClaims") is not None:
            return True
        amounts = (one for c in self.all_containers for one in c.requests.values())
        return any(amount.text is None for amount in amounts)


def _sum(containers: Iterable[Container]) -> dict[str, tuple[int, Item]]:
    """Whole numbers of extended resources by name, and the first place of each."""
    found: dict[str, tuple[int, Item]] = {}
    for container in containers:
        for name, amount in container.requests.items():
            if "/" in name and amount.number:
                number, first = found.get(name, (0, amount))
                found[name] = (number + amount.number, first)
    return found


@dataclass(frozen=True)
class ManifestFile:
    """A file of manifests that was read; `documents` are its objects, also those of Lists."""

    name: str
    text: str
    documents: tuple[Item, ...]

    @cached_property
    def pods(self) -> tuple[Pod, ...]:
        """Every pod template, in the order of the file."""
        known: dict[int, _Counts] = {}
        return tuple(
            Pod(document, item, count)
            for document in self.documents
            for item, count in _pods(document, MAXIMUM_DEPTH, known)
        )

    def of_kind(self, kind: str) -> tuple[Item, ...]:
        """The objects of a kind."""
        return tuple(one for one in self.documents if text_at(one, "kind") == kind)

    @property
    def has_objects(self) -> bool:
        """Whether the file has an object of Kubernetes: every one has a kind."""
        kinds = (document.get("kind") for document in self.documents)
        return any(isinstance(one.node, ScalarNode) and one.node.value for one in kinds if one)

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
    seen: set[int] = set()
    mappings = [one for one in documents if isinstance(one.node, MappingNode)]
    objects = (each for one in mappings for each in _objects(one, MAXIMUM_DEPTH, seen))
    return ManifestFile(name, text, tuple(objects))


def _objects(here: Item, depth: int, seen: set[int]) -> Iterator[Item]:
    """An object, or the objects of a List, as kubectl applies them."""
    items = here.get("items")
    if (
        items is None
        or not items.is_sequence
        or not (text_at(here, "kind") or "").endswith("List")
    ):
        yield here
        return
    for one in items.members():
        if isinstance(one.node, MappingNode) and id(one.node) not in seen and depth:
            seen.add(id(one.node))
            yield from _objects(one, depth - 1, seen)


_Counts = tuple[tuple[Item, int | None], ...]


def _pods(here: Item, depth: int, known: dict[int, _Counts]) -> _Counts:
    """Pod templates below a value, with the numbers of their pods.

    A pod template is a mapping with a sequence `containers` of mappings. A value that is named by
    several aliases is read once (`known`), because aliases of aliases multiply.
    """
    if id(here.node) in known or not depth:
        return known.get(id(here.node), ())
    known[id(here.node)] = ()  # a value within itself
    containers = here.get("containers")
    if containers is not None and any(True for one in containers.members() for _ in one.entries()):
        found: _Counts = ((here, 1),)
    else:
        numbers: dict[int, tuple[Item, int | None]] = {}
        for value, times in _inner(here):
            for pod, count in _pods(value, depth - 1, known):
                number = None if times is None or count is None else times * count
                _, before = numbers.get(id(pod.node), (pod, 0))
                total = None if number is None or before is None else before + number
                numbers[id(pod.node)] = (pod, total)
        found = tuple(numbers.values())
    known[id(here.node)] = found
    return found


def _inner(here: Item) -> Iterator[tuple[Item, int | None]]:
    """The values of a mapping or a sequence, and how often each has its pods."""
    for value in here.members():
        yield value, 1
    is_set = here.get("leaderWorkerTemplate") is not None  # its replicas are independent
    times = 1 if is_set else _product(here, "replicas", "parallelism")
    leaders = 0 if here.get("leaderTemplate") is None else 1
    for key, value in here.entries():
        if leaders and key.text == "leaderTemplate":
            yield value, 1
        elif key.text == "workerTemplate":
            size = _product(here, "size")
            yield value, None if size is None else max(0, size - leaders)
        elif not (key.text or "").startswith("x-"):  # an extension, such as values for aliases
            yield value, times


def _product(here: Item, *keys: str) -> int | None:
    """The product of the numbers that a mapping has; None if one is not known."""
    items = [item for key in keys if (item := here.get(key)) is not None]
    known = [item.number for item in items if item.number is not None]
    return math.prod(known) if len(known) == len(items) else None

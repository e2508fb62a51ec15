"""Where the conditions of a filter policy find their properties in the JSON body of a message.

A name with dots is a property of that name, or one of nested objects, in every way that the body
allows; conditions on the elements of an array hold together in one element. Both as recorded on
AWS: docs/reference/probes.md, source `localstack`. Each part of the body is read once for a set of
conditions, however many ways there are to read their names. Sets of conditions are combined only
where a name can be read in several ways, and elements of arrays satisfy some of the conditions.
The number of steps is limited, since Publish waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

_MOST_STEPS: Final = 500_000
_NOTHING: Final[Mapping[str, Any]] = {}

Conditions = Mapping[str, Sequence[Any]]
"""The conditions by the path of what they are about, its parts joined with dots."""
Holds = Callable[[Sequence[Any] | None, Sequence[Any]], bool]
"""Whether the conditions on a property hold for its values; None if it does not exist."""


class TooManyStepsError(Exception):
    """To match a body takes more steps than are done."""


def satisfies(body: Mapping[str, Any], alternatives: Iterable[Conditions], holds: Holds) -> bool:
    """Return whether all conditions of one of the alternatives hold in a body.

    Raises
    ------
    TooManyStepsError
    """
    steps = _Steps()
    for conditions in alternatives:
        paths = dict(enumerate(conditions))
        every = _bits(paths)
        search = _Search(list(conditions.values()), holds, steps)
        if every in search.largest(body, paths, every):
            return True
    return False


class _Steps:
    """The steps that are left."""

    def __init__(self) -> None:
        self._left = _MOST_STEPS

    def take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise TooManyStepsError


class _Search:
    """Finds which conditions hold together; a set of them is a number with a bit for each."""

    def __init__(self, wanted: Sequence[Sequence[Any]], holds: Holds, steps: _Steps) -> None:
        self._wanted = wanted
        self._holds = holds
        self._steps = steps

    def largest(self, node: Any, paths: Mapping[int, str], required: int) -> Sequence[int]:
        """Return the largest sets of conditions that hold together in a part of a body.

        Parameters
        ----------
        paths
            What is left of the path of each condition that may be about this part.
        required
            The conditions that each set must have.
        """
        self._steps.take(len(paths))
        if isinstance(node, list):
            return self._of_elements(node, paths, required)
        return self._of_object(node if isinstance(node, Mapping) else _NOTHING, paths, required)

    def _of_elements(
        self, elements: Sequence[Any], paths: Mapping[int, str], required: int
    ) -> Sequence[int]:
        every = _bits(paths)
        found: set[int] = set()
        for one in elements or [_NOTHING]:
            found.update(self.largest(one, paths, required))
            if every in found:
                return (every,)
        return self._without_smaller(found)

    def _of_object(
        self, node: Mapping[str, Any], paths: Mapping[int, str], required: int
    ) -> Sequence[int]:
        holding = 0
        below: dict[str, dict[int, str]] = {}
        certain: dict[str, int] = {}  # what holds below a property or nowhere
        for number, path in paths.items():
            self._steps.take(min(path.count("."), len(node)))
            bit, heads = 1 << number, list(_heads(path, node))
            # A property that is missing is asked for by its whole path.
            if path in heads or not heads:
                values = list(_leaves(node[path])) if heads else []
                self._steps.take(len(values) * len(self._wanted[number]))
                if self._holds(values or None, self._wanted[number]):
                    holding |= bit
                    continue
            deeper = [head for head in heads if head != path]
            if not deeper and bit & required:
                return ()
            for head in deeper:
                below.setdefault(head, {})[number] = path[len(head) + 1 :]
            if len(deeper) == 1:
                certain[deeper[0]] = certain.get(deeper[0], 0) | bit & required
        chosen: Sequence[int] = (holding,)
        for head, left in below.items():
            found = self.largest(node[head], left, certain.get(head, 0))
            self._steps.take(len(chosen) * len(found))
            chosen = self._without_smaller({one | other for one in chosen for other in found})
        return [one for one in chosen if one & required == required]

    def _without_smaller(self, found: Iterable[int]) -> Sequence[int]:
        """Return the sets that are in no other one."""
        kept: list[int] = []
        for one in sorted(found, key=int.bit_count, reverse=True):
            self._steps.take(len(kept))
            if not any(one & other == one for other in kept):
                kept.append(one)
        return kept


def _bits(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in numbers)


def _heads(path: str, node: Mapping[str, Any]) -> Iterator[str]:
    """Yield the properties of an object with which a path may begin."""
    if path.count(".") >= len(node):
        for name in node:
            if path == name or path.startswith(f"{name}."):
                yield name
        return
    end = path.find(".")
    while end >= 0:
        if path[:end] in node:
            yield path[:end]
        end = path.find(".", end + 1)
    if path in node:
        yield path


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the values of a property: those of an array one by one, and none of an object."""
    if isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    elif not isinstance(value, Mapping):
        yield value

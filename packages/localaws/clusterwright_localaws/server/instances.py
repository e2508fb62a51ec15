"""moto's lists of all objects of its models, held weakly.

moto appends every object of a model to a list of the class, for its dashboard and for the reset of
S3, and removes none: a server that creates and deletes resources for hours holds all of them.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any


class Instances:
    """What moto uses of a list, of the objects that something else refers to."""

    def __init__(self, found: Iterable[Any] = ()) -> None:
        self._found: dict[int, Any] = {}
        for each in found:
            self.append(each)

    def append(self, instance: Any) -> None:
        """Add an object; one whose class has no weak references is held as before."""
        key, found = id(instance), self._found
        try:
            found[key] = weakref.ref(instance, lambda _: found.pop(key, None))
        except TypeError:
            found[key] = lambda: instance

    def __iter__(self) -> Iterator[Any]:
        # A copy: an object can end meanwhile, in any thread.
        return (each for refer in list(self._found.values()) if (each := refer()) is not None)

    def __len__(self) -> int:
        return len(self._found)


def hold_weakly() -> None:
    """Replace the list of a class when its next object is made."""
    from moto.core.common_models import BaseModel

    def new(cls: Any, *_: Any, **__: Any) -> Any:
        instance = object.__new__(cls)
        tracked = cls.instances_tracked
        # A reset of moto puts a list there again.
        if not isinstance(tracked, Instances):
            tracked = cls.instances_tracked = Instances(tracked)
        tracked.append(instance)
        return instance

    BaseModel.__new__ = new  # type: ignore[method-assign]

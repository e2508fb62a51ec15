"""The resource types that the local CloudFormation carries, found by their `type_name`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterator, Mapping

from clusterwright_localaws.cloudformation.handlers.base import Handler

_NOT_HANDLERS = frozenset({"base", "support"})


@functools.cache
def registry() -> Mapping[str, Handler]:
    """Return the handler of every type that is carried, by type name.

    Raises
    ------
    RuntimeError
        Two classes claim the same type.
    """
    found: dict[str, Handler] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name not in _NOT_HANDLERS:
            importlib.import_module(f"{__name__}.{module.name}")
    for kind in _subclasses(Handler):
        if not kind.type_name or not kind.__module__.startswith(__name__ + "."):
            continue
        other = found.get(kind.type_name)
        if other is not None:
            raise RuntimeError(
                f"{kind.type_name} has two handlers: {type(other).__qualname__} in "
                f"{type(other).__module__} and {kind.__qualname__} in {kind.__module__}"
            )
        found[kind.type_name] = kind()
    return found


def _subclasses(kind: type[Handler]) -> Iterator[type[Handler]]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)

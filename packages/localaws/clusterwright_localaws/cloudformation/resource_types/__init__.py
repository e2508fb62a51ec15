"""Resource types of CloudFormation: the registry of handlers, and the types of no service."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterator, Mapping

from clusterwright_localaws import services
from clusterwright_localaws.cloudformation.handler import Handler

_ROOT = "clusterwright_localaws."


@functools.cache
def registry() -> Mapping[str, Handler]:
    """Return the handler of every supported type, by type name.

    Handlers are found in the modules of this package and in `services/*/cfn*.py`.

    Raises
    ------
    RuntimeError
        Two classes have the same type name.
    """
    for module in pkgutil.walk_packages(services.__path__, f"{services.__name__}."):
        if module.name.rsplit(".", 1)[-1].startswith("cfn"):
            importlib.import_module(module.name)
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    found: dict[str, Handler] = {}
    for kind in _subclasses(Handler):
        if not kind.type_name or not kind.__module__.startswith(_ROOT):
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

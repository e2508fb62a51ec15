"""One package per AWS service, loaded at the service's first call.

The `__init__` of each package declares what the service consists of and imports none of it:

* `API`: modules that register operations when imported (`clusterwright_localaws.core.call`);
* `FIXES`: modules of `fixes/` with fixes to moto, in the order in which they are applied;
* `WHOLE`: whether moto answers no operation of the service. Its state and ours would differ.

Modules named `cfn*.py` hold the service's CloudFormation resource types, and are found by name.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

# Folders whose name is not boto3's name of the service with underscores.
_NAMES = {"cost_explorer": "ce", "lambda_functions": "lambda"}
_FOLDERS = {name: folder for folder, name in _NAMES.items()}

_lock = threading.RLock()
_prepared: set[str] = set()


def own_services() -> tuple[str, ...]:
    """Return boto3's names of the services that have a package here, sorted."""
    folders = [module.name for module in pkgutil.iter_modules(__path__) if module.ispkg]
    names = {_NAMES.get(folder, folder.replace("_", "-")) for folder in folders}
    return tuple(sorted((names | {"cloudformation"}) - {"parallelcluster"}))


@functools.cache
def package_of(service: str) -> ModuleType | None:
    """Return the package of a service by boto3's name, or None where moto answers everything."""
    if service == "cloudformation":
        return importlib.import_module("clusterwright_localaws.cloudformation.api")
    name = f"{__name__}.{_FOLDERS.get(service, service.replace('-', '_'))}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None


def is_whole(service: str) -> bool:
    """Return whether moto answers no operation of a service."""
    return bool(getattr(package_of(service), "WHOLE", False))


def fixes(service: str) -> tuple[str, ...]:
    """Return the full names of the modules with fixes to moto's `service`, in order."""
    package = package_of(service)
    if package is None:
        return ()
    return tuple(f"{package.__name__}.fixes.{name}" for name in getattr(package, "FIXES", ()))


def prepare(service: str) -> None:
    """Load the operations of `service` and fix moto's; returns at once after the first call."""
    if service in _prepared:
        return
    with _lock:
        if service in _prepared:
            return
        package = package_of(service)
        if package is not None:
            for name in getattr(package, "API", ()):
                importlib.import_module(f"{package.__name__}.{name}")
        for name in fixes(service):
            importlib.import_module(name).apply()
        _prepared.add(service)


@contextmanager
def import_lock() -> Iterator[None]:
    """Hold the lock of `prepare` while many modules are imported.

    Two threads that import modules which import each other would each see half of one.
    """
    with _lock:
        yield

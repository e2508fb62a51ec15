"""What moto computes anew for each request, computed once per process.

The values are the same: plain moto in the same process is answered from them too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def apply() -> None:
    """Replace the functions; call it once."""
    _modules_once()
    _urls_once()
    _methods_by_name()


def _modules_once() -> None:
    """moto lists its own directory, 174 entries, several times per request: 3.5 ms of 4.2."""
    from moto import backends

    names = tuple(backends.list_of_moto_modules())
    backends.list_of_moto_modules = lambda: names


def _urls_once() -> None:
    """moto formats the URLs of a service, and loads the module with those of S3 again."""
    from moto import settings
    from moto.core.base_backend import BaseBackend

    urls_of_moto: Any = BaseBackend.urls
    known: dict[tuple[Any, ...], dict[str, Callable[..., Any]]] = {}

    def urls(self: BaseBackend) -> dict[str, Callable[..., Any]]:
        # What the URLs depend on: `MOTO_S3_CUSTOM_ENDPOINTS` may change between requests.
        key = (
            type(self),
            settings.enable_iso_regions(),
            tuple(settings.get_s3_custom_endpoints()),
        )
        if key not in known:
            known[key] = urls_of_moto.fget(self)
        return known[key]

    BaseBackend.urls = property(urls)  # type: ignore[assignment]


def _methods_by_name() -> None:
    """moto lists the methods of the service, 300 of EC2, to look for that of the operation."""
    from moto.core import responses

    responses.method_names_from_class = _MethodNames  # type: ignore[assignment]


class _MethodNames:
    """The names of a class's methods, to look for one."""

    def __init__(self, of: type) -> None:
        self._of = of

    def __contains__(self, name: str | None) -> bool:
        # None: the request is of no operation.
        return name is not None and inspect.isfunction(getattr(self._of, name, None))

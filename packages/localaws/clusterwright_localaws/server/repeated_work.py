"""What moto computes anew for each request or member, computed once.

The values are the same: plain moto in the same process is answered from them too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

_DEEPEST: Final = 30
"""Parts of a field's name; the models nest no deeper."""


def apply() -> None:
    """Replace the functions; call it once."""
    _modules_once()
    _urls_once()
    _methods_by_name()
    _prefixes_once()


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


def _prefixes_once() -> None:
    """moto looks through all fields of a form for each member of a list: the square of them."""
    from moto.core.parse import QueryParser

    parse_of_moto: Any = QueryParser._do_parse

    def do_parse(self: QueryParser, request_dict: Any, shape: Any) -> Any:
        values = _Fields(request_dict["values"])
        return parse_of_moto(self, {**request_dict, "values": values}, shape)

    def is_absent(self: QueryParser, query_params: _Fields, prefix: str) -> bool:
        return prefix != "" and not query_params.begins_with(prefix)

    QueryParser._do_parse = do_parse  # type: ignore[method-assign]
    QueryParser._gonna_recurse = is_absent  # type: ignore[method-assign]


class _Fields(dict[str, Any]):
    """The fields of a form, such as `Tag.1.Key`, and the beginnings of their names."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__((name, values[name]) for name in values)
        self._prefixes: set[str] = set()
        for name in self:
            parts = name.split(".", _DEEPEST)[:_DEEPEST]
            while parts:
                prefix = ".".join(parts)
                if prefix in self._prefixes:
                    break
                self._prefixes.add(prefix)
                parts.pop()

    def begins_with(self, prefix: str) -> bool:
        """Return whether a field is within `prefix`."""
        if prefix.count(".") < _DEEPEST:
            return prefix in self._prefixes
        return any(name.startswith(prefix) for name in self)

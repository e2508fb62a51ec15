"""Requests of HTTP as the server gets them, for tests without a socket."""

from __future__ import annotations

from moto.core.request import Request


def request(
    method: str = "POST",
    path: str = "/",
    body: str | bytes = b"",
    content_type: str = "",
    **headers: str,
) -> Request:
    from werkzeug.test import EnvironBuilder

    builder = EnvironBuilder(
        method=method,
        path=path,
        data=body,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        content_type=content_type or None,
    )
    return Request(builder.get_environ())

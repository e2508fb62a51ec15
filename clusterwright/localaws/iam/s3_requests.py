"""The parameters of an S3 request, as far as authorisation asks for them.

The gateway does not parse S3's requests, whose bodies may be of any size: bucket and key are in
the path, the rest in the query and the headers, and one body is read, that of DeleteObjects.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moto.core.request import Request


def s3_parameters(service: str, operation: str, request: Request) -> dict[str, Any]:
    """Return the parameters that are in path, query and headers, as the API model names them."""
    from clusterwright.localaws import wire

    _, path = wire.operation_of(service, request)
    found: dict[str, Any] = dict(path)
    shape = wire.service_model(service).operation_model(operation).input_shape
    if shape is not None:
        for name, member in shape.members.items():
            value = _value(member.serialization, request)
            if value is not None and name not in found:
                found[name] = value
    if operation == "DeleteObjects":
        found["Delete"] = _deletions(request)
    return found


def _value(where: Mapping[str, Any], request: Request) -> str | None:
    name = where.get("name", "")
    if where.get("location") == "querystring":
        value = request.args.get(name)
    elif where.get("location") == "header":
        value = request.headers.get(name)
    else:
        return None
    return None if value is None else str(value)


def _deletions(request: Request) -> dict[str, Any]:
    from xml.etree import ElementTree as Xml

    body = request.get_data(cache=True)
    environ = getattr(request, "environ", None)
    if isinstance(environ, dict):
        # The server hands the stream on to moto, which reads it again.
        environ["clusterwright.body"] = body
        environ["wsgi.input"] = io.BytesIO(body)
    try:
        tree = Xml.fromstring(body)  # noqa: S314 - a document of a few names, from this machine
    except Xml.ParseError:
        return {"Objects": []}
    return {
        "Objects": [
            {"Key": key.text or ""} for key in tree.iter() if key.tag.rpartition("}")[2] == "Key"
        ]
    }

"""Requests as the services read them: without compression, with another body."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING, Any, Final

from clusterwright_localaws.core.errors import AwsError

if TYPE_CHECKING:
    from moto.core.request import Request

# Far above what any API but S3 accepts (a Lambda's code is 50 MB, a third more in base64).
MAX_BYTES: Final = 100 * 1024 * 1024
_COMPRESSED: Final = "HTTP_CONTENT_ENCODING"
# https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.3
_GZIP: Final = frozenset({"gzip", "x-gzip"})


def with_body(request: Request, body: bytes, **environ: str | None) -> Request:
    """Return a request with another body and other keys of its WSGI environment.

    Parameters
    ----------
    environ:
        New values; keys with None are removed.
    """
    # werkzeug and the server keep in the environment what they read.
    given: dict[str, Any] = {
        key: value for key, value in request.environ.items() if key != "werkzeug.request"
    }
    given |= {
        "wsgi.input": io.BytesIO(body),
        "clusterwright.body": io.BytesIO(body),
        "CONTENT_LENGTH": str(len(body)),
    }
    for key, value in environ.items():
        if value is None:
            given.pop(key, None)
        else:
            given[key] = value
    return type(request)(given)


def uncompressed(request: Request) -> Request:
    """Return a request whose body is not compressed, as SDKs compress those of some operations.

    https://smithy.io/2.0/spec/behavior-traits.html#requestcompression-trait

    Raises
    ------
    AwsError
        SerializationException: the body is damaged. RequestEntityTooLargeException: it has more
        than `MAX_BYTES`.
    """
    if str(request.environ.get(_COMPRESSED, "")).strip().lower() not in _GZIP:
        return request
    data = request.get_data(cache=True)
    try:
        if not data:
            raise EOFError("it is empty")
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as reader:  # one member, or several
            body = reader.read(MAX_BYTES + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise AwsError(
            "SerializationException", f"the body of the request is not gzip: {error}", 400
        ) from error
    if len(body) > MAX_BYTES:
        raise too_large(MAX_BYTES)
    return with_body(request, body, **{_COMPRESSED: None})


def too_large(limit: int) -> AwsError:
    """Return the refusal of a body with more than `limit` bytes."""
    return AwsError(
        "RequestEntityTooLargeException",
        f"the local AWS accepts at most {limit} bytes in one request",
        413,
    )

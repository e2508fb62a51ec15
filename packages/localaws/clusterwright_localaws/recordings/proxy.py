"""The recording proxy: passes calls of any AWS client on, and records them."""

from __future__ import annotations

import datetime as dt
import functools
import io
import re
import sys
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

from clusterwright_localaws.recordings.calls_file import Writer
from clusterwright_localaws.server import rpc_v2_cbor, wire
from clusterwright_localaws.server.requests import uncompressed

if TYPE_CHECKING:
    from moto.core.request import Request

_SCOPE: Final = re.compile(r"Credential=[^/,\s]+/\d{8}/([a-z0-9-]+)/([a-z0-9-]+)/aws4_request")
_QUERY_SCOPE: Final = re.compile(r"[^/]+/\d{8}/([a-z0-9-]+)/([a-z0-9-]+)/aws4_request")
# Names in signatures that are not botocore's names of services.
_SIGNING_NAMES: Final = {
    "monitoring": "cloudwatch",
    "elasticloadbalancing": "elbv2",
    "elasticfilesystem": "efs",
    "servicequotas": "service-quotas",
    "aps": "amp",
    "states": "stepfunctions",
    "tagging": "resourcegroupstaggingapi",
}
# Headers of one connection, and those that a signature adds.
_NOT_PASSED_ON: Final = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_OF_A_SIGNATURE: Final = frozenset({"authorization", "x-amz-date", "x-amz-security-token"})
_MAX_BYTES: Final = 1024**3


class Proxy:
    """A WSGI application that passes every call on.

    Parameters
    ----------
    writer:
        Where calls are recorded.
    upstream:
        The endpoint that answers; it gets the client's own headers. None for AWS, where calls are
        signed again, with the credentials that boto3 finds for `profile`: a signature holds for
        one host only.
    """

    def __init__(
        self, writer: Writer, upstream: str | None = None, profile: str | None = None
    ) -> None:
        import boto3

        self._writer = writer
        self._upstream = upstream.rstrip("/") if upstream else None
        self._session = boto3.Session(profile_name=profile)
        self._lock = threading.Lock()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        body = _body(environ)
        service, region = _service_and_region(environ)
        if service is None or region is None:
            refusal = b"localaws record: the call is not signed, so its service is unknown"
            start_response("501 Not Implemented", [("Content-Length", str(len(refusal)))])
            return [refusal]
        try:
            status, headers, answer = self._ask(environ, body, service, region)
        except Exception as error:  # noqa: BLE001  reported to the client
            text = f"localaws record: no answer: {type(error).__name__}: {error}".encode()
            start_response("502 Bad Gateway", [("Content-Length", str(len(text)))])
            return [text]
        try:
            self._record(environ, body, service, region, (status, headers, answer))
        except Exception as error:  # noqa: BLE001  the client has its answer whatever happens
            name = type(error).__name__
            print(f"a call of {service} was not recorded: {name}: {error}", file=sys.stderr)
        passed = [
            (name, value) for name, value in headers.items() if name.lower() not in _NOT_PASSED_ON
        ]
        length = headers.get("Content-Length") or headers.get("content-length")
        passed.append(("Content-Length", length or str(len(answer))))
        start_response(f"{status} {_phrase(status)}", passed)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [answer]

    def _ask(
        self, environ: dict[str, Any], body: bytes, service: str, region: str
    ) -> tuple[int, dict[str, str], bytes]:
        from botocore.awsrequest import AWSRequest

        target = environ.get("RAW_URI") or environ["PATH_INFO"]
        headers = _headers(environ)
        if self._upstream is None:
            dropped = _OF_A_SIGNATURE
            body, headers = _unchunked(body, headers)
            headers = {key: value for key, value in headers.items() if key.lower() not in dropped}
            base = self._endpoint(service, region)
        else:
            base = self._upstream
        request = AWSRequest(
            method=environ["REQUEST_METHOD"], url=base + target, headers=headers, data=body
        )
        if self._upstream is None:
            self._sign(request, service, region)
        answer = self._http().send(request.prepare())
        return answer.status_code, dict(answer.headers.items()), answer.content

    def _sign(self, request: Any, service: str, region: str) -> None:
        from botocore.auth import S3SigV4Auth, SigV4Auth

        credentials = self._session.get_credentials()
        if credentials is None:
            raise LookupError("no credentials for AWS were found")
        signer = S3SigV4Auth if service == "s3" else SigV4Auth
        signing_name = wire.service_model(service).signing_name
        signer(credentials, signing_name, region).add_auth(request)

    def _endpoint(self, service: str, region: str) -> str:
        with self._lock:
            return _aws_endpoint(self._session, service, region)

    @functools.lru_cache(maxsize=1)  # noqa: B019  one proxy for each process
    def _http(self) -> Any:
        from botocore.httpsession import URLLib3Session

        return URLLib3Session(timeout=120, max_pool_connections=50)

    def _record(
        self,
        environ: dict[str, Any],
        body: bytes,
        service: str,
        region: str,
        answered: tuple[int, dict[str, str], bytes],
    ) -> None:
        from moto.moto_server.werkzeug_app import BackendRequest

        given = {**environ, "wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        request = BackendRequest(given)
        operation, path_parameters = wire.operation_of(service, request)
        line: dict[str, Any] = {
            "time": dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds"),
            "service": service,
            "operation": operation,
            "region": region,
            "status": answered[0],
            "error": None,
        }
        if operation is None:
            self._writer.call(line, None, None)
            return
        parameters = wire.parse(service, operation, _readable(service, request), path_parameters)
        model = wire.service_model(service).operation_model(operation)
        if model.has_streaming_input:
            plain, _ = _unchunked(body, _headers(environ))
            parameters[model.input_shape.serialization["payload"]] = plain
        members = _members(model, wire.protocol_of(service, request), answered)
        error = members.pop("Error", None)
        if answered[0] >= wire.FIRST_ERROR:
            error = error or {}
            line["error"] = {"code": error.get("Code"), "message": error.get("Message", "")}
            members = {}
        self._writer.call(line, parameters, members)


def _readable(service: str, request: Request) -> Request:
    if wire.is_cbor(request):
        return rpc_v2_cbor.as_json(service, request)
    return request if service == "s3" else uncompressed(request)


def _members(
    model: Any, protocol: str, answered: tuple[int, dict[str, str], bytes]
) -> dict[str, Any]:
    """Return the members of an answer, or its error, as botocore reads them."""
    from botocore.awsrequest import HeadersDict
    from botocore.parsers import create_parser

    status, headers, body = answered
    given = {"body": body, "headers": HeadersDict(headers), "status_code": status}
    members: dict[str, Any] = create_parser(protocol).parse(given, model.output_shape)
    members.pop("ResponseMetadata", None)
    if model.has_streaming_output and status < wire.FIRST_ERROR:
        members[model.output_shape.serialization["payload"]] = body
    return members


@functools.cache
def _aws_endpoint(session: Any, service: str, region: str) -> str:
    from botocore.config import Config

    config = Config(ignore_configured_endpoint_urls=True)
    client = session.client(service, region_name=region, config=config)
    return str(client.meta.endpoint_url).rstrip("/")


def _service_and_region(environ: dict[str, Any]) -> tuple[str | None, str | None]:
    found = _SCOPE.search(environ.get("HTTP_AUTHORIZATION", ""))
    if found is None:
        query = parse_qs(environ.get("QUERY_STRING", ""))
        found = _QUERY_SCOPE.match((query.get("X-Amz-Credential") or [""])[0])
    if found is None:
        return None, None
    region, name = found.groups()
    return _SIGNING_NAMES.get(name) or wire.botocore_name(name), region


def _body(environ: dict[str, Any]) -> bytes:
    source = environ["wsgi.input"]
    if environ.pop("HTTP_TRANSFER_ENCODING", None) is not None:
        return bytes(source.read(_MAX_BYTES))
    return bytes(source.read(int(environ.get("CONTENT_LENGTH") or 0)))


def _headers(environ: dict[str, Any]) -> dict[str, str]:
    found = {
        key[5:].replace("_", "-").title(): str(value)
        for key, value in environ.items()
        if key.startswith("HTTP_")
    }
    if environ.get("CONTENT_TYPE"):
        found["Content-Type"] = environ["CONTENT_TYPE"]
    return {key: value for key, value in found.items() if key.lower() not in _NOT_PASSED_ON}


def _unchunked(body: bytes, headers: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    """Remove the chunks of aws-chunked bodies, whose signatures hold for one host only."""
    kind = next((v for k, v in headers.items() if k.lower() == "x-amz-content-sha256"), "")
    kept = {key: value for key, value in headers.items() if key.lower() != "x-amz-content-sha256"}
    if not kind.startswith("STREAMING-"):
        return body, kept
    plain, at = b"", 0
    while True:
        end = body.index(b"\r\n", at)
        length = int(body[at:end].split(b";", 1)[0], 16)
        if length == 0:
            break
        plain += body[end + 2 : end + 2 + length]
        at = end + 2 + length + 2
    dropped = {"content-encoding", "x-amz-decoded-content-length", "x-amz-trailer"}
    return plain, {key: value for key, value in kept.items() if key.lower() not in dropped}


def _phrase(status: int) -> str:
    from http import HTTPStatus

    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"

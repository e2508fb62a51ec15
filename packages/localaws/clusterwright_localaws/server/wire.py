"""Conversion between HTTP and parameters by botocore's models; moto implements the protocols."""

from __future__ import annotations

import functools
import json
import re
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from botocore.awsrequest import HeadersDict
from botocore.model import NoShapeFoundError

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.service_models import loader
from clusterwright_localaws.server import cbor

if TYPE_CHECKING:
    from moto.core.request import Request

# botocore's parsers treat answers from this status on as errors.
FIRST_ERROR = 301
# botocore's name of Smithy's RPC v2 CBOR.
CBOR_PROTOCOL = "smithy-rpc-v2-cbor"
# The second is that of older SDKs' own protocol, with Kinesis.
_CBOR_TYPES = frozenset({"application/cbor", "application/x-amz-cbor-1.1"})

Answer = tuple[int, dict[str, str], "str | bytes"]

# Statuses recorded on AWS that the models do not state (docs/reference/probes.md, `localstack`).
_STATUSES = {("s3", "PutBucketTagging"): 204}
# moto's package names that differ from botocore's service name without hyphens.
_UNREADABLE = {
    "query": "MalformedQueryString",
    "ec2": "MalformedQueryString",
    "rest-xml": "MalformedXML",
}
_REQUEST_ID = "x-amzn-requestid"
_READS = frozenset({"GET", "HEAD"})
# Of S3, as recorded on AWS where the model has none: docs/reference/probes.md, source
# `localstack`.
_RECORDED_STATUSES = {
    "PutBucketAnalyticsConfiguration": 204,
    "PutBucketIntelligentTieringConfiguration": 204,
    "PutBucketInventoryConfiguration": 204,
    "PutBucketMetricsConfiguration": 204,
}
_FILTER_VALUE = re.compile(r"Filter\.\d+\.Value\.\d+")
_MOST_FILTER_VALUES = 200
_LOAD_BALANCERS_V2 = "2015-12-01"
_MOTO_NAMES = {"awslambda": "lambda", "elbv2": "elbv2", "amp": "amp"}
_INTEGERS = frozenset({"integer", "long"})
# The types of JSON that a shape with members has.
_CONTAINERS: Mapping[str, Any] = {"structure": dict, "map": dict, "list": list}


@functools.cache
def botocore_name(moto_name: str) -> str | None:
    """Return botocore's name of the service that moto (or the signature) calls `moto_name`."""
    if moto_name in _MOTO_NAMES:
        return _MOTO_NAMES[moto_name]
    names = _service_names()
    return names.get(moto_name.replace("-", "").lower())


def service_of(moto_name: str, request: Request) -> str | None:
    """Return botocore's name of the service that a request is for.

    The two APIs of Elastic Load Balancing have one address, and differ in their version.
    """
    if moto_name in ("elb", "elbv2"):
        return "elbv2" if request.values.get("Version") == _LOAD_BALANCERS_V2 else "elb"
    return botocore_name(moto_name)


@functools.cache
def _service_names() -> dict[str, str]:
    return {name.replace("-", ""): name for name in loader().list_available_services("service-2")}


def service_model(service: str) -> Any:
    from moto.core.utils import get_service_model

    return get_service_model(service)


def operation_of(service: str, request: Request) -> tuple[str | None, dict[str, Any]]:
    """Return the operation of a request, and the parameters in its path."""
    target = request.headers.get("X-Amz-Target")
    if target:
        return target.rsplit(".", 1)[-1], {}
    if "/operation/" in request.path and request.headers.get("smithy-protocol"):
        return request.path.rsplit("/operation/", 1)[-1].strip("/"), {}
    protocol = service_model(service).protocol
    if protocol in ("query", "ec2"):
        return request.values.get("Action"), {}
    from moto.core.routing import NotFound, get_service_router

    try:
        operation, parameters = get_service_router(service).match(request)
    except (NotFound, NotImplementedError):
        return None, {}
    return str(operation.name), parameters


def parse(
    service: str, operation: str, request: Request, path_parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters of a request, named as in the API model.

    Raises
    ------
    AwsError
        SerializationException: the body does not match the protocol. FilterLimitExceeded: EC2's
        limit.
    """
    from moto.core.parse import PROTOCOL_PARSERS

    model = service_model(service)
    operation_model = model.operation_model(operation)
    # The body of an object is not parsed: it may be of any size. S3 ignores that of a read.
    streamed = operation_model.has_streaming_input
    if service == "ec2":
        _check_filter_values(request)
    is_read = str(model.protocol) == "rest-xml" and request.method in _READS
    body = b"" if streamed or is_read else request.get_data(cache=True)
    try:
        protocol = _stated_protocol(model, request)
        if protocol in ("json", "rest-json") and body:
            _check_containers(_body_shape(operation_model.input_shape), json.loads(body))
        parsed = PROTOCOL_PARSERS[protocol](operation_model).parse(
            {
                "method": request.method,
                # A form is read from the body; a body sent to S3 with a form's type is not a form.
                "values": (
                    _without_empty_numbers(operation_model.input_shape, request.args)
                    if protocol == "rest-xml"
                    else request.values
                ),
                "headers": request.headers,
                "body": body,
                "url_path": request.path,
                "url_params": dict(path_parameters),
            }
        )
        found = dict(parsed or {})
        _add_query_maps(operation_model.input_shape, request, found)
    except Exception as error:
        raise AwsError(
            _UNREADABLE.get(str(model.protocol), "SerializationException"),
            f"the request cannot be read: {error}"[:500],
            400,
        ) from error
    if streamed:
        found.setdefault(str(operation_model.input_shape.serialization["payload"]), b"")
    return found


def _check_filter_values(request: Request) -> None:
    """Refuse more values of filters than EC2 takes; the message is that which users report.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    https://github.com/gjbae1212/gossm/issues/47
    """
    count = sum(1 for name in request.values if _FILTER_VALUE.fullmatch(name))
    if count > _MOST_FILTER_VALUES:
        raise AwsError(
            "FilterLimitExceeded",
            "The maximum number of filter values specified on a single call is "
            f"{_MOST_FILTER_VALUES}",
            400,
        )


def _without_empty_numbers(shape: Any, query: Any) -> Any:
    """Return a query without numbers that are empty: as recorded on AWS, S3 ignores them."""
    members = shape.members.values() if shape is not None else ()
    numbers = {
        one.serialization.get("name")
        for one in members
        if one.serialization.get("location") == "querystring" and one.type_name in _INTEGERS
    }
    if not any(not query.get(name, "given") for name in numbers):
        return query
    left = query.copy()
    for name in numbers:
        if not left.get(name, "given"):
            del left[name]
    return left


def _body_shape(shape: Any) -> Any:
    """Return the shape of a JSON body: the payload's, where one member is the whole body."""
    payload = shape.serialization.get("payload") if shape is not None else None
    return shape.members[payload] if payload else shape


def _check_containers(shape: Any, value: Any) -> None:
    """Check that a JSON list is where the model has a list, and an object where it has one.

    moto's parser iterates over either, and moto itself reads the body as it was sent.

    Raises
    ------
    TypeError
        A container has another type than in the model.
    """
    kind = shape.type_name if shape is not None else ""
    if value is None or kind not in _CONTAINERS or getattr(shape, "is_document_type", False):
        return
    if not isinstance(value, _CONTAINERS[kind]):
        raise TypeError(f"{type(value).__name__} found where a {kind} is expected: {shape.name}")
    if kind == "list":
        for item in value:
            _check_containers(shape.member, item)
    elif kind == "map":
        for item in value.values():
            _check_containers(shape.value, item)
    else:
        for name, member in shape.members.items():
            _check_containers(member, value.get(member.serialization.get("name", name)))


def _add_query_maps(shape: Any, request: Request, found: dict[str, Any]) -> None:
    """Read a map in the query string: all keys that belong to no other member, which moto's parser
    ignores.
    """
    members = shape.members if shape is not None else {}
    queried = {
        name: member
        for name, member in members.items()
        if member.serialization.get("location") == "querystring"
    }
    for name, member in queried.items():
        if member.type_name != "map" or "name" in member.serialization:
            continue
        others = {one.serialization.get("name", key) for key, one in queried.items()}
        rest = {key: request.args.getlist(key) for key in request.args if key not in others}
        found.pop(name, None)
        if rest:
            is_list = member.value.type_name == "list"
            found[name] = rest if is_list else {key: value[0] for key, value in rest.items()}


def answer(
    service: str, operation: str | None, request: Request, result: Mapping[str, Any] | AwsError
) -> Answer:
    """Return an answer or an error in the protocol of the request."""
    from botocore.model import OperationNotFoundError
    from moto.core import errors
    from moto.core.model import OperationModel
    from moto.core.serialize import SerializationContext, get_serializer_class

    model = service_model(service)
    if is_cbor(request) and isinstance(result, AwsError):
        return cbor_error(result)
    try:
        operation_model = model.operation_model(operation)
    except OperationNotFoundError:
        operation_model = OperationModel({}, model)
    protocol = protocol_of(service, request)
    if isinstance(result, AwsError) and result.code not in errors.COMMON_ERROR_CODES:
        # moto warns about codes that a service's model lacks; AWS uses many such codes.
        errors.COMMON_ERROR_CODES.append(result.code)
    context = SerializationContext(str(uuid.uuid4()))
    serializer = get_serializer_class(model.service_name, protocol)(
        operation_model=operation_model, context=context
    )
    written = serializer.serialize(result)
    status = int(written["status_code"])
    if not isinstance(result, AwsError):
        status = _STATUSES.get((service, str(operation)), status)
    headers = {str(name): str(value) for name, value in written["headers"].items()}
    if isinstance(result, AwsError) and result.status is not None:
        status = result.status
    elif service == "s3" and not isinstance(result, AwsError):
        # moto's serializer does not regard it.
        modelled = operation_model.http.get("responseCode", status)
        status = _RECORDED_STATUSES.get(str(operation), int(modelled))
    headers.setdefault("x-amzn-RequestId", str(context.request_id))
    body = written["body"]
    if isinstance(result, AwsError) and not result.message and protocol == "json":
        # As recorded on AWS, an error without a message has no member for it.
        found = json.loads(body)
        body = json.dumps({key: found[key] for key in found if key.lower() != "message"})
    if isinstance(result, AwsError) and not result.message and protocol == "query":
        text = body.decode() if isinstance(body, bytes) else body
        body = re.sub(r"<Message\s*/>|<Message></Message>", "", text)
    if service == "s3" and isinstance(result, AwsError):
        body = _with_members(body, result)
    return status, headers, body


def _with_members(body: str | bytes, error: AwsError) -> str | bytes:
    """Return an error of S3 with its members; S3's API model describes few of them."""
    from xml.sax.saxutils import escape

    text = body.decode() if isinstance(body, bytes) else body
    members = "".join(
        f"<{name}>{escape(str(value))}</{name}>"
        for name, value in vars(error).items()
        if name not in ("code", "message", "status") and not re.search(rf"<{name}\s*/?>", text)
    )
    return text.replace("</Error>", f"{members}</Error>") if members else body


def with_ids_of_s3(answered: Answer) -> Answer:
    """Return an answer with the ids of the request in S3's headers.

    https://docs.aws.amazon.com/AmazonS3/latest/API/RESTCommonResponseHeaders.html
    """
    from moto.core.serialize import S3Serializer

    status, headers, body = answered
    ids = [value for name, value in headers.items() if name.lower() == _REQUEST_ID]
    others = {name: value for name, value in headers.items() if name.lower() != _REQUEST_ID}
    named = {"x-amz-request-id": (ids or [str(uuid.uuid4())])[0]}
    return status, {**named, "x-amz-id-2": S3Serializer.DEFAULT_HOST_ID, **others}, body


def is_cbor(request: Request) -> bool:
    """Return whether a request uses Smithy's RPC v2 CBOR; see `rpc_v2_cbor`."""
    return request.headers.get("smithy-protocol") == "rpc-v2-cbor"


def check_content_type(service: str, request: Request) -> None:
    """Check that a body in CBOR has the header that names its protocol.

    Bodies of services with a REST protocol may be anything, for example the payload of a function.

    Raises
    ------
    AwsError
        UnsupportedProtocolException
    """
    kind = request.mimetype
    if kind in _CBOR_TYPES and not str(service_model(service).protocol).startswith("rest"):
        message = f"{kind} is not read without the header smithy-protocol: rpc-v2-cbor"
        raise AwsError("UnsupportedProtocolException", message, 400)


def cbor_error(error: AwsError) -> Answer:
    """Return an error in RPC v2 CBOR: a map of `__type` and `message`.

    https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html
    """
    headers = {
        "Content-Type": "application/cbor",
        "smithy-protocol": "rpc-v2-cbor",
        "x-amzn-RequestId": str(uuid.uuid4()),
    }
    body = cbor.encode({"__type": error.code, "message": error.message})
    return error.status or 400, headers, body


def with_type_of_json(service: str, answered: Answer) -> Answer:
    """Return moto's answer with the content type of the service's JSON, which moto often lacks.

    https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
    """
    status, headers, body = answered
    if "eventstream" in {name.lower(): value for name, value in headers.items()}.get(
        "content-type", ""
    ):
        return answered
    version = service_model(service).metadata.get("jsonVersion", "1.0")
    others = {name: value for name, value in headers.items() if name.lower() != "content-type"}
    return status, others | {"Content-Type": f"application/x-amz-json-{version}"}, body


def with_modelled_message(service: str, answered: Answer) -> Answer:
    """Return an error of moto's in JSON with its message named as the service's model names it.

    The members `message` and `Message` differ between services, and SDKs read the modelled one.
    """
    status, headers, body = answered
    if status < FIRST_ERROR or not body:
        return answered
    try:
        found = json.loads(body)
        code = str(found["__type"]).rsplit("#", 1)[-1]
        shape = service_model(service).shape_for(code)
        (name,) = (each for each in shape.members if each.lower() == "message")
    except (KeyError, LookupError, NoShapeFoundError, TypeError, ValueError):
        return answered
    written = {each: value for each, value in found.items() if each.lower() != "message"}
    texts = [value for each, value in found.items() if each.lower() == "message"]
    if not texts:
        return answered
    others = {each: value for each, value in headers.items() if each.lower() != "content-length"}
    return status, others, json.dumps({**written, name: texts[0]})


def protocol_of(service: str, request: Request) -> str:
    """Return the protocol of a request: some services have several."""
    model = service_model(service)
    if is_cbor(request):
        return CBOR_PROTOCOL
    try:
        return _stated_protocol(model, request)
    except NotImplementedError:
        return str(model.protocol)


def _stated_protocol(model: Any, request: Request) -> str:
    """Return the protocol that the content type of a request states, or else the service's.

    Raises
    ------
    NotImplementedError
        The service does not have the protocol.
    """
    from moto.core.request import determine_request_protocol

    found = str(determine_request_protocol(model, request.content_type))
    # The first of the protocols of a service may be CBOR, which has a header of its own.
    return "json" if found == CBOR_PROTOCOL else found


def error_code(
    service: str, operation: str | None, request: Request, answered: Answer
) -> str | None:
    """Return the error code in an answer, as a client reads it."""
    status, headers, body = answered
    try:
        found = _parser(protocol_of(service, request)).parse(
            {
                "body": body.encode() if isinstance(body, str) else body,
                "headers": HeadersDict(headers),
                "status_code": status,
            },
            service_model(service).operation_model(operation).output_shape if operation else None,
        )
    except Exception:  # noqa: BLE001  the answer of a service that has its own form
        return None
    code = found.get("Error", {}).get("Code")
    return str(code) if code else None


def read_answer(
    service: str, operation: str, answered: Answer, protocol: str | None = None
) -> dict[str, Any]:
    """Parse an answer as a client does; the reverse of `answer`."""
    model = service_model(service)
    status, headers, body = answered
    parser = _parser(protocol or str(model.protocol))
    found: dict[str, Any] = parser.parse(
        {
            "body": body.encode() if isinstance(body, str) else body,
            "headers": HeadersDict(headers),  # without regard to case
            "status_code": status,
        },
        model.operation_model(operation).output_shape,
    )
    return found


@functools.cache
def _parser(protocol: str) -> Any:
    from botocore.parsers import create_parser

    return create_parser(protocol)


def no_service(name: str, request: Request) -> Answer:
    """Return the refusal of an unknown service, in its protocol where that is known."""
    message = f"the local AWS does not have the service {name}"
    service = botocore_name(name)
    if service is None:
        return plain_error(request, "UnknownOperationException", message)
    return answer(service, None, request, AwsError("UnknownOperationException", message, 400))


def plain_error(request: Request, code: str, message: str, status: int = 400) -> Answer:
    """Return an error for a service without a known model."""
    content_type = request.content_type or ""
    if is_cbor(request):
        return cbor_error(AwsError(code, message, status))
    if "json" in content_type or request.headers.get("X-Amz-Target"):
        return (
            status,
            {"Content-Type": "application/x-amz-json-1.1", "x-amzn-ErrorType": code},
            json.dumps({"__type": code, "message": message}),
        )
    from xml.sax.saxutils import escape

    return (
        status,
        {"Content-Type": "text/xml"},
        f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code>"
        f"<Message>{escape(message)}</Message></Error></ErrorResponse>",
    )

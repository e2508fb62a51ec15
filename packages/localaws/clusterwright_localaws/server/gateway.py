"""Single entry point: every call passes here, over a socket or in process.

In this order: the world's faults, botocore's model of the request, our implementation or moto's,
botocore's model of the answer. An operation without an implementation is refused at once, in the
shape of the service's protocol and with a code that no SDK retries.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from clusterwright_localaws import services
from clusterwright_localaws.core import (
    accounts,
    page_tokens,
    pagination,
    reserved_tags,
    tag_limits,
    truncation,
)
from clusterwright_localaws.core import answer_checks as answers
from clusterwright_localaws.core.answer_repairs import repaired
from clusterwright_localaws.core.call import OPERATIONS, UNMODELLED, Call, Operation
from clusterwright_localaws.core.credentials import access_key_of
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.core.faults import fault_message, fault_status
from clusterwright_localaws.core.overrides import overridden
from clusterwright_localaws.core.page_sizes import asked_length
from clusterwright_localaws.core.request_tags import sets_reserved_only
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.simplifications import notes, warnings_of
from clusterwright_localaws.core.timers import timers
from clusterwright_localaws.core.validation import request_message, violations
from clusterwright_localaws.iam import documents
from clusterwright_localaws.iam.inside import is_inside
from clusterwright_localaws.server import client_tokens, recording, rpc_v2_cbor, wire
from clusterwright_localaws.server.moto_errors import with_clean_message
from clusterwright_localaws.server.requests import uncompressed
from clusterwright_localaws.server.times import with_times
from clusterwright_localaws.server.wire import Answer
from clusterwright_localaws.services.ec2 import (
    answer_filters,
    filter_names,
    network_checks,
    tag_policy,
)
from clusterwright_localaws.services.ec2 import client_tokens as ec2_client_tokens
from clusterwright_localaws.services.ec2 import reserved_tags as ec2_reserved_tags
from clusterwright_localaws.services.ec2.common import dry_run
from clusterwright_localaws.services.ec2.network import network_of
from clusterwright_localaws.services.kms.key_states import check_states
from clusterwright_localaws.services.s3.customer_keys import check_keys
from clusterwright_localaws.services.s3.expected_owners import check_owners
from clusterwright_localaws.services.s3.presigned_urls import check_url, take_headers
from clusterwright_localaws.services.s3.refusals import refusal as s3_refusal
from clusterwright_localaws.services.s3.request_sizes import check_sizes
from clusterwright_localaws.services.s3.signatures import check_signed_url
from clusterwright_localaws.services.s3.world_buckets import seed_buckets

if TYPE_CHECKING:
    from moto.core.request import Request

    from clusterwright_localaws.iam.principals import Caller
    from clusterwright_localaws.worlds.model import Fault

Forward = Callable[["Request"], "Answer | None"]
ToMoto = Callable[[], "Answer | None"]

# CloudFormation calls other services from threads of its own while its request waits for them.
_OWN_LOCKS = frozenset({"cloudformation"})

# S3 streams bodies of any size and has its own error shape: moto handles both.
_UNPARSED = frozenset({"s3", "s3control"})
_NETWORKED = frozenset({"ec2", "eks", "fsx", "pcs", "sagemaker"})
# Resources that moto keeps of these change state with the world's delays.
_TIMED = frozenset({"amp", "kms", "rds"})
# Codes of violations of the model where a service has its own.
_CODES = {"logs": "InvalidParameterException"}
# Services whose messages do not repeat a refused value, as recorded on AWS, and their operations
# whose messages do.
_WITHOUT_VALUES = {
    "logs": frozenset(
        {
            "DeleteMetricFilter",
            "DescribeMetricFilters",
            "FilterLogEvents",
            "PutDeliveryDestination",
            "PutMetricFilter",
        }
    )
}
# Of these only messages about numbers do.
_WITH_NUMBERS = frozenset({("logs", "GetLogEvents")})
# A value of EC2's instance types that the model lacks. Texts as published: getmoto/moto#1695,
# scylladb/scylla-cluster-tests#12419.
_UNKNOWN_TYPE = re.compile(
    r"Value '([^']*)' at 'instanceTypes?(?:\.\d+\.member)?' failed to satisfy constraint: "
    "Member must satisfy enum"
)
# moto fails here at a Region that does not exist; AWS has no such address.
_REGIONS_OF_MOTO = "moto/core/base_backend.py"
_READ_BUCKETS = frozenset({"fsx", "s3", "sagemaker"})


def answer_request(
    request: Request, moto_name: str, region: str, forward: Forward
) -> Answer | None:
    """Answer one request.

    Parameters
    ----------
    request:
        The request, its body readable again afterwards.
    moto_name:
        moto's name of the service (`servicequotas`), as its URL tables have it.
    region:
        The region that the request addresses.
    forward:
        Calls moto with the request, or with a translation of it. Its answer is `None` where moto
        forwards a request to the network.
    """
    service = wire.service_of(moto_name, request)
    if service is None:
        return forward(request)
    recorder = runtime().recorder
    if recorder is None:
        return _identified(service, _answered(service, request, region, forward))
    entry = recording.Entry(request, service, accounts.account_of(request), region)
    answered: Answer | None = None
    try:
        answered = _identified(service, _answered(service, request, region, forward))
    finally:
        entry.end(recorder, answered)
    return answered


def _answered(service: str, request: Request, region: str, forward: Forward) -> Answer | None:
    if wire.is_cbor(request):
        recording.note(wire.operation_of(service, request)[0])

        def answer_json(translated: Request) -> Answer | None:
            return _answered(service, translated, region, forward)

        return rpc_v2_cbor.answer_with(service, request, answer_json)
    operation: str | None = None
    try:
        if service not in _UNPARSED:
            wire.check_content_type(service, request)
            request = uncompressed(request)
        to_moto = functools.partial(forward, request)
        services.prepare(service)
        _let_time_pass(service, request, region)
        _wait(service, request)
        if service in UNMODELLED:
            answered = UNMODELLED[service](request, region)
            if answered is not None:
                return answered
        operation, path_parameters = wire.operation_of(service, request)
        recording.note(operation)
        if operation is None:
            return _without_operation(service, request, to_moto)
        answered = _answer(service, operation, request, path_parameters, region, to_moto)
        if answered is None:
            return None
        return with_times(service, operation, wire.protocol_of(service, request), answered)
    except AwsError as error:
        return wire.answer(service, operation, request, error)
    except NotImplementedError as error:
        named = operation or ""
        lacking = filter_names.not_implemented(named, error) if service == "ec2" else None
        return wire.answer(
            service, operation, request, lacking or unknown_operation(service, named)
        )
    except Exception as error:  # noqa: BLE001  our bug: said once, and not retried by SDKs
        refused = _of_moto(error)
        if refused is not None:
            return wire.answer(service, operation, request, refused)
        return _bug(service, operation, request, error)


def _of_moto(error: Exception) -> AwsError | None:
    """Return what moto's functions refuse, where operations of ours call them; None otherwise."""
    from moto.core.exceptions import JsonRESTError, ServiceException

    if isinstance(error, ServiceException):
        return AwsError(error.code, error.message)
    if isinstance(error, JsonRESTError):
        return AwsError(str(error.relative_error_type), error.message, error.code)
    return None


def _identified(service: str, answered: Answer | None) -> Answer | None:
    if service == "s3" and answered is not None:
        return wire.with_ids_of_s3(answered)
    return answered


def _wait(service: str, request: Request) -> None:
    """Apply the world's latency, except to calls that CloudFormation makes for a stack."""
    latency_ms = runtime().world.latency_ms
    if latency_ms and not request.headers.get(recording.SOURCE_HEADER):
        time.sleep(latency_ms.get(service, latency_ms.get("*", 0)) / 1000)


def _without_operation(service: str, request: Request, to_moto: ToMoto) -> Answer | None:
    """Answer a request without an operation of the model: moto has a few URLs of its own."""
    protocol = str(wire.service_model(service).protocol)
    if protocol in ("query", "ec2"):
        raise AwsError("MissingAction", "The request must contain the parameter Action", 400)
    if protocol == "json" or services.is_whole(service):
        raise unknown_operation(service, "")
    answered = _ask_moto(service, f"{request.method} {request.path}"[:200], to_moto)
    if answered is None or answered[0] < 404:
        return answered
    if answered[0] >= 500 or "html" in str(answered[1].get("Content-Type", "")):
        raise unknown_operation(service, f"{request.method} {request.path}"[:200])
    return answered


def _let_time_pass(service: str, request: Request, region: str) -> None:
    """Create the world's resources and run what is due, before the call is answered."""
    if service in _READ_BUCKETS:
        seed_buckets(runtime())
    if service == "logs" and runtime().world.log_lines:
        from clusterwright_localaws.services.logs.lines import seed_log_lines

        seed_log_lines(runtime())
    if service in _NETWORKED:
        services.prepare("ec2")
        current = runtime()
        with current.lock:
            network_of(current, accounts.account_of(request), region)
            current.advance()
    elif service in _TIMED:
        with runtime().lock:  # before the lock of the timers, as above: actions take both
            timers().advance()


def _answer(
    service: str,
    operation: str,
    request: Request,
    path_parameters: Mapping[str, Any],
    region: str,
    to_moto: ToMoto,
) -> Answer | None:
    current = runtime()
    if current.ended_keys and access_key_of(request) in current.ended_keys:
        from clusterwright_localaws.iam.callers import expired_token

        raise expired_token(service)
    account = accounts.account_of(request)
    hits = current.faults.hits(service, operation) if current.faults else []
    _strike(hits, service, operation, account)
    implementation = OPERATIONS.get((service, operation))
    if implementation is None and services.is_whole(service):
        raise unknown_operation(service, operation)
    if service == "s3":
        # Clients sign by the time of their own clocks.
        check_url(request.args, datetime.now(UTC))
        check_signed_url(request, str(path_parameters.get("Bucket", "")))
        take_headers(request)
    parameters = _checked(service, operation, request, path_parameters)
    acting: AbstractContextManager[None] = nullcontext()
    # A client may send the header, too.
    by_aws = is_inside() and bool(request.headers.get(recording.SOURCE_HEADER))
    # AWS sets its own tags for a caller who may not tag.
    is_examined = not (by_aws and sets_reserved_only(operation, parameters))
    if current.world.iam == "enforced" and is_examined:
        from clusterwright_localaws.iam.gate import enter

        acting = enter(current, service, operation, request, region, parameters)
    if service == "ec2":
        tag_policy.check(current.world, operation, parameters)
        ec2_reserved_tags.check(operation, parameters, by_aws=by_aws)
        _check_named(account, region, operation, parameters)
    elif service == "s3":
        check_owners(parameters)
        check_keys(operation, parameters)
        check_sizes(operation, parameters)
    elif not by_aws:
        reserved_tags.check(wire.service_model(service), operation, parameters)
        tag_limits.check(wire.service_model(service), operation, parameters)
    documents.check_request(service, operation, parameters, account)
    truncated = min((fault.truncate for fault in hits if fault.truncate), default=None)
    limits = (truncated, asked_length(service, operation, parameters))
    limit = min((each for each in limits if each is not None), default=None)
    rest = truncation.continued(current, service, operation, account, region, parameters, limit)
    if rest is not None:
        return wire.answer(service, operation, request, rest)
    call = Call(
        service,
        operation,
        account,
        region,
        current,
        parameters,
        truncated,
        functools.partial(_signer, request, service, region),
        signed=access_key_of(request) is not None,
        by_aws=by_aws,
    )
    if service == "kms":
        check_states(call)
    ask = functools.partial(
        _implemented, implementation, call, request, to_moto, hits, acting, limit
    )
    with notes() as noted:
        if service == "ec2":
            whose = (operation, account, region)
            answered = ec2_client_tokens.answered(current, whose, parameters, ask)
        else:
            answered = client_tokens.answered(call, ask)
    if answered is not None and answered[0] < wire.FIRST_ERROR:
        _warn(service, operation, parameters, noted)
    return answered


def _check_named(account: str, region: str, operation: str, parameters: Mapping[str, Any]) -> None:
    """Check the names of filters and the ids that a call of EC2 has."""
    filter_names.check(wire.service_model("ec2").operation_model(operation), parameters)
    network_checks.check_ids(account, region, operation, parameters)


def _implemented(
    implementation: Operation | None,
    call: Call,
    request: Request,
    to_moto: ToMoto,
    hits: list[Fault],
    acting: AbstractContextManager[None],
    limit: int | None,
) -> Answer | None:
    """Answer a call that passed the checks, by our implementation or moto's."""
    service, operation, parameters = call.service, call.operation, call.parameters
    current, whose = call.runtime, (service, operation, call.account, call.region)
    if implementation is not None:
        result: Mapping[str, Any] | None = None
        with (
            acting,
            nullcontext() if service in _OWN_LOCKS else current.lock,
            contextlib.suppress(ForwardToMoto),  # moto keeps this resource
        ):
            result = implementation(call)
        for left in call.unlocked:
            left()
        if result is not None:
            result = pagination.shorten(hits, service, operation, result)
            if limit is not None:
                result = truncation.cut(current, whose, result, limit)
            result = _overridden(service, operation, parameters, result)
            _check_answer(service, operation, result)
            return wire.answer(service, operation, request, result)
    if service == "ec2" and parameters.get("DryRun") and operation != "RunInstances":
        # moto ignores it in many operations. RunInstances and ours check more before they answer.
        raise dry_run()
    page_tokens.check(current, whose, parameters)
    answered = _ask_moto(service, operation, to_moto)
    if answered is not None:
        answered = _check_moto(service, operation, request, answered)
        answered = _filter_moto(service, operation, request, parameters, answered)
        _note_token(whose, request, answered)
        answered = _override_moto(service, operation, request, parameters, answered)
    is_whole = not any(fault.empty for fault in hits) and (
        limit is None or truncation.is_shorter(answered, limit)
    )
    if answered is None or answered[0] >= 300 or is_whole:
        return answered
    return _shorten_answer(hits, limit, whose, request, answered)


def _warn(service: str, operation: str, parameters: Mapping[str, Any], noted: list[str]) -> None:
    """Say what was not examined: in the line of the record, and once in the log."""
    current = runtime()
    found = warnings_of(service, operation, parameters, current.world, noted)
    recording.warned(found)
    for text in found:
        current.warn(f"{service} {operation}: {text}")


def _signer(request: Request, service: str, region: str) -> Caller:
    from clusterwright_localaws.iam.callers import caller_of

    return caller_of(runtime(), request, service, region)


def _overridden(
    service: str, operation: str, parameters: Mapping[str, Any], result: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return an answer with the world's overrides applied."""
    current = runtime()
    if not current.overrides:
        return result
    hits = current.overrides.hits(service, operation, parameters)
    if not hits:
        return result
    shape = wire.service_model(service).operation_model(operation).output_shape
    return overridden(hits, shape, result, parameters, current.clock.now())


def _read(service: str, operation: str, request: Request, answered: Answer) -> dict[str, Any]:
    """Return the members of moto's answer."""
    read = wire.read_answer(service, operation, answered, wire.protocol_of(service, request))
    read.pop("ResponseMetadata", None)
    return read


def _filter_moto(
    service: str,
    operation: str,
    request: Request,
    parameters: Mapping[str, Any],
    answered: Answer,
) -> Answer:
    """Return moto's answer with the filters applied that moto ignores."""
    filters = answer_filters.ignored(operation, parameters) if service == "ec2" else []
    if not filters or answered[0] >= 300:
        return answered
    read = _read(service, operation, request, answered)
    result = answer_filters.filtered(operation, filters, read)
    return wire.answer(service, operation, request, result)


def _override_moto(
    service: str,
    operation: str,
    request: Request,
    parameters: Mapping[str, Any],
    answered: Answer,
) -> Answer:
    """Return moto's answer with the world's overrides applied, validated again."""
    if not runtime().overrides or answered[0] >= 300 or service in _UNPARSED:
        return answered
    read = _read(service, operation, request, answered)
    result = _overridden(service, operation, parameters, read)
    if result is read:
        return answered
    _check_answer(service, operation, result)
    return wire.answer(service, operation, request, result)


def _strike(hits: list[Fault], service: str, operation: str, account: str) -> None:
    for fault in hits:
        if fault.delay_ms:
            time.sleep(fault.delay_ms / 1000)
        if fault.error:
            caller = f"arn:aws:iam::{account}:root"
            raise AwsError(
                fault.error,
                fault_message(fault, caller, service, operation),
                fault_status(fault),
            )


def _checked(
    service: str, operation: str, request: Request, path_parameters: Mapping[str, Any]
) -> dict[str, Any]:
    model = wire.service_model(service)
    if operation not in model.operation_names:
        raise unknown_operation(service, operation)
    parameters = wire.parse(service, operation, request, path_parameters)
    recording.note(operation, parameters)
    shape = model.operation_model(operation).input_shape
    if shape is not None:
        found = violations(shape, parameters)
        if service == "ec2" and parameters.get("DryRun"):
            # As recorded on AWS, a dry run does not look at values that the model lacks.
            found = [one for one in found if "enum value set" not in one]
        if found:
            raise _refusal(model, operation, found)
    return parameters


def _refusal(model: Any, operation: str, found: list[str]) -> AwsError:
    service, protocol = str(model.service_name), str(model.protocol)
    if protocol == "rest-xml":
        return s3_refusal(found)
    if protocol == "ec2":
        if "must not be null" in found[0]:
            name = found[0].split("'")[1]
            member = name.rsplit(".", 1)[-1]
            return AwsError(
                "MissingParameter",
                f"The request must contain the parameter {member[:1].upper()}{member[1:]}",
            )
        unknown = [one.group(1) for one in map(_UNKNOWN_TYPE.match, found) if one is not None]
        if unknown and operation == "DescribeInstanceTypes":
            listed = ", ".join(unknown)
            text = f"The following supplied instance types do not exist: [{listed}]"
            return AwsError("InvalidInstanceType", text)
        if unknown:
            text = f"Invalid value '{unknown[0]}' for InstanceType."
            return AwsError("InvalidParameterValue", text)
        return AwsError("InvalidParameterValue", "; ".join(found))
    code = "ValidationError" if protocol == "query" else "ValidationException"
    others = _WITHOUT_VALUES.get(service)
    is_number = (service, operation) in _WITH_NUMBERS and "must have value" in found[0]
    with_values = others is None or operation in others or is_number
    message = request_message(found, with_values=with_values)
    raised = {shape.name for shape in model.operation_model(operation).error_shapes}
    if _CODES.get(service, code) in raised or code not in raised:
        code = _CODES.get(service, code)
    return AwsError(code, message)


def _check_answer(service: str, operation: str, result: Mapping[str, Any]) -> None:
    shape = wire.service_model(service).operation_model(operation).output_shape
    if shape is None:
        return
    found = violations(shape, result, answers=True)
    if found:
        raise AssertionError(f"{service} {operation} would answer {'; '.join(found[:3])}")


def _ask_moto(service: str, operation: str, to_moto: ToMoto) -> Answer | None:
    """Return moto's answer; an exception in moto is reported with its location in moto."""
    try:
        return to_moto()
    except (AwsError, NotImplementedError):
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        if isinstance(error, KeyError) and place.filename.endswith(_REGIONS_OF_MOTO):
            code = "InvalidRegion" if service == "ec2" else "UnrecognizedClientException"
            raise AwsError(code, f"there is no Region {error.args[0]}", 400) from error
        where = f"{place.filename.rsplit('site-packages/', 1)[-1]}:{place.lineno}"
        message = f"moto failed at {service} {operation}: {type(error).__name__}: {error}"[:500]
        print(f"localaws: {message} ({where})", file=sys.stderr, flush=True)
        raise AwsError("InternalFailure", message, 501) from error


def _note_token(whose: tuple[str, str, str, str], request: Request, answered: Answer) -> None:
    service, operation = whose[:2]
    if answered[0] < 300 and page_tokens.may_have_one(service, operation, answered[2]):
        page_tokens.note(runtime(), whose, _read(service, operation, request, answered))


def _json_error(answered: Answer) -> AwsError | None:
    """Return the error that moto's shared code answers in JSON, whatever the service's protocol.

    That of its paginator is InvalidToken, which no service with XML has; a value that an operation
    does not take is InvalidParameterValue (Amazon RDS API reference, "Common Errors").
    """
    status, _, body = answered
    text = body.encode() if isinstance(body, str) else body
    if status < 400 or not text.startswith(b'{"__type"'):
        return None
    found = json.loads(text)
    code = str(found["__type"])
    return AwsError(
        "InvalidParameterValue" if code == "InvalidToken" else code, str(found["message"]), status
    )


def _check_moto(service: str, operation: str, request: Request, answered: Answer) -> Answer:
    """Return moto's answer, or a refusal of an answer with a violation that is not listed."""
    protocol = wire.protocol_of(service, request)
    answered = with_clean_message(service, answered)
    if protocol == "json":
        answered = wire.with_type_of_json(service, answered)
        answered = wire.with_modelled_message(service, answered)
    if protocol in ("ec2", "query", "rest-xml") and (error := _json_error(answered)) is not None:
        return wire.answer(service, operation, request, error)
    found = answers.breaches(service, operation, protocol, answered)
    if found:
        found = answers.intolerable(service, operation, found)
    if found and (better := _repaired(service, operation, request, answered)):
        answered = better
        found = answers.breaches(service, operation, protocol, answered)
        found = answers.intolerable(service, operation, found)
    if not found:
        return answered
    text = "; ".join(
        f"{breach.member or 'it'}: {breach.rule}: {breach.detail}" for breach in found[:3]
    )
    message = f"moto's answer to {service} {operation} violates AWS's model: {text}"
    print(f"localaws: {message}", file=sys.stderr, flush=True)
    return wire.answer(service, operation, request, AwsError("InternalFailure", message, 501))


def _repaired(service: str, operation: str, request: Request, answered: Answer) -> Answer | None:
    """Return moto's answer with repairs, if it needs any."""
    model = wire.service_model(service).operation_model(operation)
    shape = model.output_shape
    if answered[0] >= 300 or shape is None or model.has_streaming_output or service in _UNPARSED:
        return None
    try:
        read = _read(service, operation, request, answered)
    except (ValueError, TypeError, LookupError, AttributeError):
        return None
    result = repaired(shape, read)
    return None if result == read else wire.answer(service, operation, request, result)


def unknown_operation(service: str, operation: str) -> AwsError:
    """Return AWS's error for an unknown operation, with our message."""
    protocol = str(wire.service_model(service).protocol)
    code = {"ec2": "InvalidAction", "query": "InvalidAction", "rest-xml": "NotImplemented"}.get(
        protocol, "UnknownOperationException"
    )
    name = f"{service} {operation}".strip()
    # SDKs do not retry 501 and 400; they retry 500, 502, 503 and 504.
    return AwsError(
        code,
        f"the local AWS does not implement {name}",
        501 if protocol == "rest-xml" else 400,
    )


def _bug(service: str, operation: str | None, request: Request, error: Exception) -> Answer:
    traceback.print_exception(error, file=sys.stderr)
    return wire.answer(
        service,
        operation,
        request,
        AwsError(
            "InternalFailure",
            f"the local AWS failed at {service} {operation}: {type(error).__name__}: {error}",
            501,
        ),
    )


def _shorten_answer(
    hits: list[Fault],
    limit: int | None,
    whose: tuple[str, str, str, str],
    request: Request,
    answered: Answer,
) -> Answer:
    """Return moto's list with the faults applied, of at most `limit` items."""
    service, operation = whose[:2]
    if service in _UNPARSED:
        return answered
    read = _read(service, operation, request, answered)
    result = pagination.shorten(hits, service, operation, read)
    if limit is not None:
        result = truncation.cut(runtime(), whose, result, limit)
    return answered if result is read else wire.answer(service, operation, request, result)

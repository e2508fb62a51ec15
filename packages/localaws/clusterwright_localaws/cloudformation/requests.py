"""Conversion of a request's parameters to the requested revision."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from clusterwright_localaws.cloudformation.dynamic_values import (
    pseudo_parameters,
    pseudo_parameters_without_stack,
    ssm_value,
)
from clusterwright_localaws.cloudformation.errors import InsufficientCapabilities, ValidationError
from clusterwright_localaws.cloudformation.evaluate import Scope
from clusterwright_localaws.cloudformation.existing_values import note_unexamined
from clusterwright_localaws.cloudformation.parameters import resolve_parameters
from clusterwright_localaws.cloudformation.planning import make_scope
from clusterwright_localaws.cloudformation.state import Revision, Stack
from clusterwright_localaws.cloudformation.store import Store
from clusterwright_localaws.cloudformation.template import Template
from clusterwright_localaws.cloudformation.template_text import BODY_LIMIT_BYTES, URL_LIMIT_BYTES
from clusterwright_localaws.core.request_tags import is_reserved
from clusterwright_localaws.iam.stacks import for_stack, service_role
from clusterwright_localaws.services.parallelcluster import provider

_S3_HOST = re.compile(
    r"(?:(?P<bucket>.+)\.)?s3(?:[.-](?:dualstack\.)?[a-z0-9-]+)?\.amazonaws\.com(?:\.cn)?"
)
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_MAXIMUM_TAGS = 50
_ALARMS = frozenset({"AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"})
_ALARM = re.compile(r"arn:[^:]+:cloudwatch:[^:]*:\d{12}:alarm:.+")


def read_revision(
    store: Store, stack: Stack, request: Mapping[str, Any], *, by_change_set: bool = False
) -> Revision:
    """Return the revision that a create, update or change-set request describes.

    Settings that an update omits are kept from the stack.

    Raises
    ------
    ValidationError, InsufficientCapabilities
        The template, a parameter, a rule or a tag is wrong.
    """
    previous = stack.revision if stack.status != "REVIEW_IN_PROGRESS" else None
    template = read_template(store, request, previous, stack)
    check_capabilities(template, request.get("Capabilities", []), by_change_set=by_change_set)
    _check_resource_types(template, request.get("ResourceTypes", []))
    _check_rollback_triggers(request.get("RollbackConfiguration", {}))
    role_arn = request.get("RoleARN") or (previous.role_arn if previous else None)
    try:
        if role_arn is not None:
            service_role(role_arn)
        with for_stack(role_arn):
            parameters = resolve_parameters(
                template.parameters,
                request.get("Parameters", []),
                previous.parameters if previous else None,
                lambda name: ssm_value(store.account, store.region, name),
            )
    except PermissionError as error:
        raise ValidationError(str(error)) from error
    revision = Revision(
        template=template,
        parameters=parameters,
        tags=_tags(request, previous, nested=stack.parent_id is not None),
        capabilities=tuple(request.get("Capabilities", [])),
        role_arn=role_arn,
        notification_arns=tuple(
            request["NotificationARNs"]
            if "NotificationARNs" in request
            else (previous.notification_arns if previous else ())
        ),
        rollback_configuration=request.get("RollbackConfiguration")
        or (previous.rollback_configuration if previous else {}),
    )
    _check_rules(stack, revision)
    note_unexamined(revision)
    return revision


def read_template(
    store: Store,
    request: Mapping[str, Any],
    previous: Revision | None = None,
    stack: Stack | None = None,
) -> Template:
    """Return the template that a request names by body, by URL or as the one before.

    What it includes from S3 may be at a location with the name of the stack, if there is one.
    """
    given = [key for key in ("TemplateBody", "TemplateURL") if request.get(key)]
    if request.get("UsePreviousTemplate"):
        if given:
            raise ValidationError(
                "You cannot specify both usePreviousTemplate and a template body or URL."
            )
        if previous is None:
            raise ValidationError("There is no previous template to use.")
        if not previous.template.language_extensions and not previous.template.included:
            return previous.template
        # Loops may have other values now, and included objects another content.
        return _read(store, previous.template.source, request, previous, stack)
    if len(given) != 1:
        raise ValidationError("Either Template URL or Template Body must be specified.")
    if given == ["TemplateBody"]:
        source = str(request["TemplateBody"])
        if len(source.encode()) > BODY_LIMIT_BYTES:
            raise ValidationError(
                "1 validation error detected: Value at 'templateBody' failed to satisfy "
                f"constraint: Member must have length less than or equal to {BODY_LIMIT_BYTES}"
            )
    else:
        source = fetch(store, str(request["TemplateURL"]))
    return _read(store, source, request, previous, stack)


def _read(
    store: Store,
    source: str,
    request: Mapping[str, Any],
    previous: Revision | None,
    stack: Stack | None,
) -> Template:
    before = previous.parameters if previous is not None else {}
    if stack is not None:
        pseudo = pseudo_parameters(stack, request.get("NotificationARNs", []))
    else:
        pseudo = pseudo_parameters_without_stack(store.account, store.region)
    return Template.read(
        source,
        region=store.region,
        given=request.get("Parameters", []),
        previous={name: one.value for name, one in before.items()},
        read=functools.partial(_object, store),
        pseudo=pseudo,
    )


def check_capabilities(
    template: Template, given: Sequence[str], *, by_change_set: bool = False
) -> None:
    """Refuse a template whose IAM resources or macros the caller has not acknowledged.

    A change set shows what macros make of a template, which therefore needs no acknowledgement.
    """
    needed, _ = template.capabilities()
    have = {*given, *(["CAPABILITY_AUTO_EXPAND"] if by_change_set else [])}
    if "CAPABILITY_NAMED_IAM" in have:
        have.add("CAPABILITY_IAM")
    missing = [one for one in needed if one not in have]
    if missing:
        raise InsufficientCapabilities(f"Requires capabilities : [{', '.join(missing)}]")


def _check_resource_types(template: Template, allowed: Sequence[str]) -> None:
    """Refuse resources of other types than the request allows; none given allows all."""
    for resource in template.resources.values():
        kind = resource["Type"]
        if allowed and not any(
            kind == one or (one.endswith("::*") and kind.startswith(one[:-1])) for one in allowed
        ):
            listed = ", ".join(allowed)
            raise ValidationError(
                f"Resource type {kind} is not allowed by parameter ResourceTypes [{listed}]"
            )


def _check_rollback_triggers(configuration: Mapping[str, Any]) -> None:
    for trigger in configuration.get("RollbackTriggers", []):
        if trigger["Type"] not in _ALARMS:
            raise ValidationError("Rollback Trigger Type not supported")
        if not _ALARM.fullmatch(trigger["Arn"]):
            raise ValidationError("RelativeId of a Rollback Trigger's ARN is incorrect")


def bucket_and_key(url: str) -> tuple[str, str]:
    """Return the bucket and key that an S3 URL names, in any of its forms.

    Path style (``https://s3.us-east-1.amazonaws.com/bucket/key``), virtual host
    (``https://bucket.s3.amazonaws.com/key``), and both on this machine; not the scheme ``s3``.

    Raises
    ------
    ValidationError
        The URL is none of S3.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    path = unquote(parts.path).lstrip("/")
    bucket: str | None = None
    if parts.scheme == "s3":
        # As recorded on AWS: docs/reference/probes.md, source `localstack`.
        raise ValidationError(
            f"S3 error: Domain name specified in {parts.netloc} is not a valid S3 domain"
        )
    match = _S3_HOST.fullmatch(host)
    if match:
        bucket = match.group("bucket")
    elif host.endswith(".localhost"):
        bucket = host.removesuffix(".localhost").removesuffix(".s3")
    elif host not in _LOOPBACK:
        raise ValidationError("TemplateURL must be a supported URL.")
    if bucket is None:
        bucket, _, path = path.partition("/")
    if not bucket or not path:
        raise ValidationError(
            "TemplateURL must reference a valid S3 object to which you have access."
        )
    return bucket, path


def fetch(store: Store, url: str) -> str:
    """Return the text of the template at a URL.

    Raises
    ------
    ValidationError
        The URL or the object cannot be read, or the text is too long.
    """
    bucket, key = bucket_and_key(url)
    hosted = provider.hosted(bucket, key, store.region)
    return hosted if hosted is not None else _object(store, bucket, key)


def _object(store: Store, bucket: str, key: str) -> str:
    """Return the text of an object, with the errors of `fetch`."""
    from botocore.exceptions import BotoCoreError, ClientError

    from clusterwright_localaws.core.boto_clients import client

    try:
        found = client("s3", account=store.account, region=store.region).get_object(
            Bucket=bucket, Key=key
        )
    except ClientError as error:
        about = error.response["Error"]
        raise ValidationError(
            f"S3 error: {about.get('Message') or about['Code']}\nFor more information check "
            "http://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html"
        ) from None
    except BotoCoreError as error:
        # Of what botocore does not even send, such as names that no bucket can have.
        raise ValidationError(f"S3 error: {' '.join(str(error).split())}") from None
    data: bytes = found["Body"].read()
    if len(data) > URL_LIMIT_BYTES:
        raise ValidationError(f"Template may not exceed {URL_LIMIT_BYTES} bytes in size.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValidationError("Template format error: unsupported structure.") from None


def _tags(
    request: Mapping[str, Any], previous: Revision | None, *, nested: bool
) -> Mapping[str, str]:
    if "Tags" not in request:
        return previous.tags if previous else {}
    tags = {tag["Key"]: tag["Value"] for tag in request["Tags"]}
    if len(tags) > _MAXIMUM_TAGS:
        raise ValidationError(f"Number of tags exceeds the maximum of {_MAXIMUM_TAGS}.")
    reserved = sorted(key for key in tags if is_reserved(key))
    if reserved and not nested:
        raise ValidationError(
            f"Tag keys [{', '.join(reserved)}] start with the reserved prefix aws:"
        )
    return tags


def _check_rules(stack: Stack, revision: Revision) -> None:
    def nothing(*_: str) -> Any:
        raise ValidationError("Template format error: Rules may refer to parameters only")

    scope = make_scope(stack, revision, ref=nothing, attribute=nothing, import_value=nothing)
    for name, rule in revision.template.section("Rules").items():
        _check_rule(scope, name, rule)


def _check_rule(scope: Scope, name: str, rule: Mapping[str, Any]) -> None:
    condition = rule.get("RuleCondition")
    if condition is not None and scope.evaluate(condition) in (False, "false"):
        return
    for assertion in rule.get("Assertions", []):
        if scope.evaluate(assertion["Assert"]) in (False, "false"):
            described = assertion.get("AssertDescription", "an assertion is false")
            raise ValidationError(f"Template validation error: rule {name}: {described}")

"""Policies of uploads by HTML forms.

https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
Errors recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.signatures import check_form_signature

_VERSION_4: Final = ("X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Signature")
_VERSION_2: Final = ("AWSAccessKeyId", "Signature")
_RANGE: Final = "content-length-range"


def check_form(fields: Mapping[str, str], size: int, now: datetime) -> None:
    """Check a form with its policy.

    Parameters
    ----------
    fields:
        The fields of the form and `bucket`, names in lower case.
    size:
        Bytes of the file.

    Raises
    ------
    AwsError
        AccessDenied, InvalidArgument, InvalidPolicyDocument, EntityTooLarge, EntityTooSmall,
        SignatureDoesNotMatch
    """
    if "policy" not in fields:
        return
    _check_signature(fields)
    policy = _decoded(fields["policy"])
    try:
        until = datetime.fromisoformat(str(policy["expiration"]))
        conditions = list(policy["conditions"])
    except (KeyError, TypeError, ValueError):
        raise _invalid_policy("Policy must have an expiration and conditions.") from None
    if (until if until.tzinfo else until.replace(tzinfo=UTC)) < now:
        raise _denied("Policy expired.")
    for condition in conditions:
        _check_condition(condition, fields, size)


def _check_signature(fields: Mapping[str, str]) -> None:
    for names in (_VERSION_4, _VERSION_2):
        missing = [name for name in names if name.lower() not in fields]
        if len(missing) == len(names):
            continue
        if missing:
            raise AwsError(
                "InvalidArgument",
                f"Bucket POST must contain a field named '{missing[0]}'.  If it is specified, "
                "please check the order of the fields.",
                400,
                ArgumentName=missing[0],
                ArgumentValue="",
            )
        check_form_signature(fields)
        return
    raise AwsError("AccessDenied", "Access Denied", 403)


def _decoded(text: str) -> dict[str, Any]:
    try:
        found = json.loads(base64.b64decode(text))
    except (binascii.Error, ValueError):
        found = None
    if not isinstance(found, dict):
        raise _invalid_policy("Invalid JSON.")
    return found


def _check_condition(condition: Any, fields: Mapping[str, str], size: int) -> None:
    if isinstance(condition, dict):
        if len(condition) != 1:
            raise _invalid_policy(
                "Invalid Simple-Condition: Simple-Conditions must have exactly one property "
                "specified."
            )
        ((name, value),) = condition.items()
        condition = ["eq", f"${name}", value]
    if not isinstance(condition, list) or len(condition) != 3:
        raise _invalid_policy("Invalid Condition.")
    kind, first, second = condition
    failed = "Policy Condition failed: " + json.dumps([str(one) for one in condition])
    if str(kind).lower() == _RANGE:
        try:
            _check_size(int(first), int(second), size)
        except ValueError:
            raise _denied(failed) from None
        return
    name = str(first)
    value = fields.get(name.removeprefix("$").lower(), "")
    met = {"eq": value == str(second), "starts-with": value.startswith(str(second))}
    if not name.startswith("$") or not met.get(str(kind).lower(), False):
        raise _denied(failed)


def _check_size(least: int, most: int, size: int) -> None:
    if size > most:
        text = "Your proposed upload exceeds the maximum allowed size"
        raise AwsError("EntityTooLarge", text, 400, ProposedSize=size, MaxSizeAllowed=most)
    if size < least:
        text = "Your proposed upload is smaller than the minimum allowed size"
        raise AwsError("EntityTooSmall", text, 400, ProposedSize=size, MinSizeAllowed=least)


def _denied(reason: str) -> AwsError:
    return AwsError("AccessDenied", f"Invalid according to Policy: {reason}", 403)


def _invalid_policy(reason: str) -> AwsError:
    return AwsError("InvalidPolicyDocument", f"Invalid Policy: {reason}", 400)

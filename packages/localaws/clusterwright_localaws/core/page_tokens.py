"""Tokens of the pages that moto answers: only those that it issued continue a list.

moto ignores tokens that it did not issue, or fails at them. AWS refuses them, with an error that
most API models list for the operation.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.paging_model import members_of, paginator_of
from clusterwright_localaws.core.runtime import Runtime

# Not ClientToken, LockToken and others, which are answered as they were given.
_TOKEN: Final = re.compile(
    r"(next|page|nextpage|pagination|continuation|starting)token|(next)?marker", re.IGNORECASE
)
_PATH: Final = re.compile(r"\w+(\.\w+)*")
# Whose tokens are names and ids that a caller may choose, or streamed answers.
_NOT_OPAQUE: Final = frozenset(
    {"cloudfront", "glacier", "importexport", "route53", "s3", "s3control"}
)
_MOST_KEPT: Final = 10_000
# Names of errors about a token, then those about any value; the first that an operation has.
_ERRORS: Final = (
    *("InvalidNextTokenException", "InvalidNextToken"),
    *("InvalidPaginationTokenException", "InvalidPaginationToken"),
    *("InvalidContinuationTokenException", "InvalidPaginationException", "InvalidMarkerException"),
    *("InvalidParameterException", "InvalidParameterValueException", "InvalidParameterValue"),
    *("ValidationException", "ValidationError", "InvalidInputException"),
    *("InvalidInput", "InvalidArgumentException", "InvalidRequestException"),
    *("BadRequestException", "InvalidTokenException", "ClientException"),
)
# Of services whose models list none for most operations, from their pages of common errors:
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
# https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html
# https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/CommonErrors.html
_COMMON: Final = {
    "ec2": "InvalidNextToken",
    "iam": "ValidationError",
    **dict.fromkeys(
        ("docdb", "elasticache", "neptune", "rds", "redshift"), "InvalidParameterValue"
    ),
}


@dataclass(frozen=True)
class Tokens:
    """Names of an operation's token in its request, and of the next one in its answer."""

    given: str
    answered: str


@functools.cache
def tokens_of(service: str, operation: str) -> Tokens | None:
    """Return the names of an operation's tokens; None where it has none of AWS's choice."""
    if service in _NOT_OPAQUE:
        return None
    model, given, answered = members_of(service, operation)
    found = paginator_of(service, operation)
    pairs = [(found.get("input_token"), found.get("output_token"))] if found else []
    pairs += [(name, name) for name in given if name in answered]
    for before, after in pairs:
        if not (isinstance(before, str) and isinstance(after, str)):
            continue
        is_text = before in given and model["shapes"][given[before]["shape"]]["type"] == "string"
        if is_text and _TOKEN.fullmatch(before) and _PATH.fullmatch(after):
            return Tokens(before, after)
    return None


def check(
    runtime: Runtime, whose: tuple[str, str, str, str], parameters: Mapping[str, Any]
) -> None:
    """Check that moto issued the token of a call, if it has one.

    `whose` is the service, the operation, the account and the region of the call.

    Raises
    ------
    AwsError
        It did not, or it did so for another operation, account or region.
    """
    tokens = tokens_of(*whose[:2])
    token = parameters.get(tokens.given) if tokens else None
    if token and (*whose, str(token)) not in runtime.tokens_issued:
        raise refusal(*whose[:2])


def note(runtime: Runtime, whose: tuple[str, str, str, str], result: Mapping[str, Any]) -> None:
    """Note the token in an answer of moto."""
    tokens = tokens_of(*whose[:2])
    value: Any = result
    for name in tokens.answered.split(".") if tokens else ():
        value = value.get(name) if isinstance(value, Mapping) else None
    if tokens is None or not value:
        return
    with runtime.lock:
        runtime.tokens_issued[*whose, str(value)] = None
        while len(runtime.tokens_issued) > _MOST_KEPT:
            del runtime.tokens_issued[next(iter(runtime.tokens_issued))]


def may_have_one(service: str, operation: str, body: str | bytes) -> bool:
    """Return whether an answer may have a token, without a look at its structure."""
    tokens = tokens_of(service, operation)
    if tokens is None:
        return False
    name = tokens.answered.rsplit(".", 1)[-1]
    pattern = rf"[\"<]{name}[\">]"  # EC2's members begin with a lowercase letter on the wire
    if isinstance(body, bytes):
        return re.search(pattern.encode(), body, re.IGNORECASE) is not None
    return re.search(pattern, body, re.IGNORECASE) is not None


def refusal(service: str, operation: str) -> AwsError:
    """Return the error about a token that a service did not issue."""
    tokens = tokens_of(service, operation)
    name = tokens.given if tokens else "NextToken"
    if service in _COMMON:
        return AwsError(_COMMON[service], f"The {name} is not valid")
    model, _, _ = members_of(service, operation)
    listed = {
        error["shape"]: model["shapes"][error["shape"]]
        for error in model["operations"][operation].get("errors", ())
    }
    shape = next((each for each in _ERRORS if each in listed), None)
    if shape is None:
        code = (
            "ValidationError"
            if model["metadata"]["protocol"] == "query"
            else "ValidationException"
        )
    else:
        # The query protocol has other codes than names: InvalidParameter.
        code = listed[shape].get("error", {}).get("code", shape)
    return AwsError(code, f"The {name} is not valid")

"""Websites of buckets, which the local AWS does not serve; their configurations are checked.

Errors recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from clusterwright_localaws.core.call import Call, operation, unmodelled
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3.refusals import malformed

if TYPE_CHECKING:
    from moto.core.request import Request

# https://docs.aws.amazon.com/AmazonS3/latest/userguide/WebsiteEndpoints.html
_ENDPOINT: Final = re.compile(r"\.s3-website[.-]")


@unmodelled("s3")
def refuse_websites(request: Request, region: str) -> None:
    """Refuse a request to a website's endpoint, whose answers are not those of the API."""
    del region
    if _ENDPOINT.search(request.headers.get("Host", "")):
        text = "the local AWS does not implement websites of S3 buckets"
        raise AwsError("NotImplemented", text, 501)


@operation("s3", "PutBucketWebsite")
def put_website(call: Call) -> Mapping[str, Any]:
    given = call.parameters["WebsiteConfiguration"]
    if given.get("RedirectAllRequestsTo"):
        if len(given) > 1:
            text = (
                "RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules."
            )
            raise _invalid_argument(text, "RedirectAllRequestsTo", "not null")
    elif "IndexDocument" not in given:
        text = (
            "A value for IndexDocument Suffix must be provided if RedirectAllRequestsTo is empty"
        )
        raise _invalid_argument(text, "IndexDocument", "null")
    else:
        suffix = given["IndexDocument"].get("Suffix") or ""
        if not suffix or "/" in suffix:
            text = "The IndexDocument Suffix is not well formed"
            raise _invalid_argument(text, "IndexDocument", suffix)
    rules = given.get("RoutingRules")
    if rules is not None and not rules:
        raise malformed()
    for rule in rules or []:
        _check_rule(rule)
    raise ForwardToMoto


def _check_rule(rule: Mapping[str, Any]) -> None:
    redirect = rule.get("Redirect") or {}
    if "ReplaceKeyPrefixWith" in redirect and "ReplaceKeyWith" in redirect:
        raise _invalid_request("You can only define ReplaceKeyPrefix or ReplaceKey but not both.")
    if "Condition" in rule and not rule["Condition"]:
        raise _invalid_request(
            "Condition cannot be empty. To redirect all requests without a condition, the "
            "condition element shouldn't be present."
        )


def _invalid_argument(message: str, name: str, value: str) -> AwsError:
    return AwsError("InvalidArgument", message, 400, ArgumentName=name, ArgumentValue=value)


def _invalid_request(message: str) -> AwsError:
    return AwsError("InvalidRequest", message, 400)

"""Websites of buckets, which the local AWS does not serve."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from clusterwright_localaws.core.call import unmodelled
from clusterwright_localaws.core.errors import AwsError

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

"""Bucket owners that requests expect.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-owner-condition.html
Errors recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote, urlparse

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.world_buckets import find_bucket

_ACCOUNT: Final = re.compile(r"[0-9]{12}")


def check_owners(request: Mapping[str, Any]) -> None:
    """Check the owners that a request of any operation expects.

    A bucket that does not exist passes: the operation says that it does not.

    Raises
    ------
    AwsError
        InvalidBucketOwnerAWSAccountID, AccessDenied
    """
    for bucket_name, owner in _expectations(request):
        if not _ACCOUNT.fullmatch(owner):
            raise AwsError(
                "InvalidBucketOwnerAWSAccountID",
                "The value of the expected bucket owner parameter must be an AWS Account ID... "
                f"[{owner}]",
                400,
            )
        bucket = find_bucket(bucket_name)
        if bucket is not None and bucket.account_id != owner:
            raise AwsError("AccessDenied", "Access Denied", 403)


def _expectations(request: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names of buckets with the accounts that should own them."""
    owner = request.get("ExpectedBucketOwner")
    if owner is not None:
        yield request["Bucket"], owner
    owner = request.get("ExpectedSourceBucketOwner")
    if owner is not None:
        source = unquote(urlparse(request["CopySource"]).path).lstrip("/")
        yield source.partition("/")[0], owner

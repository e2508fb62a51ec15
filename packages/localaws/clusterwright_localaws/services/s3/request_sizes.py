"""Requests of S3 whose numbers or bodies moto does not examine.

https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html: InvalidArgument, and
MissingRequestBodyError, "Request body is empty".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError

_SIZES: Final = {
    "ListObjects": "MaxKeys",
    "ListObjectsV2": "MaxKeys",
    "ListObjectVersions": "MaxKeys",
}
_LARGEST: Final = (1 << 31) - 1


def check_sizes(operation: str, parameters: Mapping[str, Any]) -> None:
    """Check the length of a page, and whether there is a body that the operation needs.

    Raises
    ------
    AwsError
        InvalidArgument, MissingRequestBodyError
    """
    if operation == "RestoreObject" and not parameters.get("RestoreRequest"):
        raise AwsError("MissingRequestBodyError", "Request Body is empty", 400)
    size = parameters.get(_SIZES.get(operation, ""))
    if isinstance(size, int) and size < 0:
        text = f"Argument maxKeys must be an integer between 0 and {_LARGEST}"
        raise AwsError(
            "InvalidArgument", text, 400, ArgumentName="maxKeys", ArgumentValue=str(size)
        )

"""What failed resources of AWS PCS answer in errorInfo.

AWS publishes no codes: those of the service that refused are passed on.
"""

from __future__ import annotations

from typing import Final

from botocore.exceptions import ClientError

from clusterwright_localaws.core.errors import AwsError

UNKNOWN: Final = "InternalServerException"


def failure_of(error: Exception) -> tuple[str, str]:
    """Return the code and the message of an error."""
    if isinstance(error, ClientError):
        found = error.response["Error"]
        return str(found["Code"]), str(found["Message"])
    if isinstance(error, AwsError):
        return error.code, error.message
    return UNKNOWN, str(error)

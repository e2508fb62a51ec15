"""S3's refusals of requests that the API model refuses.

https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
Texts and members recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError

MALFORMED: Final = (
    "The XML you provided was not well-formed or did not validate against our published schema"
)
_VALUE: Final = re.compile(r"\AValue '(.*)' at '", re.DOTALL)


def refusal(found: Sequence[str]) -> AwsError:
    """Return the error for violations of the API model, which are of `core.validation`."""
    member = found[0].split("' failed")[0].rsplit("'", 1)[-1]
    given = _VALUE.match(found[0])
    value = given[1] if given else ""
    if member == "copySource":
        return invalid_source()
    if member == "aCL":
        return _invalid("", "x-amz-acl", ArgumentValue=value)
    if member.startswith("accessControlPolicy"):
        return AwsError("MalformedACLError", MALFORMED, 400)
    if member.endswith("torageClass"):
        return invalid_storage_class(value)
    if member.startswith("websiteConfiguration") and member.endswith(".protocol"):
        text = (
            "Invalid protocol, protocol can be http or https. If not defined the protocol will be "
            "selected automatically."
        )
        return AwsError("InvalidRequest", text, 400)
    if "." in member:  # within the document of the body
        return malformed()
    if member == "encodingType":
        text = "Invalid Encoding Method specified in Request"
        return _invalid(text, "encoding-type", ArgumentValue=value)
    if member == "checksumAlgorithm":
        text = (
            "Checksum algorithm provided is unsupported. Please try again with any of the valid "
            "types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]"
        )
        return AwsError("InvalidRequest", text, 400)
    if member == "transitionDefaultMinimumObjectSize":
        text = f"Invalid TransitionDefaultMinimumObjectSize found: {value}"
        return AwsError("InvalidRequest", text, 400)
    if member == "objectOwnership":
        header = "x-amz-object-ownership"
        return _invalid(f"Invalid {header} header: {value}", header)
    if member == "policy":
        text = "Policies must be valid JSON and the first byte must be '{'"
        return AwsError("MalformedPolicy", text, 400)
    return AwsError("InvalidArgument", "; ".join(found), 400)


def invalid_source() -> AwsError:
    header = "x-amz-copy-source"
    return _invalid("Invalid copy source object key", header, ArgumentValue=header)


def invalid_storage_class(given: str) -> AwsError:
    text = "The storage class you specified is not valid"
    return AwsError("InvalidStorageClass", text, 400, StorageClassRequested=given)


def malformed() -> AwsError:
    return AwsError("MalformedXML", MALFORMED, 400)


def _invalid(message: str, name: str, **more: Any) -> AwsError:
    return AwsError("InvalidArgument", message, 400, ArgumentName=name, **more)

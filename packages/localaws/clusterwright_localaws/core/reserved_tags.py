"""Refusal of tags that AWS keeps for itself, in the requests of users.

EC2, KMS, S3 and CloudFormation have messages of their own, which they know. That of the others is
not published, nor is the code: it is the first error of the operation that is about arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.request_tags import is_reserved, request_tag_keys

_WITH_OWN_CHECKS: Final = frozenset({"cloudformation", "ec2", "kms", "s3"})
# Operations that read by tags, among which those of AWS are; a token is made with tags.
_READS: Final = re.compile(r"(Batch)?(Describe|Get|List|Search)(?!\w*Token$)")
_CODES: Final = (
    "InvalidTagException",
    "InvalidTagParameterException",
    "InvalidTagging",
    "ValidationException",
    "InvalidParameterValueException",
    "InvalidParameterException",
    "InvalidParameter",
    "InvalidRequestException",
    "InvalidArgumentException",
    "BadRequestException",
    "BadRequest",
    "InvalidInput",
)


def check(model: Any, operation: str, parameters: Mapping[str, Any]) -> None:
    """Check the tags that a request would set or remove.

    Parameters
    ----------
    model:
        The model of the service's API.

    Raises
    ------
    AwsError
        A tag has a key that is reserved.
    """
    if model.service_name in _WITH_OWN_CHECKS or _READS.match(operation):
        return
    described = model.operation_model(operation)
    keys = request_tag_keys(described.input_shape, parameters)
    reserved = sorted(key for key in keys if is_reserved(key))
    if not reserved:
        return
    shapes = described.error_shapes
    raised = {
        name: shape.error_code for shape in shapes for name in (shape.name, shape.error_code)
    }
    default = "ValidationError" if model.protocol == "query" else "ValidationException"
    code = next((raised[name] for name in _CODES if name in raised), default)
    raise AwsError(code, f"Tag keys [{', '.join(reserved)}] start with the reserved prefix aws:")

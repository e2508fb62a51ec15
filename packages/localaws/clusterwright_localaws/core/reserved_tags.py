"""Refusal of tags that AWS keeps for itself, in the requests of users.

EC2, KMS, S3 and CloudFormation have messages of their own, which they know. That of the others is
not published, nor is the code: it is the first error of the operation that is about arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.request_tags import is_reserved, request_tag_keys

_WITH_OWN_CHECKS: Final = frozenset({"cloudformation", "ec2", "kms", "s3"})
_CODES: Final = (
    "InvalidTagException",
    "InvalidTagParameterException",
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
    if model.service_name in _WITH_OWN_CHECKS:
        return
    reserved = sorted(key for key in request_tag_keys(parameters) if is_reserved(key))
    if not reserved:
        return
    shapes = model.operation_model(operation).error_shapes
    raised = {
        name: shape.error_code for shape in shapes for name in (shape.name, shape.error_code)
    }
    default = "ValidationError" if model.protocol == "query" else "ValidationException"
    code = next((raised[name] for name in _CODES if name in raised), default)
    raise AwsError(code, f"Tag keys [{', '.join(reserved)}] start with the reserved prefix aws:")

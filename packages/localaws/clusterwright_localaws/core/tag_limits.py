"""How many tags of a user a request may set: as many as a resource may have.

"Each resource can have up to 50 tags", as the API model of the Resource Groups Tagging API says of
TagResources. Tags that a resource has already are not counted here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.request_tags import is_reserved, request_tag_keys

MOST_TAGS: Final = 50
# Others count with messages of their own, and SQS advises against more tags without refusing
# them: "Adding more than 50 tags to a queue isn't recommended" (its API model).
_WITHOUT: Final = frozenset(
    {"cloudformation", "config", "ec2", "glue", "kms", "s3", "s3control", "sqs"}
)
_SETS: Final = re.compile(r"(?!(Batch)?(Describe|Get|List|Search)|Untag|Remove|Delete)")
# Errors about the number of tags, then those about limits and values.
_CODES: Final = (
    "TooManyTagsException",
    "TooManyTags",
    "TooManyTagsError",
    "TagLimitExceededException",
    "TagLimitExceededFault",
    "LimitExceededException",
    "LimitExceeded",
    "ValidationException",
    "InvalidParameterValueException",
    "InvalidParameterException",
    "InvalidParameter",
    "InvalidRequestException",
    "BadRequestException",
)
# As quoted in tests of others; the messages of other services are ours.
_MESSAGES: Final = {
    "sns": ("TagLimitExceeded", "Could not complete request: tag quota of per resource exceeded"),
}


def check(model: Any, operation: str, parameters: Mapping[str, Any]) -> None:
    """Check the number of the tags that a request would set.

    Parameters
    ----------
    model:
        The model of the service's API.

    Raises
    ------
    AwsError
        The tags are more than a resource may have.
    """
    service = model.service_name
    if service in _WITHOUT or not _SETS.match(operation):
        return
    described = model.operation_model(operation)
    shape = described.input_shape
    for name, value in parameters.items():
        keys = {key for key in request_tag_keys(shape, {name: value}) if not is_reserved(key)}
        if len(keys) > MOST_TAGS:
            raise _refusal(model, described)


def _refusal(model: Any, described: Any) -> AwsError:
    if model.service_name in _MESSAGES:
        return AwsError(*_MESSAGES[model.service_name], 400)
    shapes = described.error_shapes
    raised = {
        name: shape.error_code or shape.name
        for shape in shapes
        for name in (shape.name, shape.error_code)
    }
    default = "ValidationError" if model.protocol == "query" else "ValidationException"
    code = next((raised[name] for name in _CODES if name in raised), default)
    return AwsError(code, f"A resource can have at most {MOST_TAGS} tags", 400)

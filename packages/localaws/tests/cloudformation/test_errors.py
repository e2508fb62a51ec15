"""CloudFormation's refusals: codes and statuses of the service model."""

from __future__ import annotations

import pytest

from clusterwright_localaws.cloudformation import errors
from clusterwright_localaws.core.service_models import loader


@pytest.mark.parametrize(
    ("error", "code", "status"),
    [
        (errors.ValidationError, "ValidationError", 400),
        (errors.StackNotFound, "ValidationError", 400),
        (errors.AlreadyExists, "AlreadyExistsException", 400),
        (errors.ChangeSetNotFound, "ChangeSetNotFound", 404),
        (errors.InvalidChangeSetStatus, "InvalidChangeSetStatus", 400),
        (errors.InsufficientCapabilities, "InsufficientCapabilitiesException", 400),
        (errors.LimitExceeded, "LimitExceededException", 400),
    ],
)
def test_code_and_status(error: type[errors.CloudFormationError], code: str, status: int) -> None:
    found = error("why")
    assert (found.code, found.message, found.status) == (code, "why", status)


def test_codes_are_those_of_the_model() -> None:
    shapes = loader().load_service_model("cloudformation", "service-2")["shapes"]
    known = {
        (shape["error"]["code"], shape["error"]["httpStatusCode"])
        for shape in shapes.values()
        if "error" in shape
    }
    for error in (
        errors.AlreadyExists,
        errors.ChangeSetNotFound,
        errors.InvalidChangeSetStatus,
        errors.InsufficientCapabilities,
        errors.LimitExceeded,
    ):
        assert (error.error_code, error.http_status) in known

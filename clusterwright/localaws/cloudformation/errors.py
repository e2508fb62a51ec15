"""CloudFormation's own refusals, with the codes of its API model."""

from __future__ import annotations


class CloudFormationError(Exception):
    """A request is refused. `code` is the error code of the API, `status` its HTTP status.

    The codes and statuses are those of the service model:
    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/CommonErrors.html
    """

    code = "ValidationError"
    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ValidationError(CloudFormationError):
    """The request or the template is wrong."""


class AlreadyExists(CloudFormationError):
    """A stack or change set of that name exists."""

    code = "AlreadyExistsException"


class ChangeSetNotFound(CloudFormationError):
    """No such change set."""

    code = "ChangeSetNotFound"
    status = 404


class InvalidChangeSetStatus(CloudFormationError):
    """The change set cannot be executed or deleted in the state it is in."""

    code = "InvalidChangeSetStatus"


class InsufficientCapabilities(CloudFormationError):
    """The template makes IAM resources and the caller has not acknowledged it."""

    code = "InsufficientCapabilitiesException"


class LimitExceeded(CloudFormationError):
    """A quota of CloudFormation itself."""

    code = "LimitExceededException"


class NotBuilt(CloudFormationError):
    """An operation of CloudFormation that the local AWS does not have.

    AWS answers `InvalidAction` with HTTP 400 for an operation it does not know, which no SDK
    retries.
    """

    code = "InvalidAction"


class StackNotFound(ValidationError):
    """No such stack."""

"""CloudFormation's own refusals, with the codes of its API model."""

from __future__ import annotations

from typing import ClassVar

from clusterwright_localaws.core.errors import AwsError


class CloudFormationError(AwsError):
    """A request is refused.

    The codes and statuses are those of the service model:
    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/CommonErrors.html
    """

    error_code: ClassVar[str] = "ValidationError"
    http_status: ClassVar[int] = 400

    def __init__(self, message: str) -> None:
        super().__init__(self.error_code, message, self.http_status)


class ValidationError(CloudFormationError):
    """The request or the template is wrong."""


class MappingKeyMissing(ValidationError):
    """A mapping has no such key: refused at once, where other errors fail the change set."""


class ExportMissing(ValidationError):
    """``Fn::ImportValue`` names an export that no stack has."""


class AlreadyExists(CloudFormationError):
    """A stack or change set of that name exists."""

    error_code = "AlreadyExistsException"


class ChangeSetNotFound(CloudFormationError):
    """No such change set."""

    error_code = "ChangeSetNotFound"
    http_status = 404


class InvalidChangeSetStatus(CloudFormationError):
    """The change set cannot be executed or deleted in the state it is in."""

    error_code = "InvalidChangeSetStatus"


class InsufficientCapabilities(CloudFormationError):
    """The template creates IAM resources and the caller has not acknowledged it."""

    error_code = "InsufficientCapabilitiesException"


class LimitExceeded(CloudFormationError):
    """A quota of CloudFormation itself."""

    error_code = "LimitExceededException"


class StackNotFound(ValidationError):
    """No such stack."""

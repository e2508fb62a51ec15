"""moto returns an empty logging configuration for a workspace without one.

AWS answers ResourceNotFoundException, one of the errors of the operation; Terraform's provider
interprets it as a workspace without logging:
https://docs.aws.amazon.com/prometheus/latest/APIReference/API_DescribeLoggingConfiguration.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "Prometheus: DescribeLoggingConfiguration of a workspace without one is refused with "
    "ResourceNotFoundException"
)
REPRODUCTION = """\
amp = boto3.client("amp")
workspace = amp.create_workspace()["workspaceId"]
try:
    amp.describe_logging_configuration(workspaceId=workspace)
except amp.exceptions.ResourceNotFoundException:
    pass
else:
    raise AssertionError("a workspace without logging has a logging configuration")
"""


def apply() -> None:
    from moto.amp.exceptions import ResourceNotFoundException
    from moto.amp.models import PrometheusServiceBackend

    class LoggingConfigurationNotFound(ResourceNotFoundException):
        code = 404

    describe = PrometheusServiceBackend.describe_logging_configuration

    def describe_logging_configuration(self: Any, workspace_id: str) -> dict[str, Any]:
        found = describe(self, workspace_id)
        if not found:
            raise LoggingConfigurationNotFound(
                "Logging configuration not found",
                resource_id=workspace_id,
                resource_type="AWS::APS::Workspace",
            )
        return found

    PrometheusServiceBackend.describe_logging_configuration = (  # type: ignore[method-assign]
        describe_logging_configuration
    )

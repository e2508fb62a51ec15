"""moto's flow logs to S3 have no folders, and refuse a group of logs in other words.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFlowLogs.html
Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: a flow log's destination may be a folder of a bucket; CreateFlowLogs refuses a group "
    "beside a destination"
)
_S3: Final = "s3"


class _Destination(str):
    """The ARN of a folder of a bucket, in which moto looks for the bucket."""

    def split(self, *arguments: Any, **named: Any) -> list[str]:
        *parts, last = super().split(*arguments, **named)
        return [*parts, last.partition("/")[0]]


def apply() -> None:
    from moto.ec2.models.flow_logs import FlowLogsBackend
    from moto.ec2.responses.flow_logs import FlowLogs

    create_in_moto = FlowLogsBackend.create_flow_logs
    answer_in_moto = FlowLogs.create_flow_logs

    def create_flow_logs(self: Any, *more: Any, **named: Any) -> Any:
        if runtime().active and named.get("log_destination_type") == _S3:
            destination = named.get("log_destination")
            if destination:
                named["log_destination"] = _Destination(destination)
        created, refused = create_in_moto(self, *more, **named)
        if runtime().active:
            refused = [(one, code, text.removesuffix(".")) for one, code, text in refused]
        return created, refused

    def answer(self: Any) -> Any:
        given = self._get_param("LogDestination") and self._get_param("LogGroupName")
        if runtime().active and given:
            raise AwsError(
                "InvalidParameter",
                "Please only provide LogGroupName or only provide LogDestination.",
                400,
            )
        return answer_in_moto(self)

    FlowLogsBackend.create_flow_logs = create_flow_logs  # type: ignore[method-assign]
    FlowLogs.create_flow_logs = answer  # type: ignore[method-assign]

"""moto takes any log group for one that is named by an identifier, and a missing stream for one.

https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeLogStreams.html
Message recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "Logs: the identifier of a group is its name or its ARN; the message about a missing stream "
    "names the stream"
)
REPRODUCTION = """\
logs = boto3.client("logs")
for name in ("one", "two"):
    logs.create_log_group(logGroupName=name)
    logs.create_log_stream(logGroupName=name, logStreamName=name)
found = logs.describe_log_streams(logGroupIdentifier="one")["logStreams"]
assert [stream["logStreamName"] for stream in found] == ["one"]
"""


def apply() -> None:
    from moto.logs.exceptions import ResourceNotFoundException
    from moto.logs.models import LogGroup, LogsBackend

    find = LogsBackend._find_log_group
    read = LogGroup.get_log_events

    def _find_log_group(
        self: Any, log_group_id: str | None = None, log_group_name: str | None = None
    ) -> Any:
        if runtime().active and log_group_id and not log_group_name:
            group = self.groups.get(log_group_id.rpartition(":log-group:")[2])
            if group is not None and log_group_id in (group.name, group.arn.removesuffix(":*")):
                return group
            # moto refuses what is no identifier, and finds any group otherwise.
            if "*" not in log_group_id:
                raise ResourceNotFoundException()
        return find(self, log_group_id, log_group_name)

    def get_log_events(self: Any, log_stream_name: str, *rest: Any) -> Any:
        if runtime().active and log_stream_name not in self.streams:
            raise ResourceNotFoundException("The specified log stream does not exist.")
        return read(self, log_stream_name, *rest)

    LogsBackend._find_log_group = _find_log_group  # type: ignore[method-assign]
    LogGroup.get_log_events = get_log_events  # type: ignore[method-assign,assignment]

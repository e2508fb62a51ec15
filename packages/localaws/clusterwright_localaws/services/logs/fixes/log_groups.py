"""moto's log groups have no class, and none of them has metric filters.

https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_LogGroup.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "Logs: log groups have their class, and the number of their metric filters"
_DEFAULT_CLASS = "STANDARD"


def apply() -> None:
    from moto.logs.models import LogGroup, logs_backends
    from moto.logs.responses import LogsResponse

    describe = LogGroup.to_describe_dict
    create = LogsResponse.create_log_group

    def to_describe_dict(self: Any) -> dict[str, Any]:
        found = describe(self)
        if runtime().active:
            backend = logs_backends[self.account_id][self.region]
            found["logGroupClass"] = getattr(self, "log_group_class", _DEFAULT_CLASS)
            found["metricFilterCount"] = sum(
                one["logGroupName"] == self.name for one in backend.filters.metric_filters
            )
        return found

    def create_log_group(self: Any) -> str:
        answer = create(self)
        group = self.logs_backend.groups[self._get_param("logGroupName")]
        group.log_group_class = self._get_param("logGroupClass") or _DEFAULT_CLASS
        return answer

    LogGroup.to_describe_dict = to_describe_dict  # type: ignore[method-assign]
    LogsResponse.create_log_group = create_log_group  # type: ignore[method-assign]

"""moto describes an alarm with empty members, and without the time of its last transition.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricAlarm.html
Members recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "CloudWatch: alarms have StateTransitionedTimestamp; Metrics and StateReasonData are absent "
    "where there are none"
)

# What a change of the configuration leaves, besides the state itself.
_OF_STATE = (
    "state_reason",
    "state_reason_data",
    "state_transitioned_timestamp",
    "state_updated_timestamp",
)


def apply() -> None:
    from moto.cloudwatch.models import Alarm, CloudWatchBackend

    initialise = Alarm.__init__
    update = Alarm.update_state

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        initialise(self, *arguments, **named)
        if runtime().active:
            self.metric_data_queries = self.metric_data_queries or None
            self.state_reason_data = None
            self.state_transitioned_timestamp = self.state_updated_timestamp

    def update_state(self: Any, reason: str, reason_data: str, state_value: str) -> None:
        before = self.state_value
        update(self, reason, reason_data, state_value)
        if runtime().active and state_value != before:
            self.state_transitioned_timestamp = self.state_updated_timestamp

    put = CloudWatchBackend.put_metric_alarm

    def put_metric_alarm(self: Any, name: str, *arguments: Any, **named: Any) -> Any:
        before = self.alarms.get(name)
        alarm: Any = put(self, name, *arguments, **named)
        if runtime().active and before is not None and alarm.state_value == before.state_value:
            for member in _OF_STATE:
                setattr(alarm, member, getattr(before, member))
        return alarm

    CloudWatchBackend.put_metric_alarm = put_metric_alarm  # type: ignore[method-assign]
    Alarm.__init__ = __init__  # type: ignore[method-assign]
    Alarm.update_state = update_state  # type: ignore[method-assign]

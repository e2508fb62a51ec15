"""moto refuses the statistics of alarms that are no percentiles.

The API model lists them: "p90, tm90, tc90, ts90, wm90, IQM, PR(n:m), TC(X%:X%), TM(X%:X%),
TS(X%:X%), WM(X%:X%)".
https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
"""

from __future__ import annotations

import re
from typing import Any, Final

MOTO_VERSION = "5.2.5"
DESCRIPTION = "CloudWatch: alarms have trimmed means and the other extended statistics"
_NUMBER: Final = r"\d+(?:\.\d+)?"
_OTHERS: Final = re.compile(
    rf"(?:tm|tc|ts|wm){_NUMBER}|iqm|pr\((?:{_NUMBER})?:(?:{_NUMBER})?\)"
    rf"|(?:tc|tm|ts|wm)\((?:{_NUMBER}%?)?:(?:{_NUMBER}%?)?\)",
    re.IGNORECASE,
)


def apply() -> None:
    from moto.cloudwatch.models import CloudWatchBackend

    in_moto = CloudWatchBackend.put_metric_alarm

    def put_metric_alarm(self: Any, *arguments: Any, **given: Any) -> Any:
        statistic = given.get("extended_statistic")
        if not statistic or not _OTHERS.fullmatch(statistic):
            return in_moto(self, *arguments, **given)
        alarm = in_moto(self, *arguments, **{**given, "extended_statistic": None})
        alarm.extended_statistic = statistic
        return alarm

    CloudWatchBackend.put_metric_alarm = put_metric_alarm  # type: ignore[method-assign]

"""Data and statistics of metrics, and names of dashboards, that CloudWatch refuses.

The messages are those that were recorded on AWS. moto answers the other requests.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricStatistics.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.cloudwatch.alarm_book import alarms_of, book_of
from clusterwright_localaws.services.cloudwatch.metric_values import check_data

MAXIMUM_DATAPOINTS: Final = 1_440
_SHORT_PERIODS: Final = frozenset({1, 5, 10, 20, 30})
_DASHBOARD: Final = re.compile(r"[A-Za-z0-9_-]+")


@operation("cloudwatch", "PutMetricData")
def put_metric_data(call: Call) -> Mapping[str, Any]:
    check_data(call.parameters, call.now)
    raise ForwardToMoto


def check_period(period: int, code: str) -> None:
    """Refuse a period, in seconds, that the API reference does not name; the text is ours.

    Raises
    ------
    AwsError
        `code`.
    """
    if period not in _SHORT_PERIODS and (period < 1 or period % 60):
        raise AwsError(code, f"Period must be 1, 5, 10, 20, 30 or a multiple of 60, not {period}.")


def check_datapoints(request: Mapping[str, Any]) -> None:
    """Refuse a request for statistics that asks for more datapoints than an answer has.

    Raises
    ------
    AwsError
        InvalidParameterCombination.
    """
    seconds = (request["EndTime"] - request["StartTime"]).total_seconds()
    datapoints = int(seconds // request["Period"])
    if datapoints > MAXIMUM_DATAPOINTS:
        raise AwsError(
            "InvalidParameterCombination",
            f"You have requested up to {datapoints} datapoints, which exceeds the limit of "
            f"{MAXIMUM_DATAPOINTS}. You may reduce the datapoints requested by increasing Period, "
            "or decreasing the time range.",
        )


@operation("cloudwatch", "PutDashboard")
def put_dashboard(call: Call) -> Mapping[str, Any]:
    if not _DASHBOARD.fullmatch(call.parameters["DashboardName"]):
        raise AwsError(
            "InvalidParameterValue",
            "The value for field DashboardName contains invalid characters. It can only contain "
            "alphanumerics, dash (-) and underscore (_).\n",
        )
    raise ForwardToMoto


@operation("cloudwatch", "ListTagsForResource")
def list_tags_for_resource(call: Call) -> Mapping[str, Any]:
    arn = call.parameters["ResourceARN"]
    kind, _, name = arn.split(":", 5)[-1].partition(":")
    if kind == "alarm" and name not in alarms_of(call) and name not in book_of(call).deleted:
        raise AwsError("ResourceNotFoundException", f"Unknown resource: {arn}", 404)
    raise ForwardToMoto

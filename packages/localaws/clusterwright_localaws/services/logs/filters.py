"""Filters of log groups that CloudWatch Logs refuses, and moto accepts or fails at.

https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_MetricTransformation.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.logs.filter_patterns import check_pattern

_MOST_DIMENSIONS: Final = 3
_PARTS_OF_AN_ARN: Final = 6


@operation("logs", "PutMetricFilter")
def put_metric_filter(call: Call) -> Mapping[str, Any]:
    check_pattern(call.parameters["filterPattern"])
    for one in call.parameters["metricTransformations"]:
        if len(one.get("dimensions") or {}) > _MOST_DIMENSIONS:
            # The text is ours.
            raise _invalid(f"A metric filter has at most {_MOST_DIMENSIONS} dimensions.")
    raise ForwardToMoto


@operation("logs", "PutSubscriptionFilter")
def put_subscription_filter(call: Call) -> Mapping[str, Any]:
    check_pattern(call.parameters["filterPattern"])
    arn = str(call.parameters["destinationArn"])
    if len(arn.split(":", _PARTS_OF_AN_ARN - 1)) < _PARTS_OF_AN_ARN:
        # The text is ours.
        raise _invalid(f"The destination {arn} is not an ARN.")
    raise ForwardToMoto


@operation("logs", "FilterLogEvents")
def filter_log_events(call: Call) -> Mapping[str, Any]:
    check_pattern(call.parameters.get("filterPattern") or "")
    raise ForwardToMoto


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidParameterException", message)

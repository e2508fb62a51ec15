"""Alarms that CloudWatch refuses; moto creates the others.

The rules are those of the API model's documentation of PutMetricAlarm, and the longest evaluation
period is that of the user guide:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/AlarmThatSendsEmail.html
Texts as users quote them: https://github.com/cloudtools/troposphere/pull/1276 (members beside
Metrics), https://github.com/aws-cloudformation/cfn-lint/pull/771 (MetricName).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.cloudwatch.alarm_book import alarms_of
from clusterwright_localaws.services.cloudwatch.alarm_queries import check_queries

_SHORT_PERIODS = frozenset({10, 20, 30})
_HOUR, _DAY, _WEEK = 3_600, 86_400, 604_800
# "If you use the Metrics parameter, you cannot include" these (API reference, PutMetricAlarm).
_OF_ONE_METRIC = (
    *("Namespace", "MetricName", "Dimensions", "Period", "Unit", "Statistic"),
    "ExtendedStatistic",
)
_TREATMENTS = ("breaching", "notBreaching", "ignore", "missing")
_PERCENTILE = re.compile(r"p(-?\d+(?:\.\d+)?)")


@operation("cloudwatch", "PutMetricAlarm")
def put_metric_alarm(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    period, periods = request.get("Period"), request.get("EvaluationPeriods") or 1
    if request.get("Metrics"):
        _refuse_members_of_metrics(request)
        check_queries(request["Metrics"], request.get("ThresholdMetricId"))
    elif not request.get("MetricName") and "EvaluationCriteria" not in request:
        raise _invalid("MetricName must not be null")
    if period is not None:
        if period not in _SHORT_PERIODS and (period < 1 or period % 60):
            raise _invalid("Period must be 10, 20, 30 or a multiple of 60")
        maximum = _WEEK if period >= _HOUR else _DAY
        if period * periods > maximum:
            raise _invalid(
                "Metrics cannot be checked across more than "
                f"{'seven days' if maximum == _WEEK else 'a day'} (EvaluationPeriods * Period "
                f"must be <= {maximum})."
            )
    if "MetricName" in request and ("Statistic" in request) == ("ExtendedStatistic" in request):
        raise _invalid("Exactly one of Statistic and ExtendedStatistic is needed.")
    _check_words(request)
    if request.get("DatapointsToAlarm", 0) > periods:
        raise _invalid("DatapointsToAlarm must be less than or equal to EvaluationPeriods.")
    before = alarms_of(call).get(request["AlarmName"])
    if before is not None and before.rule:
        # The text is ours, as in PutCompositeAlarm.
        raise _invalid("A composite alarm with this name exists already.")
    raise ForwardToMoto


def _refuse_members_of_metrics(request: Mapping[str, Any]) -> None:
    for name in _OF_ONE_METRIC:
        if request.get(name):
            raise _invalid(f"{name} should not be set if list of Metrics is set.")


def _check_words(request: Mapping[str, Any]) -> None:
    treatment = request.get("TreatMissingData")
    if treatment is not None and treatment not in _TREATMENTS:
        # The text is that of EvaluateLowSampleCountPercentile.
        raise _invalid(
            f"Option {treatment} is not supported. Supported options for parameter "
            f"TreatMissingData are {', '.join(_TREATMENTS[:-1])} and {_TREATMENTS[-1]}."
        )
    percentile = _PERCENTILE.fullmatch(request.get("ExtendedStatistic") or "")
    if percentile is not None and not 0 <= float(percentile[1]) <= 100:
        # "Specify values between p0.0 and p100."
        raise AwsError(
            "InvalidParameterValue",
            f"The value {percentile[0]} for parameter ExtendedStatistic is not supported.",
        )


def _invalid(message: str) -> AwsError:
    return AwsError("ValidationError", message)

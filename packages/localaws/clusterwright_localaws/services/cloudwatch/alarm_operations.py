"""Composite alarms, states, deletion and history of alarms; moto keeps the alarms themselves.

Composite alarms may depend on each other in a cycle.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutCompositeAlarm.html
Messages are those that users quote: https://github.com/cloud-custodian/cloud-custodian/issues/7763
and https://github.com/awsdocs/aws-cloudformation-user-guide/issues/911.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.cloudwatch.alarm_book import Item, alarms_of, book_of
from clusterwright_localaws.services.cloudwatch.alarm_evaluation import evaluate
from clusterwright_localaws.services.cloudwatch.alarm_rules import read
from clusterwright_localaws.services.cloudwatch.transitions import change, created, parents_of
from clusterwright_localaws.services.sagemaker.events import aware

_NOT_IMPLEMENTED: Final = (
    "ActionsSuppressor",
    "ActionsSuppressorExtensionPeriod",
    "ActionsSuppressorWaitPeriod",
)
# Members of a metric alarm that a composite alarm lacks.
_OF_METRICS: Final = (
    "namespace",
    "metric_name",
    "comparison_operator",
    "evaluation_periods",
    "period",
    "threshold",
    "statistic",
)


@operation("cloudwatch", "PutCompositeAlarm")
def put_composite_alarm(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    for name in _NOT_IMPLEMENTED:
        if name in request:
            raise AwsError(
                "ValidationError", f"The local AWS does not implement {name} of a composite alarm."
            )
    name, rule = request["AlarmName"], read(request["AlarmRule"], call.arn("cloudwatch", "alarm:"))
    alarms = alarms_of(call)
    unknown = [each for each in rule.alarms if each not in alarms]
    if unknown:
        raise _invalid(
            f"Could not save the composite alarm as alarms [{', '.join(unknown)}] in the alarm "
            "rule do not exist"
        )
    before = alarms.get(name)
    if before is not None and not before.rule:
        # The text is ours, as in PutMetricAlarm.
        raise _invalid("A metric alarm with this name exists already.")
    backend = moto_state.backend("cloudwatch", call.account, call.region)
    alarm = backend.put_metric_alarm(
        name=name,
        description=request.get("AlarmDescription"),
        dimensions=[],
        alarm_actions=request.get("AlarmActions", []),
        ok_actions=request.get("OKActions", []),
        insufficient_data_actions=request.get("InsufficientDataActions", []),
        actions_enabled=request.get("ActionsEnabled", True),
        rule=request["AlarmRule"],
        # The tags of an alarm that exists stay.
        tags=request.get("Tags") if before is None else None,
        **dict.fromkeys(_OF_METRICS),
    )
    created(call, alarm)
    return {}


@operation("cloudwatch", "SetAlarmState")
def set_alarm_state(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    data = request.get("StateReasonData")
    if data is not None:
        try:
            json.loads(data)
        except ValueError:
            raise AwsError("InvalidFormat", "StateReasonData is not valid JSON.") from None
    alarm = alarms_of(call).get(request["AlarmName"])
    if alarm is None:
        raise AwsError("ResourceNotFound", "", 404)
    book_of(call).held[alarm.name] = call.now
    change(call, alarm, request["StateValue"], request["StateReason"], data)
    return {}


@operation("cloudwatch", "DeleteAlarms")
def delete_alarms(call: Call) -> Mapping[str, Any]:
    """Delete alarms that no other composite alarm depends on; in a cycle, each depends on one."""
    names = list(dict.fromkeys(call.parameters["AlarmNames"]))
    alarms, book = alarms_of(call), book_of(call)
    composite = [name for name in names if name in alarms and alarms[name].rule]
    if len(composite) > 1:
        # The text is ours.
        raise _invalid(f"Cannot delete more than one composite alarm at a time: {composite}.")
    needed = [name for name in names if _is_needed(alarms, name, names)]
    if needed:
        those = "it" if len(needed) == 1 else "them"
        raise _invalid(
            f"Cannot delete {','.join(needed)} as there are composite alarm(s) depending on "
            f"{those}."
        )
    backend = moto_state.backend("cloudwatch", call.account, call.region)
    for name in names:
        if name not in alarms:
            continue
        alarm = alarms.pop(name)
        backend.tagger.delete_all_tags_for_resource(alarm.alarm_arn)
        book.deleted.add(name)
        book.measured.discard(name)
        book.held.pop(name, None)
        data = json.dumps({"version": "1.0", "type": "Delete"})
        book.note(
            Item(
                name,
                bool(alarm.rule),
                call.now,
                "ConfigurationUpdate",
                f'Alarm "{name}" deleted',
                data,
            )
        )
    return {}


@operation("cloudwatch", "DescribeAlarmHistory")
def describe_alarm_history(call: Call) -> Mapping[str, Any]:
    evaluate(call)
    request = call.parameters
    kinds = request.get("AlarmTypes") or ["MetricAlarm"]
    start, end = request.get("StartDate"), request.get("EndDate")
    items = [
        item
        for item in book_of(call).history
        if request.get("AlarmName") in (None, item.alarm)
        and request.get("HistoryItemType") in (None, item.kind)
        and _type(item) in kinds
        and (start is None or item.when >= aware(start))
        and (end is None or item.when <= aware(end))
    ]
    if request.get("ScanBy") != "TimestampAscending":
        items.reverse()
    return paged(
        call, "AlarmHistoryItems", items, _view, default=50, maximum=100, size_member="MaxRecords"
    )


def _view(item: Item) -> dict[str, Any]:
    return {
        "AlarmName": item.alarm,
        "AlarmType": _type(item),
        "Timestamp": item.when,
        "HistoryItemType": item.kind,
        "HistorySummary": item.summary,
        "HistoryData": item.data,
    }


def _type(item: Item) -> str:
    return "CompositeAlarm" if item.composite else "MetricAlarm"


def _is_needed(alarms: Mapping[str, Any], name: str, deleted: Sequence[str]) -> bool:
    """Return whether an alarm's parent stays; an alarm that names itself is never without one."""
    parents = [each.name for each in parents_of(alarms, name)]
    return name in parents or any(each not in deleted for each in parents)


def _invalid(message: str) -> AwsError:
    return AwsError("ValidationError", message)

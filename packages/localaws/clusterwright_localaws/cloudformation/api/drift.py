"""Drift detection: differences between resources and their templates.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from clusterwright_localaws.cloudformation import drift as detection
from clusterwright_localaws.cloudformation.api.common import store_of
from clusterwright_localaws.cloudformation.describing import compact, page
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.core.call import Call, operation


@operation("cloudformation", "DetectStackDrift")
def detect_stack_drift(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"], message="Stack [{}] does not exist")
    if stack.busy or stack.status == "REVIEW_IN_PROGRESS":
        raise ValidationError(
            f"Drift detection cannot be performed on stack [{stack.stack_id}] while it is in "
            f"{stack.status}."
        )
    found = detection.detect(store, stack, request.get("LogicalResourceIds"))
    now = dt.datetime.now(dt.UTC)
    stack.drift = {"status": detection.stack_status(found), "time": now}
    for one in found:
        stack.drifts[one.logical_id] = one
    detection_id = str(uuid.uuid4())
    denied = [one for one in found if one.denied]
    store.drift_detections[detection_id] = {
        "StackId": stack.stack_id,
        "StackDriftDetectionId": detection_id,
        "StackDriftStatus": stack.drift["status"],
        "DetectionStatus": "DETECTION_FAILED" if denied else "DETECTION_COMPLETE",
        **_failure(denied),
        "DriftedStackResourceCount": sum(
            one.status in (detection.MODIFIED, detection.DELETED) for one in found
        ),
        "Timestamp": now,
    }
    return {"StackDriftDetectionId": detection_id}


def _failure(denied: Sequence[detection.Drift]) -> Mapping[str, str]:
    """The reason; CloudFormation's own wording is not documented."""
    if not denied:
        return {}
    names = ", ".join(one.logical_id for one in denied)
    return {
        "DetectionStatusReason": f"Failed to detect drift on resources [{names}]: "
        f"{denied[0].denied}"
    }


@operation("cloudformation", "DescribeStackDriftDetectionStatus")
def describe_stack_drift_detection_status(call: Call) -> Mapping[str, Any]:
    detection_id = call.parameters["StackDriftDetectionId"]
    found = store_of(call).drift_detections.get(detection_id)
    if found is None:
        raise ValidationError(f"Drift detection [{detection_id}] does not exist")
    return found


@operation("cloudformation", "DescribeStackResourceDrifts")
def describe_stack_resource_drifts(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    stack = store_of(call).find(request["StackName"], message="Stack [{}] does not exist")
    desired = request.get("StackResourceDriftStatusFilters")
    drifts = [one for one in stack.drifts.values() if not desired or one.status in desired]
    found, more = page(drifts, call, request.get("MaxResults", 100))
    return compact(StackResourceDrifts=[one.shape(stack) for one in found], NextToken=more)


@operation("cloudformation", "DetectStackResourceDrift")
def detect_stack_resource_drift(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"], message="Stack [{}] does not exist")
    name = request["LogicalResourceId"]
    if name not in stack.resources:
        raise ValidationError(f"Resource {name} does not exist for stack {stack.name}")
    (found,) = detection.detect(store, stack, {name})
    stack.drifts[name] = found
    return {"StackResourceDrift": found.shape(stack)}

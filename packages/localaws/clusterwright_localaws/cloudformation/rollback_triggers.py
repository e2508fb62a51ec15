"""Rollback triggers: alarms whose absence or state ALARM rolls an operation back.

API model (botocore 1.44.5), RollbackConfiguration. AWS's texts of the refusals are not published:
those here are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.boto_clients import client


def problem_with(configuration: Mapping[str, Any], account: str) -> str | None:
    """Why an operation with these triggers fails now; None if no alarm says so."""
    for trigger in configuration.get("RollbackTriggers") or ():
        arn = str(trigger["Arn"])
        state = _state(arn, str(trigger["Type"]), account)
        if state is None:
            return f"The rollback trigger {arn} does not exist"
        if state == "ALARM":
            return f"The rollback trigger {arn} is in ALARM"
    return None


def _state(arn: str, kind: str, account: str) -> str | None:
    """The state of an alarm; None if there is none of the type."""
    _, _, _, region, _, _, name = arn.split(":", 6)
    listed = "CompositeAlarms" if kind.endswith("::CompositeAlarm") else "MetricAlarms"
    found = client("cloudwatch", account=account, region=region).describe_alarms(
        AlarmNames=[name], AlarmTypes=[listed.removesuffix("s")]
    )[listed]
    return next((str(one["StateValue"]) for one in found if one["AlarmArn"] == arn), None)

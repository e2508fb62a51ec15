"""Alarms of CloudWatch, which are evaluated before a queue is read: it may get their messages."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import ForwardToMoto

_WATCHED: Final = "moto.cloudwatch.models"


@operation("sqs", "ReceiveMessage")
def receive_message(call: Call) -> Mapping[str, Any]:
    if _WATCHED not in sys.modules:  # no alarm exists
        raise ForwardToMoto
    watched = moto_state.existing("cloudwatch", call.account, call.region)
    if watched is not None and any(alarm.actions_enabled for alarm in watched.alarms.values()):
        from clusterwright_localaws.services import prepare
        from clusterwright_localaws.services.cloudwatch.alarm_evaluation import evaluate

        prepare("cloudwatch")
        evaluate(call)
    raise ForwardToMoto

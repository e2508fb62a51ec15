"""Actions of alarms: messages to topics of SNS, published when the runtime's lock is free.

A subscriber may call the local AWS before it answers. Actions of other services do nothing here.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.services.cloudwatch.alarm_book import Item, book_of
from clusterwright_localaws.services.cloudwatch.alarm_messages import written
from clusterwright_localaws.services.sagemaker.events import aware

_ACTIONS: Final = {
    "ALARM": "alarm_actions",
    "OK": "ok_actions",
    "INSUFFICIENT_DATA": "insufficient_data_actions",
}


@dataclass(frozen=True)
class _Notice:
    """A message of an alarm to a topic, as it was at the change of the state."""

    topic: str
    alarm: str
    composite: bool
    changed_ms: int
    subject: str
    text: str


def act(call: Call, alarm: Any, before: str, triggers: Sequence[Any]) -> None:
    """Leave to the end of the call what a change from the state `before` entails."""
    actions = [str(each) for each in getattr(alarm, _ACTIONS[alarm.state_value])]
    topics = [each for each in actions if each.split(":")[2:3] == ["sns"]]
    if not alarm.actions_enabled or not topics:
        return
    subject, text = written(call, alarm, before, triggers)
    changed_ms = int(aware(alarm.state_updated_timestamp).timestamp() * 1000)
    for topic in topics:
        notice = _Notice(topic, alarm.name, bool(alarm.rule), changed_ms, subject, text)
        call.unlocked.append(functools.partial(_do, call, notice))


def _do(call: Call, notice: _Notice) -> None:
    done = _published(call, notice)
    result = "Succeeded" if done else "Failed"
    data = {"actionState": result, "stateUpdateTimestamp": notice.changed_ms}
    data |= {"notificationResource": notice.topic, "publishedMessage": None, "error": None}
    verb = "Successfully executed" if done else "Failed to execute"
    summary = f"{verb} action {notice.topic}"
    with call.runtime.lock:
        book_of(call).note(
            Item(notice.alarm, notice.composite, call.now, "Action", summary, json.dumps(data))
        )


def _published(call: Call, notice: _Notice) -> bool:
    """Publish to a topic of any account in the alarm's region."""
    account = "".join(notice.topic.split(":")[4:5])
    backend = moto_state.existing("sns", account, call.region)
    topic = backend.topics.get(notice.topic) if backend is not None else None
    if topic is None:
        return False
    try:
        topic.publish(notice.text, subject=notice.subject)
    except Exception as error:  # noqa: BLE001  whatever moto fails at, the state has changed
        call.runtime.warn(f"CloudWatch: {notice.topic}: {type(error).__name__}: {error}")
        return False
    return True

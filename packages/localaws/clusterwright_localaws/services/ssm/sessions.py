"""StartSession to nodes of HyperPod and to instances, and SendCommand, which refuses the former.

The target's form and the rate are those that awslabs/awsome-distributed-ai 95b939cd
(`hyperpod-mental-model.md`) observed: `sagemaker-cluster:<cluster id>_<group>-<instance id>`,
three sessions per second and account. No data passes: nothing answers at a session's address.
"""

from __future__ import annotations

import re
import secrets
from collections import deque
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.sagemaker.state import store

SESSIONS_PER_SECOND = 3
_TARGET = re.compile(r"sagemaker-cluster:([a-z0-9]{12})_(.+)-(i-[0-9a-f]{8}(?:[0-9a-f]{9})?)")
_INSTANCE = re.compile(r"i-[0-9a-f]{8}(?:[0-9a-f]{9})?")


class _Sessions:
    """The sessions of one account and region, and when the latest ones started."""

    def __init__(self) -> None:
        self.started: deque[datetime] = deque(maxlen=SESSIONS_PER_SECOND)
        self.active: set[str] = set()


@operation("ssm", "StartSession")
def start_session(call: Call) -> Mapping[str, Any]:
    target = str(call.parameters["Target"])
    found = _sessions(call)
    started = found.started
    if len(started) == SESSIONS_PER_SECOND and call.now - started[0] < timedelta(seconds=1):
        raise AwsError("ThrottlingException", "Rate exceeded", 400)
    if not _connected(call, target):
        raise AwsError("TargetNotConnected", f"{target} is not connected.", 400)
    started.append(call.now)
    session = f"local-{secrets.token_hex(9)[:17]}"
    found.active.add(session)
    return {
        "SessionId": session,
        "TokenValue": secrets.token_hex(32),
        "StreamUrl": f"wss://ssmmessages.{call.region}.amazonaws.com/v1/data-channel/{session}",
    }


@operation("ssm", "TerminateSession")
def terminate_session(call: Call) -> Mapping[str, Any]:
    session = str(call.parameters["SessionId"])
    _sessions(call).active.discard(session)
    return {"SessionId": session}


@operation("ssm", "SendCommand")
def send_command(call: Call) -> Mapping[str, Any]:
    """Refuse HyperPod's nodes, which are no managed instances of the account."""
    named = list(call.parameters.get("InstanceIds", ()))
    for target in call.parameters.get("Targets", ()):
        if not (target.get("Key") and target.get("Values")):
            raise AwsError("ValidationException", "A target must have a Key and Values", 400)
        if target["Key"] == "InstanceIds":
            named += target.get("Values", ())
    hyperpod = _hyperpod_nodes(call)
    for name in named:
        if name in hyperpod or str(name).startswith("sagemaker-cluster:"):
            raise AwsError(
                "InvalidInstanceId", f"Instances [[{name}]] not in a valid state for account", 400
            )
    raise ForwardToMoto


def _connected(call: Call, target: str) -> bool:
    match = _TARGET.fullmatch(target)
    if match is None:
        instances = moto_state.backend("ec2", call.account, call.region)
        return _INSTANCE.fullmatch(target) is not None and any(
            instance.id == target and instance.state == "running"
            for reservation in instances.reservations.values()
            for instance in reservation.instances
        )
    cluster_id, group, instance_id = match.groups()
    return any(
        cluster.id == cluster_id
        and node.group_name == group
        and node.instance_id == instance_id
        and node.gone_at is None
        and node.status_at(call.now) != "Pending"
        for cluster in store(call.runtime, call.account, call.region).by_name.values()
        for node in cluster.nodes()
    )


def _hyperpod_nodes(call: Call) -> set[str]:
    return {
        node.instance_id
        for cluster in store(call.runtime, call.account, call.region).by_name.values()
        for node in cluster.nodes()
    }


def _sessions(call: Call) -> _Sessions:
    return call.runtime.store("ssm-sessions", call.account, call.region, _Sessions)

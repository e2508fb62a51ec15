"""Signals to resources that wait for them.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_SignalResource.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation import signals
from clusterwright_localaws.cloudformation.api.common import store_of
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.template import WAIT_CONDITION
from clusterwright_localaws.core.call import Call, operation


@operation("cloudformation", "SignalResource")
def signal_resource(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    stack = store_of(call).find(request["StackName"], message="Stack [{}] does not exist")
    name = request["LogicalResourceId"]
    template = stack.revision.template if stack.revision else None
    if template is None or name not in template.resources:
        raise ValidationError(f"Resource {name} does not exist for stack {stack.name}")
    kind = template.resources[name]["Type"]
    if kind != WAIT_CONDITION:
        raise ValidationError(f"Resource {name} of type {kind} does not wait for signals here")
    one = stack.resources.get(name)
    if not stack.busy or one is None or not one.status.endswith("_IN_PROGRESS"):
        state = one.status if one is not None else "no state yet"
        raise ValidationError(f"Unable to signal resource {name}: it is in {state}")
    signals.board(call.account, call.region).send(
        stack.stack_id,
        name,
        signals.Signal(request["UniqueId"], request["Status"] == signals.SUCCESS, "signalled"),
    )
    return {}

"""``AWS::CloudFormation::Stack``: a stack within a stack. ``Ref`` is its id."""

from __future__ import annotations

from clusterwright_localaws.cloudformation import nesting
from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import pick
from clusterwright_localaws.cloudformation.state import STACK_TYPE, Stack


class NestedStack(Handler):
    """Its outputs are attributes, as ``Outputs.Name``."""

    type_name = STACK_TYPE

    def create(self, ctx: Context, properties: Properties) -> Created:
        return _created(nesting.create(ctx, _request(properties)))

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        return _created(nesting.update(ctx, physical_id, _request(new)))

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        nesting.delete(ctx, physical_id)

    def outdated(
        self, account: str, region: str, physical_id: str, properties: Properties
    ) -> bool:
        return nesting.template_changed(account, region, physical_id, properties["TemplateURL"])


def _request(properties: Properties) -> Properties:
    return pick(
        properties, "NotificationARNs", "Parameters", "Tags", "TemplateURL", "TimeoutInMinutes"
    )


def _created(stack: Stack) -> Created:
    outputs = {f"Outputs.{one.key}": one.value for one in stack.outputs}
    return Created(stack.stack_id, {"StackId": stack.stack_id, **outputs})

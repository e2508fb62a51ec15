"""No stack of the environment is stuck."""

from __future__ import annotations

from typing import Final

from clusterwright.aws.cloudformation.stacks import Stack
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Subjects
from clusterwright.preflight.rules.names.name_conflicts import HERE, NameConflictRule, own_stacks

_STUCK: Final = {
    "UPDATE_ROLLBACK_FAILED": "`aws cloudformation continue-update-rollback --stack-name {name}`",
    "DELETE_FAILED": "check the stack's events, remove the cause, delete the stack again",
    "IMPORT_ROLLBACK_FAILED": "check the stack's events",
}
_TO_BE_DELETED: Final = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED")
"""`cdk deploy` deletes and recreates such a stack, which termination protection prevents."""


class StuckStacks(NameConflictRule):
    id = "CW-E007"
    prevents = (
        "a deployment that is refused immediately: the stack is in a state that cannot be updated"
    )
    source = "AWS documentation, CloudFormation stack status codes"

    def subjects(self, context: Context) -> Subjects[str]:
        yield HERE, context.cluster.environment

    def needs(self, context: Context) -> Facts:
        return (own_stacks(context),)

    def check(self, context: Context, facts: FactValues) -> Results:
        for stack in facts[own_stacks(context)].stacks:
            yield from _results(stack)


def _results(stack: Stack) -> Results:
    why = f": {stack.reason}" if stack.reason else ""
    message = f"the stack {stack.name} is {stack.status}{why}"
    if stack.status in _STUCK:
        hint = _STUCK[stack.status].format(name=stack.name)
        yield Fail(message=message, where=stack.name, hint=hint)
    elif stack.status in _TO_BE_DELETED and stack.protected:
        yield Fail(
            message=f"{message}, and has termination protection",
            where=stack.name,
            hint="`aws cloudformation update-termination-protection --stack-name "
            f"{stack.name} --no-enable-termination-protection`, then delete it",
        )
    elif stack.status.endswith("_IN_PROGRESS") and stack.status != "REVIEW_IN_PROGRESS":
        yield Fail(
            message=f"the stack {stack.name} is {stack.status}",
            severity="warning",
            where=stack.name,
            hint="wait until the operation is complete",
        )

"""Change sets in tests: created, and their changes by logical id."""

from __future__ import annotations

from typing import Any

from packages.localaws.tests.cloudformation.stacks import cloudformation


def plan(name: str, body: str, kind: str = "UPDATE", **options: Any) -> dict[str, Any]:
    """Create a change set and describe it."""
    cloudformation().create_change_set(
        StackName=name,
        ChangeSetName="c",
        ChangeSetType=kind,
        TemplateBody=body,
        Capabilities=["CAPABILITY_NAMED_IAM"],
        **options,
    )
    return cloudformation().describe_change_set(
        StackName=name, ChangeSetName="c", IncludePropertyValues=True
    )


def changes(change_set: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = [change["ResourceChange"] for change in change_set["Changes"]]
    return {item["LogicalResourceId"]: item for item in found}
